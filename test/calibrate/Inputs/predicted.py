# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts predictions of rows, in seconds, times what they are `off`, into the column `us` of their table. usage: predicted.py ROWS.csv TABLE.csv"""
import csv
import sys

times = {row["row"]: float(row["prediction"]) for row in csv.DictReader(open(sys.argv[1]))}
rows = list(csv.DictReader(open(sys.argv[2])))
with open(sys.argv[2], "w", newline="") as file:
    out = csv.DictWriter(file, rows[0].keys())
    out.writeheader()
    for row in rows:
        out.writerow({**row, "us": times[row["number"]] * float(row["off"]) * 1e6})
