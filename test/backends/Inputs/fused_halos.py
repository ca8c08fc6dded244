# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random pairs of two-dimensional convolutions, fused with `halo retain` along one index or both, counted by perfc and by
execution with sets: the first convolution runs ahead in tiles as large as what a step needs anew, in the order of the shared
loops, until the next step has all it needs. Compared are all counts of GLB, and of what is between them the elements held
at most, those that are made and still needed.

usage: fused_halos.py PERFC COUNT SEED
"""
import itertools
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from fused_random import CHIP, Memory, Statement, divisor, hull, points, run_tile

OP = """op pair(I[C, Y, X], W1[M, C, R, U]: weight, W2[K, M, S, V]: weight, H, G, a = 1, b = 1, P, Q) -> O[K, P, Q] {
  where y < H and x < G
  T[m, y, x] += I[c, y + r, x + u] * W1[m, c, r, u]
  O[k, p, q] += T[m, p*a + s, q*b + v] * W2[k, m, s, v]
}
"""


def tiles_of(count, step, need):
    """Where the tiles of an index begin and end: what the first step needs besides its `step` values comes first, ragged."""
    if count == 1:
        return [(0, need)]
    halo = need - step
    ends = list(range(halo % step or step, halo, step)) + [halo + number * step for number in range(count + 1)]
    ends = sorted({end for end in ends if end > 0})
    return list(zip([0] + ends, ends))


def make(memory, first, made, box):
    new = set(itertools.product(*(range(*bounds) for bounds in box)))
    producing = [point for point in points(first, {"m": range(*box[0]), "y": range(*box[1]), "x": range(*box[2])})]
    memory.sums["T"] = set()  # each element is made in one tile
    made |= new
    memory.held["T"] = made
    run_tile(memory, first, producing, "T", "T")


def execute(first, second, shared, grid):
    """`shared`: (index, steps) outermost first; `grid`: per index of T its tiles, in the order of the loops that move them."""
    memory, made, kept = Memory(), set(), 0
    works = []
    for numbers in itertools.product(*(range(steps) for _, steps, _ in shared)):
        low, size = {}, {}
        for (index, steps, tile), number in zip(shared, numbers):
            low[index] = low.get(index, 0) * steps + number
            size[index] = tile
        ranges = {index: range(low[index] * size[index], (low[index] + 1) * size[index]) for index in low}
        works.append(list(points(second, ranges)))
    needs = [hull({second.reads["T"](point) for point in work}) for work in works]
    later = [set() for _ in needs] + [set()]
    for number in reversed(range(len(needs))):
        later[number] = later[number + 1] | needs[number]
    order = [index for index in grid]
    ahead = itertools.product(*(grid[index] for index in order))
    for number, work in enumerate(works):
        while not needs[number] <= made:
            tile = dict(zip(order, next(ahead)))
            make(memory, first, made, [tile["m"], tile["y"], tile["x"]])
        kept = max(kept, len(made & later[number]))
        run_tile(memory, second, work, "O", "T")
    memory.leave("O", memory.held["O"])
    return memory.counts, kept


def case(rng):
    size = {"P": rng.choice([2, 4, 6]), "Q": rng.choice([2, 4, 6]), "a": rng.choice([1, 1, 2]), "b": rng.choice([1, 1, 2]),
            "K": rng.choice([1, 2]), "M": rng.choice([1, 2]), "C": 1, "R": rng.choice([1, 2]), "U": rng.choice([1, 2])}
    # A stride larger than the window leaves gaps, which are no halo.
    size["S"], size["V"] = max(size["a"], rng.choice([1, 2, 3])), max(size["b"], rng.choice([1, 2, 3]))
    size["H"], size["G"] = (size["P"] - 1) * size["a"] + size["S"], (size["Q"] - 1) * size["b"] + size["V"]
    size["Y"], size["X"] = size["H"] + size["R"] - 1, size["G"] + size["U"] - 1
    a, b = size["a"], size["b"]
    first = Statement({"m": size["M"], "y": size["H"], "x": size["G"], "c": size["C"], "r": size["R"], "u": size["U"]},
                      {"I": lambda i: (i["c"], i["y"] + i["r"], i["x"] + i["u"]),
                       "W1": lambda i: (i["m"], i["c"], i["r"], i["u"])},
                      lambda i: (i["m"], i["y"], i["x"]))
    second = Statement({"k": size["K"], "p": size["P"], "q": size["Q"], "m": size["M"], "s": size["S"], "v": size["V"]},
                       {"T": lambda i: (i["m"], i["p"] * a + i["s"], i["q"] * b + i["v"]),
                        "W2": lambda i: (i["k"], i["m"], i["s"], i["v"])},
                       lambda i: (i["k"], i["p"], i["q"]))
    tiles = {index: divisor(rng, second.extents[index]) for index in "pqmk"}
    moved = list("pqm")
    rng.shuffle(moved)
    shared = []  # index, steps, values of the index in one step
    for index in moved + ["k"]:
        steps = second.extents[index] // tiles[index]
        outer = divisor(rng, steps)
        shared += [(index, outer, tiles[index]), (index, steps // outer, tiles[index])]
    grid = {}
    for index in moved:
        count, tile = second.extents[index] // tiles[index], tiles[index]
        step, taps, of = {"p": (a, size["S"], "y"), "q": (b, size["V"], "x"), "m": (1, 1, "m")}[index]
        grid[of] = tiles_of(count, tile * step, (tile - 1) * step + taps)
    cut = rng.randint(0, len(shared))
    lines = ["  fuse T at GLB halo retain"]
    for place, loops in (("DRAM", shared[:cut]), ("GLB", shared[cut:])):
        if loops:
            lines.append(f"  at {place} for " + ", ".join(f"{index} = {steps}" for index, steps, _ in loops))
    inside = {**tiles, "y": 1, "x": 1, "c": size["C"], "r": size["R"], "u": size["U"], "s": size["S"], "v": size["V"]}
    lines.append("  at RF for " + ", ".join(f"{index} = {steps}" for index, steps in inside.items()))
    lines.append("  bypass I, W1, W2, T, O at RF")
    call = ", ".join(f"{name} = {value}" for name, value in size.items())
    program = OP + CHIP + "mapping fused for pair on chip {\n" + "\n".join(lines) + "\n}\n" + \
        f"evaluate pair({call}) on chip with fused using loopnest\n"
    return program, *execute(first, second, shared, grid)


def main():
    perfc, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    equal = lines = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "halos.perf"
        for _ in range(count):
            program, counts, kept = case(rng)
            path.write_text(program)
            done = subprocess.run([perfc, "run", path, "--json"], capture_output=True, text=True, timeout=60)
            if done.returncode:
                print(program, done.stderr)
                continue
            rows = {(row["memory"], row["tensor"]): row for row in json.loads(done.stdout)["results"][0]["accesses"]}
            own = {tensor: {key: rows["GLB", tensor][key] for key in row} for tensor, row in counts.items()}
            held = rows["GLB", "T"]["max_resident"]
            if own == counts and held == kept and ("DRAM", "T") not in rows:
                equal += 1
            else:
                print(program, "perfc", own, held, "executed", counts, kept)
    print(f"{equal} of {count} equal")


main()
