# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluations per second from Python: a product on a small chip on its roofline, at each of so many sizes.

    PYTHONPATH=build/python python3 bench/package.py [POINTS]

In one call (`sweep`), and in a call for each (`run`): per second of wall time, and of CPU time, which other work on the machine
leaves alone.
"""
import sys
import time

import perfc

PROGRAM = """
import std.ops.matmul
param k = 64
hardware edge {
  clock 800MHz
  dtype int8
  memory DRAM { bandwidth 12.8GB/s; energy 100pJ }
  array PE[x = 16, y = 16] { compute MAC { rate 1/cycle; energy 0.2pJ } }
}
evaluate matmul(M = 256, N = 256, K = k) on edge using roofline
"""


def measure(name, points, evaluate):
    wall, cpu = time.perf_counter(), time.process_time()
    evaluate()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{name}: {points / wall:,.0f} evaluations/s of wall time, {points / cpu:,.0f} of CPU time")


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    program = perfc.compile(PROGRAM)
    measure("sweep", points, lambda: program.sweep(k=range(1, points + 1)))
    measure("run", points, lambda: [program.run(k=k)[0]["latency"].value for k in range(1, points + 1)])


if __name__ == "__main__":
    main()
