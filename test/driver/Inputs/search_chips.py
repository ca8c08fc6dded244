# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints small random ops on random chips that give widths, latencies and bufferings, each with searches.

    search_chips.py SEED COUNT
"""
import random
import sys

chance = random.Random(int(sys.argv[1]))
any_of = chance.choice


def memory(name, *more):
    rate = any_of(["%dB/cycle" % any_of([1, 2, 8]), "{ read %dB/cycle; write %dB/cycle }" % (any_of([1, 4, 8]), any_of([1, 2, 5]))])
    energy = "{ read %dpJ; write %dpJ; update %dpJ }" % tuple(chance.randint(2, 90) for _ in range(3))
    words = [any_of(["buffering double", "buffering single", ""]), any_of(["width 2B", "width 4B", ""])]
    words += [any_of(["latency 3cycle", "latency 20cycle", ""]), *more, "bandwidth " + rate, "energy " + energy]
    return "  memory %s { %s }\n" % (name, "; ".join(word for word in words if word))


def case(number):
    network = any_of(["multicast x; reduce x; energy { hop 0.3pJ }", "multicast x; latency 2cycle", "latency { hop 1cycle }"])
    chip = "hardware chip%d {\n  clock 1GHz\n  dtype int8\n" % number + memory("DRAM")
    chip += memory("GLB", "capacity %dB" % any_of([10, 16, 30]))
    chip += "  array PE[x = %d] {\n    network { %s }\n" % (any_of([2, 3]), network)
    chip += "    memory RF { capacity %dB; %s energy 1pJ }\n" % (any_of([4, 6, 9]), any_of(["", "buffering double;", "latency 1cycle;"]))
    chip += "    compute MAC { rate 1/cycle; energy 1pJ }\n  }\n}\n"
    op = any_of(["product", "window"])
    sizes = {"product": "M = %d, N = %d, K = %d", "window": "C = %d, R = %d, X = %d"}[op]
    sizes %= (any_of([2, 3]), any_of([2, 3]), 4)
    # Any factors every other time.
    space = "any%d" % number if number % 2 else ""
    text = chip + ("mapspace %s for %s on chip%d { factors imperfect }\n" % (space, op, number) if space else "")
    for goal in ("latency", "edp"):
        text += "search %s(%s) on chip%d %sminimize %s\n" % (op, sizes, number, space and "with %s " % space, goal)
    return text


print("op product(A[M, K], B[K, N]: weight) -> Z[M, N] { Z[m, n] += A[m, k] * B[k, n] }")
print("op window(A[C, X], B[C, R]: weight, P = X - R + 1) -> Z[P] { Z[p] += A[c, p + r] * B[c, r] }")
print("".join(case(number) for number in range(int(sys.argv[2]))))
