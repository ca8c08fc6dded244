# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every row of a table takes twice the time with slow runtimes (CSV files of --rows)."""
import csv
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return {(r["row"], r["reference"]): float(r["prediction"]) for r in csv.DictReader(file) if r["metric"] == "step_time"}


slow, usual = map(read, sys.argv[1:])
assert len(usual) == 4 and slow.keys() == usual.keys(), usual
for key in usual:
    assert slow[key] > 2 * usual[key], key
