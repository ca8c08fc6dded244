#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the runtimes of stdlib/runtimes.perf to measured training runs.

    runtimes.py PERFC RUNTIMES.perf FOLDER [--only TABLE] [--evaluations N] [--write]

FOLDER holds the tables of `perfc validate train_…`. The programs of stdlib/validate divide each table in two halves by
a hash of the configuration (label `half`); copies of them run with candidate runtimes, which the half `fit` decides
about. FREE below says which figures of which
runtimes are free, where they start (physical guesses, not earlier fits) and how far they may go. The fit is
Nelder-Mead on the logits of the figures within their bounds and minimises the mean absolute percentage error plus
a pull of 0.3 % per unit of logit, squared, towards the start, which keeps what the rows do not determine where it
was. Deterministic. Prints the errors with and without runtimes on both halves; --write puts the figures and where
they come from into RUNTIMES.perf; intervals.py then gives them the error intervals of that fit.
"""
import argparse
import csv
import datetime
import math
import os
import re
import subprocess
import tempfile

# Table, or table and group of its rows: the figures of its runtimes, as (runtime, word): (start, least, most,
# unit). Shares are in %.
FREE = {
    "train_llmfoundry": {
        ("pytorch_fsdp", "gemm"): (75, 40, 90, "%"),
        ("pytorch_fsdp", "attention"): (40, 10, 80, "%"),
        ("pytorch_fsdp", "memory"): (50, 10, 95, "%"),
        ("pytorch_fsdp", "launch"): (10, 1, 100, "us"),
        ("pytorch_fsdp", "overlap_cost"): (20, 1, 60, "%"),
        ("pytorch_fsdp", "step"): (10, 1, 50, "ms"),
        ("pytorch_fsdp_h100", "gemm"): (60, 30, 90, "%"),
        ("pytorch_fsdp_h100", "attention"): (35, 10, 80, "%"),
    },
    "train_megatron": {
        ("megatron_2021", "gemm"): (75, 40, 90, "%"),
        ("megatron_2021", "memory"): (70, 30, 95, "%"),
        ("megatron_2021", "network"): (85, 40, 99, "%"),
        ("megatron", "gemm"): (65, 40, 90, "%"),
        ("megatron", "attention"): (40, 10, 80, "%"),
        ("megatron", "overlap_tensor"): (30, 1, 90, "%"),
    },
    "train_torchtitan": {
        ("torchtitan", "gemm"): (60, 30, 90, "%"),
        ("torchtitan", "gemm_fp8"): (50, 20, 90, "%"),
        ("torchtitan", "attention"): (35, 10, 80, "%"),
        ("torchtitan", "memory"): (70, 20, 95, "%"),
        ("torchtitan", "overlap_cost"): (20, 1, 60, "%"),
        ("torchtitan_async", "overlap_tensor"): (40, 1, 90, "%"),
        ("torchtitan_rowwise", "cast_bytes"): (6, 2, 40, "B"),
    },
    "train_nemo_megatron_bridge dense": {
        ("nemo", "gemm"): (70, 40, 90, "%"),
        ("nemo", "gemm_fp8"): (65, 30, 90, "%"),
        ("nemo", "gemm_fp4"): (50, 20, 90, "%"),
        ("nemo", "attention"): (45, 10, 80, "%"),
        ("nemo", "memory"): (80, 30, 95, "%"),
        ("nemo", "overlap_cost"): (10, 1, 60, "%"),
        ("nemo", "overlap_tensor"): (80, 1, 99, "%"),
        ("nemo_h100", "gemm_fp8"): (65, 30, 90, "%"),
        ("nemo_h100", "attention"): (50, 10, 80, "%"),
    },
    "train_nemo_megatron_bridge experts": {
        ("nemo_experts", "grouped"): (80, 10, 100, "%"),
        ("nemo_experts", "permute_bytes"): (12, 1, 200, "B"),
        ("nemo_experts", "launch"): (20, 1, 100, "us"),
        ("nemo_experts", "overlap_expert"): (30, 1, 90, "%"),
        ("nemo_experts_alltoall", "permute_bytes"): (16, 1, 200, "B"),
        ("nemo_experts_alltoall", "launch"): (20, 1, 100, "us"),
        ("nemo_experts_fused", "attention"): (60, 20, 90, "%"),
        ("nemo_experts_fused", "grouped"): (85, 10, 100, "%"),
        ("nemo_experts_fused", "permute_bytes"): (4, 1, 100, "B"),
        ("nemo_experts_fused", "overlap_expert"): (60, 1, 99, "%"),
    },
    "train_nemo_megatron_bridge hybrid": {
        ("nemo_hybrid", "attention"): (30, 5, 80, "%"),
        ("nemo_hybrid", "launch"): (10, 1, 100, "us"),
    },
}
PULL = 0.3


def with_figures(text, figures):
    """`text` of RUNTIMES.perf with `figures`, {(runtime, word): value with unit}."""
    for (runtime, word), value in figures.items():
        block = re.search(r"^runtime %s\b[^{]*\{[^}]*\}" % runtime, text, re.M)
        changed, count = re.subn(r"(\b%s\s+)[\d.]+\s*(%%|us|ms|B)" % word, lambda m: m.group(1) + value, block.group(0))
        if count != 1:
            raise SystemExit(f"{runtime} has no one figure `{word}`")
        text = text[:block.start()] + changed + text[block.end():]
    return text


class Table:
    def __init__(self, perfc, folder, name):
        kind, _, self.group = name.partition(" ")
        self.perfc, self.table = perfc, os.path.join(folder, kind + ".csv")
        library = os.path.join(os.path.dirname(__file__), "..", "..", "stdlib", "validate")
        with open(os.path.join(library, kind + ".perf"), encoding="utf-8") as file:
            self.program = file.read().replace("import std.runtimes\n", 'import "runtimes.perf"\n')

    def rows(self, text):
        """[(half, metric, prediction, reference)] of rows that have all of them."""
        with tempfile.TemporaryDirectory() as folder:
            program, out = os.path.join(folder, "program.perf"), os.path.join(folder, "rows.csv")
            with open(os.path.join(folder, "runtimes.perf"), "w", encoding="utf-8") as file:
                file.write(re.sub(r"measured 1 [+]- [\d.]+%;?", "", text))  # of the fit before
            with open(program, "w", encoding="utf-8") as file:
                file.write(self.program)
            subprocess.run([self.perfc, "validate", program, self.table, "--quiet", "--rows", out], check=True)
            with open(out, encoding="utf-8") as file:
                rows = [r for r in csv.DictReader(file) if r["prediction"] and r["reference"] and "half=" in r["labels"]
                        and (not self.group or "kind=" + self.group in r["labels"])]
        label = re.compile(r"half=(\w+)")
        return [(label.search(r["labels"]).group(1), r["metric"], float(r["prediction"]), float(r["reference"]))
                for r in rows]


def error(rows, half, metric="step_time"):
    """Mean absolute percentage error, number of rows."""
    errors = [abs(p / r - 1) * 100 for h, m, p, r in rows if h == half and m == metric]
    return (sum(errors) / len(errors) if errors else float("nan")), len(errors)


def nelder_mead(cost, start, evaluations):
    n = len(start)
    points = [list(start)] + [[x + (0.5 if i == j else 0) for j, x in enumerate(start)] for i in range(n)]
    simplex = [(cost(p), p) for p in points]
    used = n + 1
    while used < evaluations:
        simplex.sort(key=lambda e: e[0])
        if simplex[-1][0] - simplex[0][0] < 1e-3:
            break
        centre = [sum(p[i] for _, p in simplex[:-1]) / n for i in range(n)]

        def move(factor):
            point = [c + factor * (c - w) for c, w in zip(centre, simplex[-1][1])]
            return cost(point), point

        best = move(1)
        used += 1
        if best[0] < simplex[0][0]:
            further = move(2)
            used += 1
            best = min(best, further, key=lambda e: e[0])
        elif best[0] >= simplex[-2][0]:
            inside = move(0.5 if best[0] < simplex[-1][0] else -0.5)
            used += 1
            if inside[0] < min(best[0], simplex[-1][0]):
                best = inside
            elif best[0] >= simplex[-1][0]:
                first = simplex[0][1]
                points = [[f + (x - f) / 2 for f, x in zip(first, p)] for _, p in simplex[1:]]
                simplex = [simplex[0]] + [(cost(p), p) for p in points]
                used += n
                continue
        simplex[-1] = best
    simplex.sort(key=lambda e: e[0])
    return simplex[0][1]


def fit(table, text, free, evaluations):
    """The figures that fit the half `fit` best, {(runtime, word): value with unit}."""
    names = list(free)

    def figures(point):
        result = {}
        for name, x in zip(names, point):
            _, least, most, unit = free[name]
            value = least + (most - least) / (1 + math.exp(-x))
            result[name] = f"{value:.3g}{unit}"
        return result

    def logit(name):
        start, least, most, _ = free[name]
        return math.log((start - least) / (most - start))

    start = [logit(name) for name in names]

    def cost(point):
        rows = table.rows(with_figures(text, figures(point)))
        return error(rows, "fit")[0] + PULL * sum((x - s) ** 2 for x, s in zip(point, start))

    best = nelder_mead(cost, start, evaluations)
    best = nelder_mead(cost, best, evaluations // 2)  # a simplex can collapse on the way
    return {name: re.sub(r"[\d.]+", lambda m: f"{float(m.group(0)):.2g}", value, 1)
            for name, value in figures(best).items()}


def provenance(text, kind, rows):
    """Writes where the figures come from into the comment above the table's runtimes."""
    (fitted, n), (tested, m) = error(rows, "fit"), error(rows, "test")
    line = (f"// Fitted by tools/fit/runtimes.py to {n} runs of {kind}, {datetime.date.today()}: {fitted:.1f} %; "
            f"{tested:.1f} % on the {m} others.")
    pattern = r"^// Fitted by tools/fit/runtimes.py to \d+ runs of %s, .*$" % re.escape(kind)
    text, count = re.subn(pattern, line, text, flags=re.M)
    if count == 0:
        raise SystemExit(f"no line says where the runtimes of {kind} come from")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("perfc")
    parser.add_argument("runtimes")
    parser.add_argument("folder")
    parser.add_argument("--only", choices=list(FREE))
    parser.add_argument("--evaluations", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    print(f"{'table':36} {'half':5} {'rows':>4} {'ideal %':>8} {'runtime %':>10}")
    for kind, free in FREE.items():
        if arguments.only not in (None, kind):
            continue
        with open(arguments.runtimes, encoding="utf-8") as file:
            text = file.read()
        table = Table(arguments.perfc, arguments.folder, kind)
        figures = fit(table, text, free, arguments.evaluations)
        text = with_figures(text, figures)
        rows = table.rows(text)
        for half in ("fit", "test"):
            found, count = error(rows, half)
            print(f"{kind:36} {half:5} {count:4} {error(rows, half, 'step_time_ideal')[0]:8.1f} {found:10.2f}")
        for (runtime, word), value in figures.items():
            print(f"  {runtime} {word} {value}", flush=True)
        if arguments.write:
            with open(arguments.runtimes, encoding="utf-8") as file:  # another table may have been written since
                text = file.read()
            with open(arguments.runtimes, "w", encoding="utf-8") as file:
                file.write(provenance(with_figures(text, figures), kind, rows))


if __name__ == "__main__":
    main()
