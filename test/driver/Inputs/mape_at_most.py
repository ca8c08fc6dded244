# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: mape_at_most.py VALIDATION.json GROUP METRIC LIMIT…: fails unless the mean error of each group is below its limit.
`all` is the group of all rows."""
import json
import sys

groups = json.load(open(sys.argv[1]))["groups"]
for name, metric, limit in zip(*[iter(sys.argv[2:])] * 3):
    found = [g for g in groups if name in (g["by"].values() or ["all"]) and g["metric"] == metric]
    assert len(found) == 1, f"no group {name} of {metric}"
    assert found[0]["mape"] <= float(limit), f"{name}: {found[0]['mape']} % is more than {limit} %"
    print(f"{name} {found[0]['rows']} rows, at most {limit} %")
