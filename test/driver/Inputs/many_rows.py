# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a table of products whose sizes differ: many_rows.py OUT.csv ROWS."""
import random
import sys

random.seed(1)
with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write("gpu,m,n,k,us\n")
    for _ in range(int(sys.argv[2])):
        m, n, k = (random.randrange(1, 9000) for _ in range(3))
        out.write(f"{random.choice(['A100', 'H100'])},{m},{n},{k},{2 * m * n * k / 3e8 + 3:.3f}\n")
