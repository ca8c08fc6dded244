# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random chains of three convolutions that are fused, counted by perfc and by execution with sets: both results between them
at one memory (halos made again, those of the first retained, or of both), or one at each of two memories. Compared are the
multiply-accumulates of every link of the chain, which are the updates of what it makes, and that no intermediate is outside its
memory.

usage: fused_chains.py PERFC COUNT SEED
"""
from fused_random import compare

PROGRAM = """op chain(I[C, X], W1[M, C, R]: weight, W2[N, M, S]: weight, W3[K, N, U]: weight, H1, H2, P, a = 1, b = 1) -> O[K, P] {{
  where y < H1 and z < H2
  T1[m, y] += I[c, y + r] * W1[m, c, r]
  T2[n, z] += T1[m, z*a + s] * W2[n, m, s]
  O[k, p] += T2[n, p*b + u] * W3[k, n, u]
}}
hardware chip {{
  clock 1GHz
  dtype int8
  memory DRAM {{ energy 64pJ }}
  memory GLB {{ energy 4pJ }}
  memory L1 {{ energy 2pJ }}
  memory RF {{ energy 1pJ }}
  compute MAC {{ rate 1/cycle; energy 1pJ }}
}}
mapping fused for chain on chip {{
{lines}
}}
evaluate chain({call}) on chip with fused using loopnest
"""


def rows_for(tile, step, taps, size):
    """The rows of what comes before that a range of rows needs."""
    low, high = tile
    return low * step, min((high - 1) * step + taps, size)


def execute(case):
    """Rows of T1 and T2 that are made in all."""
    made1 = made2 = seen1 = seen2 = 0
    for outer in range(case["outer"]):
        low = outer * case["inner"] * case["tile"]
        whole = low, low + case["inner"] * case["tile"]
        if case["second"] == "L1":  # all of T1 that the outer tile needs
            need1 = rows_for(rows_for(whole, case["b"], case["U"], case["H2"]), case["a"], case["S"], case["H1"])
            made1 += need1[1] - need1[0]
        for inner in range(case["inner"]):
            tile = low + inner * case["tile"], low + (inner + 1) * case["tile"]
            need2 = rows_for(tile, case["b"], case["U"], case["H2"])
            if case["retain"] == 2:
                new2 = max(need2[0], seen2), need2[1]
                seen2 = max(seen2, need2[1])
                if new2[0] >= new2[1]:
                    continue
            else:
                new2 = need2
            made2 += new2[1] - new2[0]
            if case["second"] == "L1":
                continue
            need1 = rows_for(new2, case["a"], case["S"], case["H1"])
            if case["retain"]:
                made1 += max(0, need1[1] - max(need1[0], seen1))
                seen1 = max(seen1, need1[1])
            else:
                made1 += need1[1] - need1[0]
    return made1, made2


def sizes(rng):
    one = {"tile": rng.choice([1, 2, 3]), "inner": rng.choice([1, 2, 3]), "outer": rng.choice([1, 2]), "a": rng.choice([1, 1, 2]),
           "b": rng.choice([1, 1, 2]), "R": rng.choice([1, 2, 3]), "S": rng.choice([1, 2, 3]), "U": rng.choice([1, 2, 3])}
    for name in "CMNK":
        one[name] = rng.choice([1, 2])
    one["P"] = one["tile"] * one["inner"] * one["outer"]
    one["second"] = rng.choice(["GLB", "L1"])
    one["retain"] = rng.choice([0, 0, 1, 2]) if one["second"] == "GLB" else 0  # of T1, or of both
    # A stride larger than the window leaves gaps; what is retained has none.
    one["S"] = max(one["S"], one["a"])
    one["U"] = max(one["U"], one["b"])
    one["H2"] = (one["P"] - 1) * one["b"] + one["U"]
    one["H1"] = (one["H2"] - 1) * one["a"] + one["S"]
    one["X"] = one["H1"] + one["R"] - 1
    return one


def program(one):
    at = one["second"]
    halos = [" halo retain" if one["retain"] >= least else "" for least in (1, 2)]
    lines = [f"  fuse T1 at GLB{halos[0]}", f"  fuse T2 at {at}{halos[1]}", f"  at DRAM for p = {one['outer']}",
             f"  at {at} for p = {one['inner']}",
             f"  at RF for p = {one['tile']}, z = 1, y = 1, k = K, n = N, m = M, c = C, r = R, s = S, u = U",
             "  bypass I, W1, W2, W3, T1, T2, O at RF"]
    call = ", ".join(f"{name} = {one[name]}" for name in ["P", "R", "S", "U", "K", "N", "M", "C", "H1", "H2", "X", "a", "b"])
    return PROGRAM.format(lines="\n".join(lines), call=call)


def case(rng):
    one = sizes(rng)
    made1, made2 = execute(one)
    counts = {("L1", "T1"): {"updates": made1 * one["M"] * one["C"] * one["R"]},
              ("L1", "T2"): {"updates": made2 * one["N"] * one["M"] * one["S"]}, ("DRAM", "T1"): None, ("DRAM", "T2"): None}
    if one["second"] == "L1":
        counts["GLB", "T2"] = None
    return program(one), counts


if __name__ == "__main__":
    compare(case)
