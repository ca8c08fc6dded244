# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes measurements of boards whose constants are known: matrix-vector products that take
launch + bytes / bandwidth, with errors of so many percent. usage: boards.py NOISE OUT.csv"""
import random
import sys

rng = random.Random(7)
noise = float(sys.argv[1]) / 100
BOARDS = {"one": (8, 12.5), "two": (6, 25.0), "three": (10, 20.0), "four": (7, 16.0)}
lines = ["board,n,k,us"]
for board, (launch, bandwidth) in BOARDS.items():
    for n, k in ((64, 64), (256, 512), (1024, 1024), (512, 4096), (4096, 4096), (2048, 8192)):
        moved = 2 * (k + n * k + n)
        us = launch + moved / bandwidth / 1000
        lines.append(f"{board},{n},{k},{us * rng.lognormvariate(0, noise):.8g}")
open(sys.argv[2], "w").write("\n".join(lines) + "\n")
