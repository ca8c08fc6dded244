# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: metrics.py RESULT.json METRIC…: prints `name metric value` of each result, a value per line."""
import json
import sys

document = json.load(open(sys.argv[1]))
for result in document["results"]:
    for metric in sys.argv[2:]:
        value = result.get("metrics", {}).get(metric, result.get(metric))
        if isinstance(value, dict):
            value = value.get("value")
        if isinstance(value, float) and value == int(value):
            value = int(value)
        print(result["name"], metric, value)
