# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random pairs of fused statements (a convolution after a convolution, a product after a product), counted by perfc and by
execution: tile by tile, with sets of the elements that are touched, held, made and read.

usage: fused_random.py PERFC COUNT SEED
"""
import itertools
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

CHIP = """hardware chip {
  clock 1GHz
  dtype int8
  memory DRAM { energy 64pJ }
  memory GLB { energy 4pJ }
  memory RF { energy 1pJ }
  compute MAC { rate 1/cycle; energy 1pJ }
}
"""
CONV = """op pair(I[C, X], W1[M, C, R]: weight, W2[K, M, S]: weight, H, stride = 1, P) -> O[K, P] {
  where y < H
  T[m, y] += I[c, y + r] * W1[m, c, r]
  O[k, p] += T[m, p*stride + s] * W2[k, m, s]
}
"""
GEMM = """op pair(A[I, K], B[K, J]: weight, C[J, L]: weight) -> O[I, L] {
  T[i, j] += A[i, k] * B[k, j]
  O[i, l] += T[i, j] * C[j, l]
}
"""


class Statement:
    """A product: its index ranges, and per tensor the element that a point touches."""

    def __init__(self, extents, reads, write):
        self.extents, self.reads, self.write = extents, reads, write


def conv(rng):
    size = {"P": rng.choice([4, 6, 8, 12]), "R": rng.choice([1, 2, 3]), "S": rng.choice([1, 2, 3]), "K": rng.choice([1, 2, 4]),
            "M": rng.choice([1, 2]), "C": rng.choice([1, 2])}
    stride = rng.choice([1, 1, 2])
    size["H"] = (size["P"] - 1) * stride + size["S"]
    size["X"] = size["H"] + size["R"] - 1
    first = Statement({"m": size["M"], "y": size["H"], "c": size["C"], "r": size["R"]},
                      {"I": lambda i: (i["c"], i["y"] + i["r"]), "W1": lambda i: (i["m"], i["c"], i["r"])},
                      lambda i: (i["m"], i["y"]))
    second = Statement({"k": size["K"], "p": size["P"], "m": size["M"], "s": size["S"]},
                       {"T": lambda i: (i["m"], i["p"] * stride + i["s"]), "W2": lambda i: (i["k"], i["m"], i["s"])},
                       lambda i: (i["k"], i["p"]))
    inner = {"y": 1, "m": size["M"], "c": size["C"], "r": size["R"], "s": size["S"]}
    call = ", ".join(f"{name} = {value}" for name, value in {**size, "stride": stride}.items())
    return CONV, call, first, second, ["p", "k"], inner


def gemm(rng):
    size = {name: rng.choice([1, 2, 4, 6]) for name in "IJKL"}
    first = Statement({"i": size["I"], "j": size["J"], "k": size["K"]},
                      {"A": lambda i: (i["i"], i["k"]), "B": lambda i: (i["k"], i["j"])}, lambda i: (i["i"], i["j"]))
    second = Statement({"i": size["I"], "l": size["L"], "j": size["J"]},
                       {"T": lambda i: (i["i"], i["j"]), "C": lambda i: (i["j"], i["l"])}, lambda i: (i["i"], i["l"]))
    call = ", ".join(f"{name} = {value}" for name, value in size.items())
    return GEMM, call, first, second, ["i", "j", "l"], {"k": size["K"]}


def divisor(rng, number):
    return rng.choice([d for d in range(1, number + 1) if number % d == 0])


def points(statement, ranges):
    names = list(statement.extents)
    for values in itertools.product(*(ranges.get(name, range(statement.extents[name])) for name in names)):
        yield dict(zip(names, values))


def hull(elements):
    """Tiles are made as boxes, gaps included."""
    return set(itertools.product(*(range(min(rank), max(rank) + 1) for rank in zip(*elements))))


class Memory:
    """GLB below DRAM: what it holds of each tensor, and what moved."""

    def __init__(self):
        self.held, self.sums, self.outside, self.counts = {}, {}, set(), {}

    def count(self, tensor, key, number):
        row = self.counts.setdefault(tensor, {"fills": 0, "reads": 0, "updates": 0, "writebacks": 0})
        row[key] += number

    def need(self, tensor, elements):
        self.count(tensor, "fills", len(elements - self.held.get(tensor, set())))
        self.held[tensor] = elements

    def result(self, tensor, elements):
        """Partial sums that leave go up; those that come back are read."""
        before = self.held.get(tensor, set())
        self.leave(tensor, before - elements)
        back = (elements - before) & self.outside
        self.count(tensor, "fills", len(back))
        self.outside -= back
        self.sums.setdefault(tensor, set()).update(back)
        self.held[tensor] = elements

    def leave(self, tensor, elements):
        self.count(tensor, "writebacks", len(elements))
        self.outside |= elements
        self.sums.setdefault(tensor, set()).difference_update(elements)

    def update(self, tensor, element):
        sums = self.sums.setdefault(tensor, set())
        self.count(tensor, "updates", 1)
        self.count(tensor, "reads", element in sums)
        sums.add(element)


def run_tile(memory, statement, work, output, fused):
    for tensor, element in statement.reads.items():
        touched = {element(point) for point in work}
        if tensor not in fused:
            memory.need(tensor, touched)
        else:
            assert touched <= memory.held[tensor], "a tile that was not made"
        memory.count(tensor, "reads", len(work))
    if output not in fused:
        memory.result(output, {statement.write(point) for point in work})
    for point in work:
        memory.update(output, statement.write(point))


def execute(first, second, shared, tiles, retain):
    """`shared`: (index, steps) outermost first; `tiles`: values of an index inside."""
    memory, made = Memory(), set()
    before = None
    for numbers in itertools.product(*(range(steps) for _, steps in shared)):
        ranges = {index: range(0, tiles.get(index, extent)) for index, extent in second.extents.items()}
        for (index, _), number in zip(shared, numbers):
            low = number * tiles[index]
            ranges[index] = range(low, min(low + tiles[index], second.extents[index]))
        work = list(points(second, ranges))
        needed = hull({second.reads["T"](point) for point in work})
        if needed != before:  # a tile of T begins
            new = needed - made if retain else needed
            memory.sums["T"] = set() if not retain else memory.sums.get("T", set()) & needed
            producing = [point for point in points(first, {}) if first.write(point) in new]
            memory.held["T"] = needed
            run_tile(memory, first, producing, "T", {"T"}) if producing else None
            made |= needed
            before = needed
        run_tile(memory, second, work, "O", {"T"})
    memory.leave("O", memory.held["O"])
    return memory.counts


def case(rng):
    text, call, first, second, order, inner = rng.choice([conv, gemm])(rng)
    isConv = "y" in inner
    tiles = {index: divisor(rng, second.extents[index]) for index in order}
    order = list(order)
    if not isConv:
        rng.shuffle(order)
    else:  # tiles of T would be left and made again for each k outside p
        order = ["p", "k"]
    shared = [(index, second.extents[index] // tiles[index]) for index in order]
    retain = isConv and rng.random() < 0.5
    if retain:
        tiles["k"] = second.extents["k"]
        shared = [(index, second.extents[index] // tiles[index]) for index in order]
    if not isConv:  # T moves with i and j: l must not come back to its tiles
        moved = [number for number, (index, steps) in enumerate(shared) if index != "l" and steps > 1]
        if moved and moved[-1] > order.index("l"):
            tiles["l"] = second.extents["l"]
            shared = [(index, second.extents[index] // tiles[index]) for index in order]
    cut = rng.randint(0, len(shared))
    lines = ["  fuse T at GLB" + (" halo retain" if retain else "")]
    for place, loops in (("DRAM", shared[:cut]), ("GLB", shared[cut:])):
        if loops:
            lines.append(f"  at {place} for " + ", ".join(f"{index} = {steps}" for index, steps in loops))
    inside = {**{index: tiles[index] for index in order}, **inner}
    lines.append("  at RF for " + ", ".join(f"{index} = {steps}" for index, steps in inside.items()))
    tensors = list(first.reads) + list(second.reads) + ["O"]
    lines.append(f"  bypass {', '.join(tensors)} at RF")
    mapping = "mapping fused for pair on chip {\n" + "\n".join(lines) + "\n}\n"
    program = f"{text}{CHIP}{mapping}evaluate pair({call}) on chip with fused using loopnest\n"
    return program, in_glb(execute(first, second, shared, tiles, retain), {"T"})


def in_glb(counts, fused):
    """Counts of GLB; what is `fused` is not outside it."""
    return {**{("GLB", tensor): row for tensor, row in counts.items()}, **{("DRAM", tensor): None for tensor in fused}}


def compare(case):
    """Runs COUNT random cases, each a program and counts by memory and tensor, None where a tensor is not in a memory."""
    perfc, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    equal = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fused.perf"
        for _ in range(count):
            program, expected = case(rng)
            path.write_text(program)
            done = subprocess.run([perfc, "run", path, "--json"], capture_output=True, text=True, timeout=60)
            if done.returncode:
                print(program, done.stderr)
                continue
            rows = {(row["memory"], row["tensor"]): row for row in json.loads(done.stdout)["results"][0]["accesses"]}
            own = {key: {name: rows[key][name] for name in row or {}} if key in rows else None for key, row in expected.items()}
            if own == expected:
                equal += 1
            else:
                print(program, "perfc", own, "executed", expected)
    print(f"{equal} of {count} equal")


if __name__ == "__main__":
    compare(case)
