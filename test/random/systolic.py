# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products on systolic arrays: in folds, and the same loops as a mapping, which is the same run of the same machine."""
import random

from case import Case

# By the operand that stays: the indices of columns and rows, and the one that streams.
AXES = {"weight": ("n", "k", "m"), "output": ("n", "m", "k"), "input": ("m", "k", "n")}
ROWS = ["memory", "tensor", "fills", "reads", "updates", "writebacks"]


def case(rng: random.Random) -> Case:
    stays = rng.choice(list(AXES))
    column, row, stream = AXES[stays]
    columns, rows = rng.randint(1, 6), rng.randint(1, 6)
    size = {index: rng.randint(1, 20) for index in "mnk"}
    overlap = rng.choice(["", "\n    overlap_folds"])
    network = rng.choice(["", "\n    network { multicast x, y; reduce x, y; energy 2pJ { hop 1pJ; multicast 1pJ; reduce 1pJ } }",
                          "\n    network { energy 1pJ { hop 3pJ } }"])
    register = rng.choice(["", f"\n    memory Reg {{ energy 1pJ; keep {stays} }}"])
    across, down = min(columns, size[column]), min(rows, size[row])
    text = f"""import std.ops.matmul
hardware chip {{
  clock 1GHz
  dtype int8
  memory Ram {{ bandwidth {rng.choice([1, 4, 64])}B/cycle; energy 10pJ }}
  array PE[x = {columns}, y = {rows}] {{
    systolic {stays}{overlap}{network}{register}
    compute MAC {{ rate 1/cycle; energy 1pJ }}
  }}
}}
mapping loops for matmul on chip {{
  at Ram for {column} = rest, {row} = rest, {stream} = rest
  at PE.x parallel {column} = {across}
  at PE.y parallel {row} = {down}
}}
let product = matmul(M = {size['m']}, N = {size['n']}, K = {size['k']})
evaluate product on chip as folds
evaluate product on chip with loops as mapped
"""

    def check(document):
        found = {result["name"]: result for result in document["results"]}
        folds, mapped = found["folds"], found["mapped"]
        wrong = []
        for metric in ("cycles", "energy"):
            a, b = folds["metrics"][metric], mapped["metrics"][metric]
            if abs(a - b) > 1e-9 * abs(a):
                wrong.append(f"{metric}: {a} in folds, {b} as a mapping")
        for a, b in zip(folds["accesses"], mapped["accesses"], strict=True):
            if any(a[name] != b[name] for name in ROWS):
                wrong.append(f"{[a[name] for name in ROWS]} in folds, {[b[name] for name in ROWS]} as a mapping")
        return wrong

    return Case(text, check)
