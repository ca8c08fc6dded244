# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equations over domains with conditions: windows, triangles, strides, padding, indices in several ranks.

What each access touches is found by a walk over all points. On the roofline, and through a buffer that holds everything,
an operand moves exactly these elements; the multiply-accumulates are the points; tiles move no less. `--verify` has the
nests counted again by sets.
"""
import itertools
import random

from case import Case

NAMES = "ijkl"


class Affine:
    """constant + sum of coefficient * index."""

    def __init__(self, terms, constant=0):
        self.terms = {name: value for name, value in terms.items() if value}
        self.constant = constant

    def at(self, point):
        return self.constant + sum(value * point[name] for name, value in self.terms.items())

    def __str__(self):
        text = " + ".join(f"{value} * {name}" for name, value in self.terms.items())
        return f"{text} + {self.constant}" if text else str(self.constant)


def subscript(rng, names):
    """An index, a window or any other sum of a few indices."""
    if rng.random() < 0.5:
        return Affine({rng.choice(names): 1}, rng.choice([0, 0, 0, -1, 2]))
    chosen = rng.sample(names, min(len(names), rng.choice([1, 2, 2, 3])))
    return Affine({name: rng.choice([1, 1, 2, 3, -1]) for name in chosen}, rng.randint(-3, 3))


def condition(rng, names):
    chosen = rng.sample(names, min(len(names), rng.choice([1, 2, 2, 2, 3])))
    return Affine({name: rng.choice([1, 1, -1, -1, 2, -2]) for name in chosen}, rng.randint(-4, 6))


class Access:
    def __init__(self, rng, tensor, names):
        self.tensor = tensor
        self.ranks = [subscript(rng, names) for _ in range(rng.randint(1, 2))]

    def image(self, points, shape):
        found = set()
        for point in points:
            element = tuple(rank.at(point) for rank in self.ranks)
            if all(0 <= value < size for value, size in zip(element, shape)):
                found.add(element)
        return found

    def indices(self):
        return {name for rank in self.ranks for name in rank.terms}

    def __str__(self):
        return f"{self.tensor}[{', '.join(map(str, self.ranks))}]"


class Equation:
    """One sum of products whose indices all occur in it, with the points of its domain."""

    def __init__(self, rng):
        self.names = list(NAMES[:rng.randint(2, 4)])
        self.extents = {name: rng.randint(1, 7) for name in self.names}
        self.reads = [Access(rng, "A", self.names), Access(rng, "B", self.names)]
        if rng.random() < 0.3:  # a second read of the same tensor
            other = Access(rng, "A", self.names)
            other.ranks = (other.ranks * 2)[:len(self.reads[0].ranks)]
            self.reads.append(other)
        self.write = Access(rng, "O", self.names)
        unused = set(self.names) - set().union(*(access.indices() for access in (self.write, *self.reads)))
        for name in unused:
            self.reads[1].ranks.append(Affine({name: 1}))
        self.conditions = [condition(rng, self.names) for _ in range(rng.choice([0, 1, 1, 2]))]
        box = itertools.product(*(range(self.extents[name]) for name in self.names))
        self.box = [dict(zip(self.names, values)) for values in box]
        self.points = [point for point in self.box if all(one.at(point) >= 0 for one in self.conditions)]
        self.shapes = {}
        for access in (self.write, *self.reads):
            self.shapes.setdefault(access.tensor, [])
            shape = [max(1, max(rank.at(point) for point in self.box) + 1 - rng.choice([0, 0, 0, 2])) for rank in access.ranks]
            known = self.shapes[access.tensor]
            self.shapes[access.tensor] = [max(pair) for pair in itertools.zip_longest(known, shape, fillvalue=1)]

    def moved(self):
        """Elements that all accesses of each tensor touch."""
        touched = {}
        for access in (self.write, *self.reads):
            touched.setdefault(access.tensor, set()).update(access.image(self.points, self.shapes[access.tensor]))
        return {tensor: len(elements) for tensor, elements in touched.items()}

    def movedApart(self):
        """Elements of all different accesses: a nest loads each by itself."""
        different = {str(access): access for access in (self.write, *self.reads)}.values()
        return sum(len(access.image(self.points, self.shapes[access.tensor])) for access in different)

    def text(self):
        def ranks(tensor):
            return f"{tensor}[{', '.join(map(str, self.shapes[tensor]))}]"

        lines = [f"where {name} < {extent}" for name, extent in self.extents.items()]
        lines += [f"where {one} >= 0" for one in self.conditions]
        product = " * ".join(map(str, self.reads))
        return (f"op random({ranks('A')}, {ranks('B')}) -> {ranks('O')} {{\n  " + "\n  ".join(lines)
                + f"\n  {self.write} += {product}\n}}\n")


CHIPS = """hardware flat {
  clock 1GHz
  dtype int8
  memory DRAM { bandwidth 4B/cycle; energy 10pJ }
  memory ALL { energy 1pJ }
  compute MAC { rate 1/cycle; energy 1pJ }
}
hardware gpu {
  clock 1GHz
  dtype int8
  memory DRAM { bandwidth 4B/cycle; energy 10pJ }
  memory L2 { bandwidth 16B/cycle; energy 1pJ }
  array SM[4] {
    dispatch blocks
    compute MAC { rate 1/cycle; energy 1pJ }
  }
}
"""


def case(rng: random.Random) -> Case:
    equation = Equation(rng)
    while not equation.points or not all(equation.moved().values()):
        equation = Equation(rng)
    moved = sum(equation.moved().values())
    loops = ", ".join(f"{name} = rest" for name in equation.names)
    text = (equation.text() + CHIPS + f"mapping whole for random on flat {{ at ALL for {loops} }}\n"
            + f"evaluate random() on flat using roofline as roofline\n"
            + f"evaluate random() on flat with whole as nest\n"
            + f"evaluate random() on flat using loopnest as default\n"
            + f"evaluate random() on gpu using tile as tile\n")

    def check(document):
        found = {result["name"]: result for result in document["results"]}
        wrong = []
        for name, result in found.items():
            if result["metrics"]["macs"] != len(equation.points):
                wrong.append(f"{name}: {result['metrics']['macs']} MACs of {len(equation.points)}")
            traffic = {memory["name"]: memory["read_bytes"] + memory["write_bytes"] for memory in result["memories"]}
            exact = {"roofline": moved, "nest": equation.movedApart()}.get(name, traffic["DRAM"])
            if traffic["DRAM"] < moved or traffic["DRAM"] != exact:
                wrong.append(f"{name}: DRAM moves {traffic['DRAM']} of {moved} bytes, exactly {exact}")
            if traffic.get("L2", moved) < moved:
                wrong.append(f"{name}: L2 moves {traffic['L2']} of {moved} bytes")
            if result["metrics"]["utilization"] > 1 + 1e-9:
                wrong.append(f"{name}: utilization {result['metrics']['utilization']}")
        return wrong if len(found) == 4 else wrong + [f"{len(found)} results of 4"]

    return Case(text, check, ["--verify"])
