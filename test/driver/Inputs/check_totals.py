# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates every call of test/stdlib/totals.csv with perfc and compares parameters and MACs.

usage: check_totals.py PERFC TOTALS.csv PROGRAM.perf; PROGRAM.perf is written.
"""
import csv
import json
import subprocess
import sys

CHIP = """
hardware counter {
  clock 1GHz
  dtype fp16
  memory DRAM { off_chip; bandwidth 1B/cycle }
  array lanes[1] { compute MAC { rate 1/cycle } }
}
"""


def main(perfc: str, totals: str, program: str) -> int:
    with open(totals, newline="") as file:
        rows = list(csv.DictReader(file))
    modules = sorted({row["module"] for row in rows})
    calls = "".join(f"evaluate {row['call']} on counter using roofline\n" for row in rows)
    with open(program, "w") as file:
        file.write("".join(f"import {module}\n" for module in modules) + CHIP + calls)
    run = subprocess.run([perfc, "run", program, "--json"], capture_output=True, text=True)
    if run.returncode:
        print(run.stderr)
        return 1
    results = json.loads(run.stdout)["results"]
    wrong = abs(len(results) - len(rows))
    for row, result in zip(rows, results):
        for name, value in (("params", result["params"]), ("macs", result["metrics"]["macs"])):
            if row[name] and abs(value - int(row[name])) > int(row[name + "_rounding"] or 0):
                print(f"{row['call']}: {name} is {value}, not {row[name]}")
                wrong += 1
    print(f"{len(rows)} calls, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
