# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the rows of one table with slow runtimes and with those of the library (CSV files of --rows)."""
import csv
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return {(r["row"], r["reference"]): r for r in csv.DictReader(file) if r["prediction"] and r["metric"] == "step_time"}


slow, everything = map(read, sys.argv[1:])
halves = {half: [key for key, r in everything.items() if f"half={half}" in r["labels"]] for half in ("fit", "test")}
assert len(everything) == 7 and sum(map(len, halves.values())) == 7 and all(halves.values()), halves
same = {"half=fit" in r["labels"] for key, r in everything.items() if key[0] == "LLAMA3.1_405B 256 x DGX-GB200 FP8"}
assert len(same) == 1, "runs of one configuration are in one half"
for key in everything:
    assert float(slow[key]["prediction"]) > 2 * float(everything[key]["prediction"]), key
