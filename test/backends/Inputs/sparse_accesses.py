# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random products on lanes that read an operand from a memory with a `width`, skipped or gated where the other operand is
zero: perfc's expected accesses against the mean of 60 executions with random zeros, and skipping against gating.

usage: sparse_accesses.py PERFC COUNT SEED
"""
import json
import math
import random
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

PROGRAM = """import std.ops.matmul
hardware chip {{
  clock 1GHz
  dtype int8
  memory DRAM {{ energy 0pJ }}
  memory BUF {{ width {width}B; energy {{ read 1pJ; write 0pJ }} }}
  array PE[x = 16] {{ compute MAC {{ rate 1/cycle; energy 0pJ }} }}
}}
mapping lanes for matmul on chip {{
  keep {read} at BUF
  bypass {zero}, C at BUF
  at BUF for {steps}
  at PE.x parallel {lanes}
}}
"""
STATEMENT = """evaluate matmul({sizes}) on chip with lanes as {kind}s {{
  tensor {zero} {{ density {density}% }}
  {kind} {read} when {zero} == 0
}}
"""
RANKS = {"A": "mk", "B": "kn"}


def executed(sizes, lanes, read, zero, width, density, rng):
    """Accesses of one execution: each step takes the words that a lane with a nonzero needs, each once."""
    shape = [sizes[index] for index in RANKS[zero]]
    elements = list(product(*(range(extent) for extent in shape)))
    nonzeros = set(rng.sample(elements, round(len(elements) * density / 100)))
    accesses = 0
    for step in product(*(range(0, sizes[index], lanes[index]) for index in "mnk")):
        words = set()
        for lane in product(*(range(lanes[index]) for index in "mnk")):
            at = {index: begin + offset for index, begin, offset in zip("mnk", step, lane)}
            if tuple(at[index] for index in RANKS[zero]) in nonzeros:
                words.add(tuple(at[index] for index in RANKS[read]))
        accesses += math.ceil(len(words) / width)
    return accesses


def case(rng, perfc, path):
    sizes = {"m": rng.choice([4, 8]), "n": rng.choice([4, 8]), "k": rng.choice([8, 16])}
    lanes = {"m": rng.choice([1, 2, 4]), "n": rng.choice([1, 2]), "k": rng.choice([1, 2])}
    width, density = rng.choice([1, 2, 4, 8]), rng.choice([10, 30, 50, 70])
    read, zero = rng.choice(["AB", "BA"])
    text = PROGRAM.format(read=read, zero=zero, width=width, lanes=", ".join(f"{i} = {lanes[i]}" for i in "mnk"),
                          steps=", ".join(f"{i} = {sizes[i] // lanes[i]}" for i in "mnk"))
    for kind in ("skip", "gate"):
        text += STATEMENT.format(sizes=", ".join(f"{i.upper()} = {sizes[i]}" for i in "mnk"), kind=kind, read=read, zero=zero,
                                 density=density)
    path.write_text(text)
    done = subprocess.run([perfc, "run", path, "--json"], capture_output=True, text=True, timeout=60, check=True)
    own = [one["metrics"]["energy"] / 1e-12 / width for one in json.loads(done.stdout)["results"]]
    mean = sum(executed(sizes, lanes, read, zero, width, density, rng) for _ in range(60)) / 60
    return own[0] == own[1] and abs(own[0] / mean - 1) < 0.06, text, own, mean


def main():
    perfc, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            isGood, text, own, mean = case(rng, perfc, Path(folder) / "zeros.perf")
            good += isGood
            if not isGood:
                print(text, "perfc", own, "executed", mean)
    print(f"{good} of {count} within 6 %")


main()
