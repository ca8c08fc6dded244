# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches with what GLB and RF keep left open, and once for each of its choices, written out.

    search_keeps.py PERFC PROGRAM FACTORS GOAL

FACTORS is `perfect` or `imperfect`. Prints whether the open search has found the best of all.
"""
import itertools
import json
import subprocess
import sys
import tempfile

perfc, program, factors, goal = sys.argv[1:]
pairs = list(itertools.product(("A", "B", "Z"), ("GLB", "RF")))
text = open(program, encoding="utf-8").read()
spaces = [["keep any"]]
for choice in itertools.product(("keep", "bypass"), repeat=len(pairs)):
    spaces.append([f"{word} {tensor} at {place}" for word, (tensor, place) in zip(choice, pairs)])
for number, lines in enumerate(spaces):
    body = "; ".join(lines + [f"factors {factors}"])
    text += f"mapspace s{number} for product on chip {{ {body} }}\n"
    text += f"search small on chip with s{number} minimize {goal} within 100s\n"
with tempfile.NamedTemporaryFile("w", suffix=".perf") as file:
    file.write(text)
    file.flush()
    output = subprocess.run([perfc, "search", file.name, "--json"], stdout=subprocess.PIPE, check=True)
searches = json.loads(output.stdout)["searches"]
best, *others = (search["value"] for search in searches)
least = min(others)
print(len(others), "choices; the best is", "found" if abs(best / least - 1) < 1e-9 else f"{least}, not {best}")
print("proven" if all(search["gap"] == 0 for search in searches) else "not proven")
