# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random chains of two or three two-dimensional convolutions, fused with `halo retain` along one index or both, counted by
perfc and by execution with sets: what makes an intermediate runs ahead in tiles as large as what a step of its reader needs
anew, in the order of the shared loops, until that step has all it needs. Compared are all counts of GLB, and of what is
between the convolutions the elements held at most, those that are made and still needed. In some chains of three the first
intermediate is made again for each tile of the second.

usage: fused_halos.py PERFC COUNT SEED
"""
import itertools
import random

from fused_random import CHIP, Memory, Statement, compare, divisor, hull, in_glb, points, run_tile

PAIR = """op chain(I[C, Y, X], W1[M, C, R, U]: weight, W2[K, M, S, V]: weight, H, G, a = 1, b = 1, P, Q) -> O[K, P, Q] {
  where y < H and x < G
  T[m, y, x] += I[c, y + r, x + u] * W1[m, c, r, u]
  O[k, p, q] += T[m, p*a + s, q*b + v] * W2[k, m, s, v]
}
"""
TRIPLE = """op chain(I[C, Y, X], W0[N, C, E, F]: weight, W1[M, N, R, U]: weight, W2[K, M, S, V]: weight, HS, GS, H, G, a = 1, b = 1,
         d = 1, e = 1, P, Q) -> O[K, P, Q] {
  where z < HS and w < GS and y < H and x < G
  S1[n, z, w] += I[c, z + g, w + f] * W0[n, c, g, f]
  T[m, y, x] += S1[n, y*d + r, x*e + u] * W1[m, n, r, u]
  O[k, p, q] += T[m, p*a + s, q*b + v] * W2[k, m, s, v]
}
"""


class Making:
    """An intermediate: who makes it, and the boxes in which it is made, in order; `again`: anew for each tile of its reader."""

    def __init__(self, tensor, statement, names, boxes, again=False):
        self.tensor, self.statement, self.names, self.boxes, self.again = tensor, statement, names, boxes, again

    def work(self, box):
        return list(points(self.statement, dict(zip(self.names, (range(*bounds) for bounds in box)))))


class Chain:
    """Executes the last statement in tiles, `works`, and what comes before it as far as they need it."""

    def __init__(self, makings, last, works):
        self.memory, self.makings, self.last, self.works = Memory(), makings, last, works
        self.fused = {making.tensor for making in makings}
        self.made = [set() for _ in makings]
        self.kept = {making.tensor: 0 for making in makings}
        self.streams, self.later = [], []
        for number, making in enumerate(makings):
            reader = makings[number + 1].statement if number + 1 < len(makings) else last
            steps = [makings[number + 1].work(box) for box in makings[number + 1].boxes] if number + 1 < len(makings) else works
            needs = [hull({reader.reads[making.tensor](point) for point in step}) for step in steps]
            later = [set() for _ in needs] + [set()]
            for step in reversed(range(len(needs))):
                later[step] = later[step + 1] | needs[step]
            self.streams.append(iter(enumerate(making.boxes)))
            self.later.append(list(zip(needs, later)))

    def make(self, number, step, box):
        """One tile of an intermediate, the `step`th."""
        making = self.makings[number]
        if number > 0:
            self.provide(number - 1, step)
        self.memory.sums[making.tensor] = set()  # each element is made in one tile
        self.memory.held[making.tensor] = self.made[number]
        before = self.makings[number - 1].tensor if number > 0 else None
        self.made[number] |= set(itertools.product(*(range(*bounds) for bounds in box)))
        run_tile(self.memory, making.statement, making.work(box), making.tensor, {making.tensor, before})

    def provide(self, number, step):
        """What the `step`th tile of the reader needs."""
        needs, later = self.later[number][step]
        making = self.makings[number]
        if making.again and needs != self.made[number]:
            self.made[number] = set()
            self.make(number, step, [(min(rank), max(rank) + 1) for rank in zip(*needs)])
        else:
            while not needs <= self.made[number]:
                self.make(number, *next(self.streams[number]))
        self.memory.held[making.tensor] = self.made[number]
        self.kept[making.tensor] = max(self.kept[making.tensor], len(self.made[number] & later))

    def run(self):
        for step, work in enumerate(self.works):
            self.provide(len(self.makings) - 1, step)
            run_tile(self.memory, self.last, work, "O", self.fused)
        self.memory.leave("O", self.memory.held["O"])
        for tensor, kept in self.kept.items():
            self.memory.counts[tensor]["max_resident"] = kept
        return self.memory.counts


def ends_of(ends, step, stride, taps):
    """Where the tiles of an index end, by the ends of its reader's, which take `step` values anew: what the first needs besides
    comes before it, ragged at the front."""
    ends = [(end - 1) * stride + taps for end in ends]
    return list(range(ends[0] % step or step, ends[0], step)) + ends if len(ends) > 1 else ends


def boxes_of(ends, order, names):
    """All tiles, in the order of the indices `order`."""
    tiles = {name: list(zip([0] + ends[name], ends[name])) for name in order}
    for tile in itertools.product(*(tiles[name] for name in order)):
        yield [dict(zip(order, tile))[name] for name in names]


def sizes(rng, isTriple):
    size = {"P": rng.choice([2, 4, 6]), "Q": rng.choice([2, 4, 6]), "a": rng.choice([1, 1, 2]), "b": rng.choice([1, 1, 2]),
            "K": rng.choice([1, 2]), "M": rng.choice([1, 2]), "C": 1}
    # A stride larger than the window leaves gaps, which are no halo.
    size["S"], size["V"] = max(size["a"], rng.choice([1, 2, 3])), max(size["b"], rng.choice([1, 2, 3]))
    size["H"], size["G"] = (size["P"] - 1) * size["a"] + size["S"], (size["Q"] - 1) * size["b"] + size["V"]
    size["R"], size["U"] = rng.choice([1, 2]), rng.choice([1, 2])
    if not isTriple:
        size["Y"], size["X"] = size["H"] + size["R"] - 1, size["G"] + size["U"] - 1
        return size
    size.update({"N": rng.choice([1, 2]), "d": rng.choice([1, 1, 2]), "e": rng.choice([1, 1, 2]), "E": rng.choice([1, 2]), "F": 1})
    size["R"], size["U"] = max(size["d"], size["R"]), max(size["e"], size["U"])
    size["HS"], size["GS"] = (size["H"] - 1) * size["d"] + size["R"], (size["G"] - 1) * size["e"] + size["U"]
    size["Y"], size["X"] = size["HS"] + size["E"] - 1, size["GS"] + size["F"] - 1
    return size


def case(rng):
    isTriple = rng.random() < 0.5
    size = sizes(rng, isTriple)
    a, b, d, e = size["a"], size["b"], size.get("d", 1), size.get("e", 1)
    before = "S1" if isTriple else "I"
    channel = "n" if isTriple else "c"
    makesT = Statement({"m": size["M"], "y": size["H"], "x": size["G"], channel: size[channel.upper()], "r": size["R"],
                        "u": size["U"]},
                       {before: lambda i: (i[channel], i["y"] * d + i["r"], i["x"] * e + i["u"]),
                        "W1": lambda i: (i["m"], i[channel], i["r"], i["u"])},
                       lambda i: (i["m"], i["y"], i["x"]))
    last = Statement({"k": size["K"], "p": size["P"], "q": size["Q"], "m": size["M"], "s": size["S"], "v": size["V"]},
                     {"T": lambda i: (i["m"], i["p"] * a + i["s"], i["q"] * b + i["v"]),
                      "W2": lambda i: (i["k"], i["m"], i["s"], i["v"])},
                     lambda i: (i["k"], i["p"], i["q"]))
    tiles = {index: divisor(rng, last.extents[index]) for index in "pqmk"}
    again = isTriple and rng.random() < 0.3 and (size["S"] - a) % (tiles["p"] * a) == 0 == (size["V"] - b) % (tiles["q"] * b)
    moved = list("pqm")
    rng.shuffle(moved)
    if isTriple:  # S1 stays while the channels of T change
        moved.sort(key=lambda index: index == "m")
    shared = []  # index, steps, values of the index in one step
    for index in moved + ["k"]:
        steps = last.extents[index] // tiles[index]
        outer = 1 if again else divisor(rng, steps)
        shared += [(index, outer, tiles[index]), (index, steps // outer, tiles[index])]
    ends = {index: list(range(tiles[index], last.extents[index] + 1, tiles[index])) for index in "pqm"}
    ofT = {"y": ends_of(ends["p"], tiles["p"] * a, a, size["S"]), "x": ends_of(ends["q"], tiles["q"] * b, b, size["V"]),
           "m": ends["m"]}
    order = [{"p": "y", "q": "x", "m": "m"}[index] for index in moved]
    makings = [Making("T", makesT, "myx", list(boxes_of(ofT, order, "myx")))]
    if isTriple:
        makesS = Statement({"n": size["N"], "z": size["HS"], "w": size["GS"], "c": size["C"], "g": size["E"], "f": size["F"]},
                           {"I": lambda i: (i["c"], i["z"] + i["g"], i["w"] + i["f"]),
                            "W0": lambda i: (i["n"], i["c"], i["g"], i["f"])},
                           lambda i: (i["n"], i["z"], i["w"]))
        ofS = {"z": ends_of(ofT["y"], tiles["p"] * a * d, d, size["R"]), "w": ends_of(ofT["x"], tiles["q"] * b * e, e, size["U"]),
               "n": [size["N"]]}
        order = [{"y": "z", "x": "w"}[index] for index in order if index != "m"] + ["n"]
        makings.insert(0, Making("S1", makesS, "nzw", list(boxes_of(ofS, order, "nzw")), again))
    chain = Chain(makings, last, list(works_of(last, shared)))
    return text_of(rng, size, shared, tiles, again), in_glb(chain.run(), chain.fused)


def works_of(last, shared):
    for numbers in itertools.product(*(range(steps) for _, steps, _ in shared)):
        low, size = {}, {}
        for (index, steps, tile), number in zip(shared, numbers):
            low[index] = low.get(index, 0) * steps + number
            size[index] = tile
        yield list(points(last, {index: range(low[index] * size[index], (low[index] + 1) * size[index]) for index in low}))


def text_of(rng, size, shared, tiles, again):
    isTriple = "N" in size
    lines = ["  fuse T at GLB halo retain"]
    if isTriple:
        lines.append("  fuse S1 at GLB" + ("" if again else " halo retain"))
    cut = rng.randint(0, len(shared))
    for place, loops in (("DRAM", shared[:cut]), ("GLB", shared[cut:])):
        if loops:
            lines.append(f"  at {place} for " + ", ".join(f"{index} = {steps}" for index, steps, _ in loops))
    inside = {**tiles, "y": 1, "x": 1, "c": size["C"], "r": size["R"], "u": size["U"], "s": size["S"], "v": size["V"]}
    bypassed = ["I", "W1", "W2", "T", "O"]
    if isTriple:
        inside.update({"n": size["N"], "z": 1, "w": 1, "g": size["E"], "f": size["F"]})
        bypassed += ["W0", "S1"]
    lines.append("  at RF for " + ", ".join(f"{index} = {steps}" for index, steps in inside.items()))
    lines.append(f"  bypass {', '.join(bypassed)} at RF")
    call = ", ".join(f"{name} = {value}" for name, value in size.items())
    return (TRIPLE if isTriple else PAIR) + CHIP + "mapping fused for chain on chip {\n" + "\n".join(lines) + "\n}\n" + \
        f"evaluate chain({call}) on chip with fused using loopnest\n"


if __name__ == "__main__":
    compare(case)
