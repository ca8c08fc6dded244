# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums up what `perfc validate --json` prints on standard input, over the groups of all rows."""
import json
import sys

result = json.load(sys.stdin)
groups = [group for group in result["groups"] if not group["by"]]
rows, exact, skipped = (sum(group[key] for group in groups) for key in ("rows", "exact", "skipped"))
print(f"{result['kind']}: {result['rows']} rows, {len(groups)} metrics, {exact} of {rows} exact, {skipped} skipped")
