# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicts the rows of boards.perf with fitted constants in two ways: as `perfc calibrate` did it, and as the program with
these constants written into it does it. usage: as_written.py PERFC FOLDER"""
import json
import re
import subprocess
import sys

perfc, folder = sys.argv[1:]
with open(f"{folder}/boards.perf", encoding="utf-8") as file:
    text = file.read()
fitted = json.loads(subprocess.run([perfc, "calibrate", f"{folder}/boards.perf", "--json"], check=True, capture_output=True).stdout)
for constant in fitted["fits"][0]["constants"]:
    board, word = constant["name"].split(".")[0], constant["name"].split(".")[-1]
    head = text.index(f"hardware {board}")
    value = re.compile(rf"\b{word}(\s+)[\d.]+\w+(/s)?").sub
    text = text[:head] + value(rf"{word}\g<1>{constant['value']!r}{constant['unit']}", text[head:], count=1)
with open(f"{folder}/written.perf", "w", encoding="utf-8") as file:
    file.write(text)
written = json.loads(subprocess.run([perfc, "validate", f"{folder}/written.perf", "--json"], check=True, capture_output=True).stdout)
groups = written["tables"][0]["groups"]
assert len(groups) == len(fitted["fitted"]["groups"]) == 7, groups
for one, other in zip(groups, fitted["fitted"]["groups"]):
    assert one["by"] == other["by"] and one["rows"] == other["rows"] and abs(one["mape"] - other["mape"]) < 1e-6, (one, other)
print("the same", groups[0]["rows"], "rows")
