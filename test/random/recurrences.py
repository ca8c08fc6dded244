# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equations that read what they set, under a random mapping: it runs if no point needs one that the loops run later or beside
it, tried pair by pair, and is an error if one does."""
import itertools
import random

from case import Case

EXTENT = 4
# What the equation reads of H[t, d], as text and as elements; `k` makes it a sum.
READS = {
    "t - 1, d": lambda t, d, k: (t - 1, d), "t + 1, d": lambda t, d, k: (t + 1, d),
    "t - 1, k": lambda t, d, k: (t - 1, k), "t - 2, d + 1": lambda t, d, k: (t - 2, d + 1),
    "t, d - 1": lambda t, d, k: (t, d - 1), "t - 1, d + 1": lambda t, d, k: (t - 1, d + 1),
    "t - 1, 3 - d": lambda t, d, k: (t - 1, 3 - d), "t, k - 2": lambda t, d, k: (t, k - 2),
    "2*t, d + 2": lambda t, d, k: (2*t, d + 2), "3 - t, d - 2": lambda t, d, k: (3 - t, d - 2),
}


def loops_of(rng: random.Random, indices: str) -> list[tuple[str, str, int]]:
    """Place, index and factor of loops that cover each index, outermost first."""
    loops = []
    for index in indices:
        for factor in rng.choice([[4], [2, 2], [2, 2]]):
            loops.append([rng.choice(["DRAM", "GLB", "PE", "RF"]), index, factor])
    rng.shuffle(loops)
    lanes = [loop for loop in loops if loop[0] == "PE"]
    for loop in lanes[1:]:
        loop[0] = rng.choice(["DRAM", "GLB", "RF"])
    loops.sort(key=lambda loop: ["DRAM", "GLB", "PE", "RF"].index(loop[0]))
    return [tuple(loop) for loop in loops]


def joined(loops):
    """Two loops over an index that stand at one place are one of both factors."""
    result = []
    for place, index, factor in loops:
        same = [i for i, other in enumerate(result) if other[:2] == (place, index)]
        if same:
            result[same[0]] = (place, index, result[same[0]][2]*factor)
        else:
            result.append((place, index, factor))
    return result


def digits(loops, point):
    """The number of a point in each loop."""
    inside = {index: 1 for index in point}
    numbers = []
    for _, index, factor in reversed(loops):
        numbers.append(point[index] // inside[index] % factor)
        inside[index] *= factor
    return numbers[::-1]


def is_kept(loops, element, indices) -> bool:
    """Whether every point runs after those that it needs."""
    points = [dict(zip(indices, values)) for values in itertools.product(range(EXTENT), repeat=len(indices))]
    writers = {}
    for point in points:
        writers.setdefault((point["t"], point["d"]), []).append(digits(loops, point))
    for point in points:
        own = digits(loops, point)
        for other in writers.get(element(point["t"], point["d"], point.get("k", 0)), []):
            place = next((i for i in range(len(loops)) if own[i] != other[i]), None)
            if place is None or loops[place][0] == "PE" or own[place] < other[place]:
                return False
    return True


def case(rng: random.Random) -> Case:
    read = rng.choice(list(READS))
    indices = "tdk" if "k" in read else "td"
    loops = joined(loops_of(rng, indices))
    factor = "W[d, k]" if "k" in indices else "X[t, d]"
    lines = ""
    for place in ("DRAM", "GLB", "PE", "RF"):
        own = ", ".join(f"{index} = {factor}" for at, index, factor in loops if at == place)
        if own:
            lines += f"  at {'PE.x parallel' if place == 'PE' else place + ' for'} {own}\n"
    text = f"""op next(X[T, D], W[D, K]: weight) -> H[T, D] {{
  H[t, d] = X[t, d]
  H[t, d] += {factor} * H[{read}]
}}
hardware chip {{
  clock 1GHz
  dtype int8
  memory DRAM {{ bandwidth 8B/cycle; energy 64pJ }}
  memory GLB {{ energy 4pJ }}
  array PE[x = 4] {{
    memory RF {{ energy 1pJ }}
    compute MAC {{ rate 1/cycle; energy 1pJ }}
  }}
}}
mapping loops for next on chip {{
{lines}}}
evaluate next(T = {EXTENT}, D = {EXTENT}, K = {EXTENT}) on chip with loops
"""

    def check(document):
        macs = document["results"][0]["metrics"]["macs"]
        return [] if macs == EXTENT**len(indices) else [f"{macs} MACs"]

    return Case(text, check, status=(0,) if is_kept(loops, READS[read], indices) else (2,))
