# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives on systems of one or two levels, of every topology.

No chip sends or receives what a collective needs in less than the time that its links take. On one switch, and on a fat tree
without oversubscription, rings take as long as their closed form says. More bandwidth at any level and less oversubscription
never take longer, but for an exchange of all with all over several links: there messages queue, and a faster link may change
their order at another one (docs/cost-model.md).
"""
import random

from case import Case

KINDS = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce"]
SLACK = 1 + 1e-6
ROUNDING = 1e-10  # s: messages take whole picoseconds, one after the other
QUEUES = 1.01  # an order that arrivals decide need not be the best one


def topology(rng, members, chips):
    """A topology between so many members, with those that have less oversubscription, the least one last."""
    kind = rng.choice(["switch", "ring", "fully_connected", "mesh", "torus", "fat_tree", "fat_tree", "fat_tree", "dragonfly",
                       "tree", "bus"])
    if kind == "fat_tree":
        radix = rng.randint(2, 2 * chips)
        ratios = sorted({round(rng.uniform(1, 6), rng.choice([0, 1, 2])) for _ in range(3)} | {1}, reverse=True)
        return kind, [f"fat_tree(radix = {radix}, oversubscription = {ratio})" for ratio in ratios]
    if kind in ("mesh", "torus"):
        first = rng.choice([n for n in range(1, members + 1) if members % n == 0])
        return kind, [f"{kind}({first}, {members // first})"]
    if kind == "dragonfly":
        groups = rng.choice([n for n in range(1, members + 1) if members % n == 0])
        return kind, [f"dragonfly(groups = {groups}, routers = 1, hosts = {members // groups})"]
    return kind, [f"tree(radix = {rng.randint(2, 5)})" if kind == "tree" else kind]


def case(rng: random.Random) -> Case:
    below, members = rng.choice([1, 1, 2, 3, 4, 8]), rng.randint(2, 8)
    chips = below * members
    inner = {"bandwidth": rng.randint(1, 500), "latency": rng.randint(0, 9)}
    outer = {"bandwidth": rng.randint(1, 200), "latency": rng.randint(0, 9)}
    kind, shapes = topology(rng, members, chips)
    collective, size = rng.choice(KINDS), rng.choice([rng.randint(1, 4096), rng.randint(4096, 1 << 26)])
    text = "import std.networks\nhardware chip { clock 1GHz; memory M { off_chip; bandwidth 1TB/s } }\nnetwork wire { topology switch }\n"
    # Each system can do what the one before it can, and more.
    steps = [(1, 1, shape) for shape in shapes] + [(1.5, 1, shapes[-1]), (1.5, 1.5, shapes[-1]), (4, 1.5, shapes[-1])]
    for index, (wide, near, shape) in enumerate(steps):
        node = f"  node = {below} * chip over wire {{ bandwidth {inner['bandwidth'] * near}GB/s/chip; latency {inner['latency']}us }}\n"
        text += (f"system s{index} {{\n" + (node if below > 1 else "")
                 + f"  all = {members} * {'node' if below > 1 else 'chip'} over wire {{ bandwidth {outer['bandwidth'] * wide}GB/s/chip; "
                 + f"latency {outer['latency']}us; topology {shape} }}\n}}\nevaluate {collective}({size}B) on s{index} as r{index}\n")

    def least(wide, near):
        """s that the bytes of a chip take on all of its links together."""
        out = (outer["bandwidth"] * wide + (inner["bandwidth"] * near if below > 1 else 0)) * 1e9
        sent = {"all_reduce": 2 * (chips - 1) / chips, "all_to_all": (chips - 1) / chips,
                "broadcast": 1 / chips, "reduce": 1 / chips}.get(collective, (chips - 1) / chips)
        across = (chips - below) / chips * size / (outer["bandwidth"] * wide * 1e9) if collective == "all_to_all" else 0
        return max(sent * size / out, across)

    def ring(wide):
        """s of a ring on one switch; nothing for what has no such form."""
        steps = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1}.get(collective)
        one = outer["latency"] * 1e-6 + size / chips / (outer["bandwidth"] * wide * 1e9)
        return steps and steps * (chips - 1) * one

    def check(document):
        found = [result["metrics"]["latency"] for result in document["results"]]
        wrong = [f"{len(found)} results of {len(steps)}"] if len(found) != len(steps) else []
        for (wide, near, shape), seconds in zip(steps, found):
            if seconds * SLACK + ROUNDING < least(wide, near):
                wrong.append(f"{shape}: {seconds} s, at least {least(wide, near)} s")
            exact = ring(wide) if below == 1 and (kind == "switch" or shape.endswith("oversubscription = 1)")) else None
            if exact and abs(seconds - exact) > 1e-6 * exact + ROUNDING:
                wrong.append(f"{shape}: {seconds} s, by its form {exact} s")
        slack = QUEUES if collective == "all_to_all" and below > 1 else SLACK
        for before, after, step in zip(found, found[1:], steps[1:]):
            if after > before * slack + ROUNDING:
                wrong.append(f"{step}: {after} s, with less of it {before} s")
        return wrong

    return Case(text, check)
