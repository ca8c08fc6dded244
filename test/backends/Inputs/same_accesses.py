# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: same_accesses.py RESULTS.json A B MEMORY…: compares what results A and B move in these memories."""
import json
import sys

path, left, right, *memories = sys.argv[1:]
results = {result["name"]: result for result in json.load(open(path))["results"]}


def rows(name):
    return {(row["memory"], row["tensor"]): {key: row[key] for key in ("fills", "reads", "updates", "writebacks")}
            for row in results[name]["accesses"] if row["memory"] in memories}


a, b = rows(left), rows(right)
for key in sorted(a | b):
    if a.get(key) != b.get(key):
        print(*key, a.get(key), b.get(key))
print(len(a), "rows,", "all equal" if a == b else "not equal")
