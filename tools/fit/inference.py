#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the engines of std.runtimes to measured inference.

    inference.py PERFC STDLIB FOLDER [KIND…] [--write]

FOLDER holds the tables of `perfc validate infer_…`. FREE names the figures of each table that are free and where they start (guesses). The mean of
|log(predicted / measured)|, each metric with the same weight, plus PULL times the squared logarithms of how far figures are from their
starts, falls by three Gauss-Newton steps with weights 1 / |error| (iteratively reweighted least squares); derivatives come from one run of perfc for
each figure. Then rows whose group is left out are predicted by the same linear model, solved without them. Deterministic. --write puts the figures, and
as `measured` the 90 % interval of the left-out rows, into STDLIB/runtimes.perf. Needs numpy.
"""
import argparse
import csv
import math
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import numpy

# Of each kind: figures (runtime, word, start, unit), and the groups that are left out.
FREE = {
    "infer_splitwise": ([("vllm_2023", "kernel_time", 120, "%"), ("vllm_2023", "kernel_host", 44, "us"),
                         ("vllm_2023_h100", "kernel_host", 29, "us"), ("vllm_2023", "network", 45, "%"),
                         ("vllm_2023", "step", 1, "ms"), ("vllm_2023", "step_each", 0.3, "ms")], ["model", "gpu"]),
    "infer_trtllm_static_batch": ([("tensorrt_llm_2023", "kernel_time", 105, "%"),
                                   ("tensorrt_llm_2023_hopper", "kernel_time", 115, "%"),
                                   ("tensorrt_llm_2023", "network", 70, "%"), ("tensorrt_llm_2023", "step", 1, "ms")],
                                  ["model", "gpu", "version"]),
    "infer_trtllm_throughput": ([("tensorrt_llm_2025", "kernel_time", 100, "%"), ("tensorrt_llm_2025", "network", 60, "%"),
                                 ("tensorrt_llm_2025", "step_each", 5, "us"),
                                 ("tensorrt_llm_2025_torch", "step", 2, "ms"), ("tensorrt_llm_2025_torch", "step_each", 15, "us")],
                                ["model", "gpu", "version"]),
}
# Rows that no fit sees: cells of a column.
UNSEEN = {"infer_trtllm_throughput": ("precision", "FP4")}
PULL, STEPS, DELTA, LEAST_ERROR, LONGEST = 1.0, 3, 0.08, 0.03, 0.5


class Table:
    """One kind, whose runtimes are declared in the program itself while they are fitted."""

    def __init__(self, perfc, stdlib, folder, kind):
        self.perfc, self.kind, self.table = perfc, kind, folder / f"{kind}.csv"
        self.program = (stdlib / "validate" / f"{kind}.perf").read_text()
        self.runtimes = (stdlib / "runtimes.perf").read_text()
        self.free, self.groups = FREE[kind]
        self.start = numpy.log([figure[2] for figure in self.free])
        self.rows = []

    def declarations(self, figures):
        """The runtimes with `figures`, under names of their own."""
        text = ""
        names = list(dict.fromkeys(figure[0] for figure in self.free))
        for name in names:
            base, body = re.search(rf"runtime {name} from (\w+) \{{(.*?)\}}", self.runtimes, re.S).groups()
            for (owner, word, _, unit), value in zip(self.free, figures):
                if owner == name:
                    body = re.sub(rf"\b{word}\s+[^;\n]+", "", body) + f"\n  {word} {math.exp(value):.6g}{unit}\n"
            text += f"runtime {name}_fit from {base + '_fit' if base in names else base} {{{body}}}\n"
        return text, names

    def seen(self, path):
        """Writes the rows that a fit may see."""
        column, unseen = UNSEEN.get(self.kind, ("", None))
        with self.table.open() as table, path.open("w", newline="") as out:
            rows = csv.DictReader(table)
            seen = csv.DictWriter(out, rows.fieldnames, lineterminator="\n")
            seen.writeheader()
            seen.writerows(row for row in rows if unseen is None or row[column] != unseen)

    def errors(self, figures):
        """log(predicted / measured) of the rows that run."""
        text, names = self.declarations(figures)
        program = self.program.replace("param table", text + "param table", 1)
        for name in names:
            program = re.sub(rf'"{name}"|(?<=runtime ){name}\b(?=\n)', lambda m: m[0].replace(name, name + "_fit"), program)
        with tempfile.TemporaryDirectory() as scratch:
            path, table, out = Path(scratch, f"{self.kind}.perf"), Path(scratch, "table.csv"), Path(scratch, "rows.csv")
            path.write_text(program)
            self.seen(table)
            subprocess.run([self.perfc, "validate", path, table, "--rows", out, "-q"], check=True, capture_output=True)
            self.rows = [row for row in csv.DictReader(out.open()) if row["prediction"] and row["reference"]]
        return numpy.array([math.log(float(row["prediction"]) / float(row["reference"])) for row in self.rows])

    def derivatives(self, figures, errors):
        return numpy.array([(self.errors(figures + DELTA * unit) - errors) / DELTA for unit in numpy.eye(len(figures))]).T

    def step(self, figures, errors, jacobian, counts):
        """What figures change by, of rows with `counts` 1; others are not seen."""
        metrics = Counter(row["metric"] for row in self.rows)
        even = numpy.array([len(self.rows) / len(metrics) / metrics[row["metric"]] for row in self.rows]) * counts
        change = numpy.zeros(len(figures))
        for _ in range(12):
            weights = even / numpy.maximum(abs(errors + jacobian @ change), LEAST_ERROR)
            left = (jacobian * weights[:, None]).T @ jacobian + PULL * numpy.eye(len(figures))
            right = -(jacobian * weights[:, None]).T @ errors + PULL * (self.start - figures)
            change = numpy.linalg.solve(left, right)
        return numpy.clip(change, -LONGEST, LONGEST)

    def report(self, title, errors):
        wrong = 100 * abs(numpy.expm1(errors))
        for metric in sorted({row["metric"] for row in self.rows}):
            of = [value for value, row in zip(wrong, self.rows) if row["metric"] == metric]
            print(f"  {title:20} {metric:28} {len(of):4} rows, mean {numpy.mean(of):5.1f} %, median {numpy.median(of):5.1f} %", flush=True)

    def fit(self):
        print(self.kind, flush=True)
        figures = self.start
        for _ in range(STEPS):
            errors = self.errors(figures)
            jacobian = self.derivatives(figures, errors)
            self.errors(figures)
            figures = figures + self.step(figures, errors, jacobian, numpy.ones(len(errors)))
        errors = self.errors(figures)
        self.report("fitted", errors)
        jacobian = self.derivatives(figures, errors)
        self.errors(figures)
        labels = [dict(pair.split("=", 1) for pair in row["labels"].split("; ")) for row in self.rows]
        widest = 0.0
        for group in self.groups:
            unseen = errors.copy()
            for value in {label[group] for label in labels}:
                seen = numpy.array([float(label[group] != value) for label in labels])
                moved = errors + jacobian @ self.step(figures, errors, jacobian, seen)
                unseen[seen == 0] = moved[seen == 0]
            self.report(f"{group} left out", unseen)
            widest = max(widest, float(numpy.quantile(numpy.expm1(abs(unseen)), 0.9)))
        for (runtime, word, _, unit), value in zip(self.free, figures):
            print(f"  {runtime}.{word} {math.exp(value):.3g}{unit}")
        print(f"  90 % of the left-out rows are within {100 * widest:.0f} %", flush=True)
        return figures, widest


def write(path, table, figures, interval):
    text = path.read_text()
    for (runtime, word, _, unit), value in zip(table.free, figures):
        declared = re.search(rf"runtime {runtime} from \w+ \{{.*?\}}", text, re.S)
        body = re.sub(rf"(\b{word}\s+)[^;\n}}]+?(?=\s*[;\n}}])", lambda m: f"{m[1]}{math.exp(value):.3g}{unit}", declared[0])
        body = re.sub(r"(\bmeasured\s+)[^\n]+", lambda m: f"{m[1]}1 +- {100 * interval:.0f}%", body)
        text = text[:declared.start()] + body + text[declared.end():]
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("perfc")
    parser.add_argument("stdlib", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kinds", nargs="*", default=list(FREE))
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    for kind in arguments.kinds:
        table = Table(arguments.perfc, arguments.stdlib, arguments.folder, kind)
        figures, interval = table.fit()
        if arguments.write:
            write(arguments.stdlib / "runtimes.perf", table, figures, interval)


if __name__ == "__main__":
    main()
