# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times that a formula with known constants makes, of layers on a device, as a table for `calibrate`.

6 and 9 GFLOP/s of convolutions of one point and of minimal filtering, 2 GB/s of weights, 1.25 GB/s of what they read and
write, 35 us for each of them, and no noise. The last lines have no time.

usage: my_phone.py OUT.csv
"""
import math
import sys


def pointwise(c, y):
    return 2 * c * c * y * y / 6e9 + 4 * c * c / 2e9 + 8 * c * y * y / 1.25e9 + 35e-6


def window(c, y):
    return 72 * c * c * math.ceil(y / 4) ** 2 / 9e9 + 36 * c * c / 2e9 + 8 * c * y * y / 1.25e9 + 35e-6


def main():
    measured = [("pointwise", pointwise, [(16, 4), (32, 56), (64, 28), (128, 14), (512, 7)]),
                ("window", window, [(16, 8), (32, 32), (64, 28), (128, 14), (256, 7)])]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        print("workload,latency", file=out)
        for name, formula, sizes in measured:
            for c, y in sizes:
                print(f'"{name}({c}, {y})",{formula(c, y) * 1e6:.3f}us', file=out)
        for c, y in [(24, 10), (1024, 4), (24, 112)]:
            print(f'"pointwise({c}, {y})",', file=out)


main()
