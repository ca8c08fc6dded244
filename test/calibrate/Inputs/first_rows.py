# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""first_rows.py COUNT FROM TO TABLE…: the first rows of tables in FROM, as tables in TO."""
import csv
import sys

count, source, target, *tables = sys.argv[1:]
for table in tables:
    with open(f"{source}/{table}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[:int(count) + 1]
    with open(f"{target}/{table}.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
