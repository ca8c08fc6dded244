# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates every chain of factors in every order, and searches the same space.

    search_exhaustive.py PERFC PROGRAM CHIP FACTORS

PROGRAM has an op `product` with the indices m, n, k and the sizes 3, 2 and 3 (`tiny`); CHIP has DRAM, GLB and the lanes PE.x.
FACTORS is `perfect` or `imperfect`. Prints how many mappings there are and whether the search has found the best EDP.
"""
import itertools
import json
import subprocess
import sys
import tempfile

perfc, program, chip, factors = sys.argv[1:]
sizes = {"m": 3, "n": 2, "k": 3}
LANES = 4


def chains(size):
    for outer, middle, inner in itertools.product(range(1, size + 1), repeat=3):
        loops = [f for f in (outer, middle, inner) if f > 1] or [1]
        inside = 1
        for factor in loops[1:]:
            inside *= factor
        covers = loops[0] * inside
        if covers == size or (factors == "imperfect" and covers > size > (loops[0] - 1) * inside):
            yield outer, middle, inner


def run(text):
    with tempfile.NamedTemporaryFile("w", suffix=".perf") as file:
        file.write(open(program, encoding="utf-8").read() + text)
        file.flush()
        output = subprocess.run([perfc, "run", file.name, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(output.stdout)


text, number = "", 0
for choice in itertools.product(*(chains(size) for size in sizes.values())):
    by_place = [[(name, c[place]) for name, c in zip(sizes, choice) if c[place] > 1] for place in range(3)]
    lanes = 1
    for _, factor in by_place[2]:
        lanes *= factor
    if lanes > LANES:
        continue
    for outer, middle in itertools.product(*(itertools.permutations(loops) for loops in by_place[:2])):
        lines = []
        for head, loops in (("at DRAM for", outer), ("at GLB for", middle), ("at PE.x parallel", by_place[2])):
            if loops:
                lines.append(f"{head} " + ", ".join(f"{name} = {factor}" for name, factor in loops))
        number += 1
        text += f"mapping m{number} for product on {chip} {{ {'; '.join(lines)} }}\n"
        text += f"evaluate tiny on {chip} with m{number} using loopnest\n"
least = min(result["metrics"]["edp"] for result in run(text)["results"])
found = run(f"mapspace all for product on {chip} {{ factors {factors} }}\n"
            f"search tiny on {chip} with all minimize edp within 100s\n")
value, gap = found["searches"][0]["value"], found["searches"][0]["gap"]
print(number, "mappings; the best is", "found" if abs(value / least - 1) < 1e-9 else f"{least}, not {value}")
print("proven" if gap == 0 else f"gap {gap}")
