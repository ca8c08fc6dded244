# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chips of several arrays and of units outside of them.

`plain` has one array of units that multiply; `beside` has parts beside that array which cannot do so: vector units, empty
arrays, memories of others. They change nothing for a product. `general` has units beside it that can. No chip may be faster
than all of its units that can do an operation, nor move more bytes than its memories do; what an operation needs from the
outermost memory it reads at least once.
"""
import random
from dataclasses import dataclass

from case import Case

SLACK = 1 + 1e-9
FUNCTIONS = ["exp", "tanh", "sqrt", "max", "add", "mul"]


@dataclass
class Unit:
    """A unit that multiplies (no `ops`) or does element functions; all copies together do `peak` operations per cycle."""

    peak: int
    ops: tuple[str, ...] = ()

    def can(self, operation: str) -> bool:
        return not self.ops or operation in self.ops


def unit(rng, name, copies, ops=()):
    rate = rng.choice([1, 1, 2, 4])
    listed = f"; ops {', '.join(ops)}" if ops else ""
    return f"compute {name} {{ rate {rate}/cycle; energy 1pJ{listed} }}", Unit(rate * copies, tuple(ops))


def useless(rng, index):
    """A part beside the array which no product can use, as text, with its units."""
    ops = rng.sample(FUNCTIONS, rng.randint(1, 3))
    lanes = rng.choice([2, 8, 32, 100])
    kind = rng.choice(["unit", "array", "empty", "memory", "fed"])
    if kind == "unit":
        text, made = unit(rng, f"V{index}", 1, ops)
        return text, [made]
    if kind == "empty":
        return f"array E{index}[{lanes}]", []
    if kind == "memory":
        return f"array E{index}[{lanes}] {{ memory L{index} {{ capacity 1KiB; energy 1pJ }} }}", []
    text, made = unit(rng, f"V{index}", lanes, ops)
    memory = f"memory L{index} {{ capacity 64B; energy 1pJ }}; " if kind == "fed" else ""
    return f"array A{index}[{lanes}] {{ {memory}{text} }}", [made]


def able(rng, index):
    """A part beside the array which can multiply."""
    lanes = rng.choice([1, 1, 4, 16])
    text, made = unit(rng, f"G{index}", lanes)
    return (text if lanes == 1 else f"array B{index}[{lanes}] {{ {text} }}"), [made]


def chip(name, parts):
    return "hardware " + name + " {\n  clock 1GHz\n  dtype int8\n  " + "\n  ".join(parts) + "\n}\n"


class Chips:
    """The three chips, their units, and the bandwidth of the outermost memory, in bytes per cycle."""

    def __init__(self, rng):
        self.bandwidth = rng.choice([4, 16, 64, 256])
        memories = [f"memory DRAM {{ bandwidth {self.bandwidth}B/cycle; energy 10pJ }}"]
        if rng.random() < 0.7:
            memories.append(f"memory GLB {{ capacity {rng.choice([4, 16, 64])}KiB; "
                            f"bandwidth {rng.choice([16, 64, 256])}B/cycle; energy 2pJ }}")
        x, y = rng.randint(1, 8), rng.randint(1, 8)
        register = f"memory RF {{ capacity {rng.choice([16, 64, 256])}B; energy 1pJ }}; " if rng.random() < 0.8 else ""
        multiplier, own = unit(rng, "MAC", x * y)
        array = f"array PE[x = {x}, y = {y}] {{ {register}{multiplier} }}"
        self.units = {"plain": [own], "beside": [own], "general": [own]}
        parts = {"plain": memories + [array]}
        for name, make in (("beside", useless), ("general", able)):
            parts[name] = list(parts["plain"])
            for index in range(rng.randint(1, 3)):
                text, units = make(rng, index)
                parts[name].insert(rng.randint(1, len(parts[name])), text)
                self.units[name] += units
        self.text = "\n".join(chip(name, text) for name, text in parts.items())

    def peak(self, name, operation, together):
        """Operations per cycle: of all units that can do it, or of the fastest one."""
        return (sum if together else max)(u.peak for u in self.units[name] if u.can(operation))


def resources(result):
    """What says that something is busy for longer than the whole takes."""
    latency = result["metrics"]["latency"] * SLACK
    label = result["label"]
    wrong = [f"{label}: memory {memory['name']} is busy for {memory['latency']} s of {latency}"
             for memory in result["memories"] if (memory["latency"] or 0) > latency]
    if result["metrics"]["utilization"] > SLACK:
        wrong.append(f"{label}: utilization {result['metrics']['utilization']}")
    return wrong


def case(rng: random.Random) -> Case:
    chips = Chips(rng)
    m, n, k = (rng.randint(1, 64) for _ in range(3))
    function = rng.choice(["exp", "tanh", "sqrt"])
    statements, expected = [], {}
    for name in chips.units:
        for how in ("", " using roofline"):
            together = how != ""
            for subject, operation, points, moved in (
                    (f"matmul(M = {m}, N = {n}, K = {k})", "mac", m * n * k, m * k + k * n + m * n),
                    (f"apply(M = {m}, N = {n})", function, m * n, 2 * m * n)):
                key = f"{name}_{operation}{how.replace(' using ', '_')}"
                statements.append(f"evaluate {subject} on {name}{how} as {key}")
                expected[key] = max(points / chips.peak(name, operation, together), moved / chips.bandwidth)
        statements.append(f"search matmul(M = {m}, N = {n}, K = {k}) on {name} minimize latency within 5s")
        expected[f"{name}_search"] = expected[f"{name}_mac"]

    def check(document):
        found = {f"{result['on']}_search" if result["name"] == "search" else result["name"]: result
                 for result in document["results"]}
        wrong = [line for result in found.values() for line in resources(result)]
        for key, cycles in expected.items():
            if key not in found:
                wrong.append(f"{key}: no result")
            elif found[key]["metrics"]["cycles"] * SLACK < cycles:
                wrong.append(f"{key}: {found[key]['metrics']['cycles']} cycles, at least {cycles}")
        for metric in ("cycles", "energy"):
            for how in ("mac", "mac_roofline"):
                plain, beside = (found[f"{name}_{how}"]["metrics"][metric] for name in ("plain", "beside"))
                if plain != beside:
                    wrong.append(f"{how}: {metric} {plain} on `plain`, {beside} on `beside`")
        return wrong

    text = (f"import std.ops.matmul\nop apply(X[M, N]) -> Y[M, N] {{ Y[m, n] = {function}(X[m, n]) }}\n" + chips.text + "\n"
            + "\n".join(statements) + "\n")
    return Case(text, check)
