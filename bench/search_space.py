# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures per second of NAS-Bench-201, all 15,625 of them: each choice evaluated once, and the sums of the choices.

    PYTHONPATH=build/python python3 bench/search_space.py [EVALUATIONS]

Beside it so many networks one by one, and how far the sums are from these at most.
"""
import itertools
import sys
import time

import perfc
from perfc.separable import Separable

KINDS = ["nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3", "skip_connect", "none"]
CHOICES = ", ".join(f'"{kind}"' for kind in KINDS)
PARAMETERS = "".join(f'param e{edge} = "{KINDS[0]}" in [{CHOICES}]\n' for edge in range(6))
PROGRAM = """
import std.hardware.nasbench201_device
import std.runtimes
import std.workloads.nas_bench_201
""" + PARAMETERS + """
evaluate nas_bench_201("|{e0}~0|+|{e1}~0|{e2}~1|+|{e3}~0|{e4}~1|{e5}~2|") on nasbench201_device(gpu = 1, images = 0) {
  runtime torch_eager
}
"""


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    program = perfc.compile(PROGRAM)
    begin = time.process_time()
    space = Separable(program, metrics=("latency", "macs"))
    tables = time.process_time() - begin
    best, front = space.best(10), space.front()
    whole = time.process_time() - begin
    print(f"{len(space):,} architectures, of which the best ten and a front of {len(front)}: {len(space) / whole:,.0f} a second of CPU time "
          f"({len(space) / max(whole - tables, 1e-9):,.0f} behind the first {tables:.2f} s)")
    begin, farthest = time.process_time(), 0.0
    for number in itertools.islice(range(0, len(space), max(len(space) // count, 1)), count):
        point = space.point(number)
        value = program.run(point.settings)[0]["latency"].value
        farthest = max(farthest, abs(point.values["latency"] / value - 1))
    print(f"one by one: {count / (time.process_time() - begin):,.0f} a second; the sums are {farthest:.1g} of a latency off at most")
    print(f"the fastest: {best[0].settings} {best[0].values}")


if __name__ == "__main__":
    main()
