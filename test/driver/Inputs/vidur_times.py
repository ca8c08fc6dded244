# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: vidur_times.py ROWS.csv: the mean latency of each run beside that of VIDUR, within 0.8 % for one stage of a pipeline
and 2 % for several."""
import csv
import sys

rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["metric"] == "e2e"]
good = 0
for row in rows:
    limit = 0.8 if "one stage" in row["labels"] else 2
    error = 100 * abs(float(row["prediction"]) / float(row["reference"]) - 1)
    good += error <= limit
    print(row["row"], f"within {limit} %" if error <= limit else f"is {error:.3g} % off")
print(good, "of", len(rows))
