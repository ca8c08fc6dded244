# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with zeros in one or both operands, on lanes that wait for each other.

Lanes (m, n) make results of their own: those of a row share A, those of a column share B. Each runs T values of k by itself,
then they wait for the slowest. The steps are simulated on random zeros, as many in each tensor as its density says. Where one
operand is shared by all lanes the expected steps are what perfc prints; with rows and columns they are at most that. Leaving
out points at the zeros of one more operand is never slower, and no faster than the points that are left over all lanes.
"""
import random

from case import Case

ROUNDS = 60
SLACK = 1 + 1e-9


class Product:
    def __init__(self, rng):
        self.rows, self.columns, self.stretch = rng.choice([1, 1, 2, 3, 4]), rng.choice([1, 2, 4, 6]), rng.choice([1, 1, 2, 4, 8])
        self.outer = {"m": rng.randint(1, 3), "n": rng.randint(1, 3), "k": rng.randint(1, 6)}
        self.m, self.n = self.rows * self.outer["m"], self.columns * self.outer["n"]
        self.k = self.stretch * self.outer["k"]
        size = {"A": self.m * self.k, "B": self.k * self.n}
        wanted = {"A": rng.choice([0.1, 0.25, 0.5, 0.9]), "B": rng.choice([0.1, 0.25, 0.5, 1])}
        # Whole numbers of nonzeros.
        self.nonzeros = {name: max(1, round(wanted[name] * size[name])) for name in size}
        self.density = {name: self.nonzeros[name] / size[name] for name in size}

    @property
    def points(self):
        return self.m * self.n * self.k

    def text(self):
        order = ", ".join(f"{index} = {factor}" for index, factor in self.outer.items())
        a, b = (f"tensor {name} {{ density {100 * share}% }}" for name, share in self.density.items())
        return f"""import std.ops.matmul
hardware chip {{
  clock 1GHz
  dtype int8
  memory Ram {{ energy 1pJ }}
  array PE[x = {self.columns}, y = {self.rows}] {{
    memory Reg {{ capacity 4word; energy 1pJ; keep output }}
    compute MAC {{ rate 1/cycle; energy 1pJ }}
  }}
}}
mapping lanes for matmul on chip {{
  at Ram for {order}
  at PE.y parallel m = {self.rows}
  at PE.x parallel n = {self.columns}
  at Reg for k = {self.stretch}
}}
let product = matmul(M = {self.m}, N = {self.n}, K = {self.k})
evaluate product on chip with lanes as dense
evaluate product on chip with lanes as a {{ {a}; skip B when A == 0 }}
evaluate product on chip with lanes as b {{ {b}; skip A when B == 0 }}
evaluate product on chip with lanes as both {{ {a}; {b}; skip B when A == 0; skip A when B == 0 }}
evaluate product on chip with lanes as gated {{ {a}; {b}; skip B when A == 0; gate A when B == 0 }}
"""

    def mask(self, rng, name, size):
        """Which elements are nonzero."""
        count = self.nonzeros[name]
        flags = [True] * count + [False] * (size - count)
        rng.shuffle(flags)
        return flags

    def steps(self, rng):
        """Steps of one run where both operands have zeros."""
        a, b = self.mask(rng, "A", self.m * self.k), self.mask(rng, "B", self.k * self.n)
        total = 0
        for m0 in range(0, self.m, self.rows):
            for n0 in range(0, self.n, self.columns):
                for k0 in range(0, self.k, self.stretch):
                    total += max(
                        sum(a[m * self.k + k] and b[k * self.n + n] for k in range(k0, k0 + self.stretch))
                        for m in range(m0, m0 + self.rows) for n in range(n0, n0 + self.columns))
        return total


def case(rng: random.Random) -> Case:
    product = Product(rng)
    simulated = [product.steps(rng) for _ in range(ROUNDS)]
    mean = sum(simulated) / ROUNDS
    # Three standard errors of the mean, the rounding of a count, and how far few elements are from independent ones.
    error = 3 * (sum((s - mean) ** 2 for s in simulated) / ROUNDS / ROUNDS) ** 0.5 + 1 + 0.06 * mean

    def check(document):
        cycles = {result["name"]: result["metrics"]["cycles"] for result in document["results"]}
        energy = {result["name"]: result["metrics"]["energy"] for result in document["results"]}
        wrong = []
        if cycles["both"] > min(cycles["a"], cycles["b"]) * SLACK:
            wrong.append(f"zeros of both take {cycles['both']} steps, of one {cycles['a']} and {cycles['b']}")
        if max(cycles["a"], cycles["b"]) > cycles["dense"]:
            wrong.append(f"zeros of one take {cycles['a']} and {cycles['b']} steps of {cycles['dense']}")
        if cycles["gated"] != cycles["a"]:
            wrong.append(f"gating changes {cycles['a']} steps to {cycles['gated']}")
        if energy["both"] > energy["dense"] * SLACK:
            wrong.append(f"zeros take {energy['both']} J, without {energy['dense']}")
        least = product.points / (product.rows * product.columns) * product.density["A"] * product.density["B"]
        if cycles["both"] < least - 1:
            wrong.append(f"{cycles['both']} steps, of points alone {least}")
        if cycles["both"] < mean - error:
            wrong.append(f"zeros of both take {cycles['both']} steps, simulated {mean} +- {error}")
        if 1 in (product.rows, product.columns) and cycles["both"] > mean + error:
            wrong.append(f"zeros of both take {cycles['both']} steps, simulated {mean} +- {error}")
        return wrong

    return Case(product.text(), check)
