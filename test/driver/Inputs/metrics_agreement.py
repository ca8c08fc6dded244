# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: metrics_agreement.py VALIDATION.json: prints how many rows of each metric are equal, over all rows."""
import json
import sys

document = json.load(open(sys.argv[1]))
print("rows", document["rows"])
for group in document["groups"]:
    if not group["by"]:
        skipped = f", {group['skipped']} skipped" if group["skipped"] else ""
        print(f"{group['metric']} {group['exact']} of {group['rows']}{skipped}")
