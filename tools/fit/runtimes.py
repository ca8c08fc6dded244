#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits std.runtimes, and what long runs take of a chip's power, to measured training runs.

    runtimes.py PERFC STDLIB FOLDER [--rounds N] [--continue] [--leave chip|model|table] [--steps N] [--write]

FOLDER holds the tables of `perfc validate train_…`. FIGURES below names what is fitted, where it starts (rounded figures, some of them of
earlier fits to some of these rows) and how far it may go. All tables are fitted together: the sum of |log(predicted / measured)|, a table
of n rows with the weight sqrt(n), plus PULL times the squares of how far each figure is from its start, or NEAR times those of how far from
its family's mean, in the logits of its bounds. Steps are Gauss-Newton with weights 1 / |error| (iteratively reweighted least squares), with
derivatives from one run of perfc for each figure, and are damped until the sum falls. --leave prints the errors of rows whose chip, model or
table is left out: perfc predicts them with the figures to which at most --steps damped steps over the other rows lead, each of which
lowers their sum, with the derivatives of the fitted point. Figures that only these rows tell of begin at their start, or at their family's
mean. --continue begins at the figures that STDLIB has. Deterministic. --write puts the figures into STDLIB, and with --leave the intervals
that the left-out rows give, the wider of all --leave. Needs numpy.
"""
import argparse
import concurrent.futures
import csv
import math
import os
import re
import subprocess
import tempfile

import numpy

GENERATIONS, RUNTIMES = "kernels/generations.perf", "runtimes.perf"
BRIDGE, MEGATRON, SELECTIVE = "train_nemo_megatron_bridge", "train_megatron", "train_selective_recompute"
FOUNDRY, TITAN, LONG, CONTEXT = "train_llmfoundry", "train_torchtitan", "train_nemo_longseq", "train_longcontext_llama8b"
ALL = [BRIDGE, MEGATRON, FOUNDRY, SELECTIVE, LONG, CONTEXT, TITAN]
SINCE_2024 = [MEGATRON, BRIDGE, LONG]


class Figure:
    """What is fitted: `places` (declaration and word of a file) have its value, which lies between `least` and `most` in `unit`. It is
    pulled to `start`, or where it has a family to the figure that stands for the family's mean, `apart` logits from it."""

    def __init__(self, places, start, bounds, unit, tables, family=None, apart=0.0, file=RUNTIMES):
        self.places = [(file, *place.split(" ", 1)) for place in places.split(", ")]
        self.start, (self.least, self.most), self.unit = start, bounds, unit
        self.tables, self.family, self.apart = tables, family, apart

    @property
    def name(self):
        return " ".join(self.places[0][1:])

    def logit(self, value):
        """A figure at a bound is a thousandth of the range within."""
        share = min(max((value - self.least) / (self.most - self.least), 1e-3), 1 - 1e-3)
        return math.log(share / (1 - share))

    def text(self, x):
        return f"{self.least + (self.most - self.least) / (1 + math.exp(-x)):.4g}{self.unit}"


# Large products of libraries were measured at 85 % of the peak of an A100, 79 of an H100 and 75 of a B300, in 8 bits at 61 of Hopper's and 51 of a B200's.
AMPERE, BLACKWELL, BLACKWELL_FP8 = 0.3, -0.2, -0.6
PRODUCTS, NARROW = (40, 99), (30, 99)
FIGURES = [
    Figure("gpu sustained", 70, (40, 300), "%", ALL, file=GENERATIONS),
    Figure("stack attention_backward", 80, (40, 99), "%", ALL),
    Figure("stack jitter", 0.8, (0.01, 3), "%", ALL),
    Figure("stack gemm", 65, PRODUCTS, "%", []),
    Figure("stack gemm_fp8", 75, NARROW, "%", []),
    Figure("stack memory", 60, (30, 99), "%", [MEGATRON, SELECTIVE, BRIDGE, LONG, TITAN]),
    Figure("stack overlap_cost", 30, (1, 60), "%", [MEGATRON, BRIDGE, LONG, TITAN, FOUNDRY, CONTEXT]),
    Figure("let cast_tensor", 1.5, (0.5, 10), "B", [*SINCE_2024, FOUNDRY]),
    Figure("let cast_fp4", 4, (2, 40), "B", [BRIDGE]),
    Figure("let ampere_attention", 50, (10, 95), "%", [FOUNDRY, TITAN]),
    Figure("megatron_2021 gemm", 80, PRODUCTS, "%", [MEGATRON, SELECTIVE], "stack gemm", AMPERE),
    Figure("megatron_2021 network", 84, (40, 99), "%", [MEGATRON, SELECTIVE]),
    Figure("megatron gemm, nemo_experts_h100 gemm", 70, PRODUCTS, "%", SINCE_2024, "stack gemm"),
    Figure("megatron gemm_fp8, nemo_experts_h100 gemm_fp8", 80, NARROW, "%", SINCE_2024, "stack gemm_fp8"),
    Figure("megatron attention", 79, (15, 99), "%", SINCE_2024),
    Figure("megatron overlap_tensor", 70, (1, 95), "%", SINCE_2024),
    Figure("megatron step", 20, (1, 200), "ms", SINCE_2024),
    Figure("nemo gemm", 60, PRODUCTS, "%", [BRIDGE], "stack gemm", BLACKWELL),
    Figure("nemo gemm_fp8", 65, NARROW, "%", [BRIDGE, LONG], "stack gemm_fp8", BLACKWELL_FP8),
    Figure("nemo gemm_fp4", 75, NARROW, "%", [BRIDGE], "stack gemm_fp8"),
    Figure("let host_each", 270, (1, 1500), "us", [BRIDGE]),
    Figure("let host_padded", 60, (1, 1500), "us", [BRIDGE]),
    Figure("let launch_each", 5, (0.1, 100), "us", [BRIDGE]),
    Figure("let fused_share", 65, (10, 99), "%", [BRIDGE]),
    Figure("let separate_share", 60, (10, 99), "%", [BRIDGE]),
    Figure("let sorted_bytes", 6, (1, 60), "B", [BRIDGE]),
    Figure("let sorted_twice", 12, (1, 60), "B", [BRIDGE]),
    Figure("let hidden_all_to_all", 10, (1, 95), "%", [BRIDGE]),
    Figure("let hidden_merged", 40, (1, 95), "%", [BRIDGE]),
    Figure("let hidden_beside", 70, (1, 98), "%", [BRIDGE]),
    Figure("let narrow_share", 70, (20, 99), "%", [BRIDGE]),
    Figure("nemo_hybrid attention", 15, (4, 80), "%", [BRIDGE]),
    Figure("torchtitan gemm", 65, PRODUCTS, "%", [TITAN], "stack gemm"),
    Figure("torchtitan gemm_fp8", 75, NARROW, "%", [TITAN], "stack gemm_fp8"),
    Figure("torchtitan_async overlap_tensor", 40, (1, 95), "%", [TITAN]),
    Figure("torchtitan_rowwise cast_bytes", 5, (1, 60), "B", [TITAN]),
    Figure("let eager_memory", 35, (15, 95), "%", [FOUNDRY, CONTEXT, TITAN]),
    Figure("pytorch_fsdp gemm", 75, PRODUCTS, "%", [FOUNDRY], "stack gemm", AMPERE),
    Figure("pytorch_fsdp_h100 gemm", 65, PRODUCTS, "%", [FOUNDRY], "stack gemm"),
    Figure("pytorch_fsdp_h100 gemm_fp8", 75, NARROW, "%", [FOUNDRY], "stack gemm_fp8"),
    Figure("pytorch_fsdp launch", 12, (1, 60), "us", [FOUNDRY]),
    Figure("pytorch_fsdp step", 15, (1, 60), "ms", [FOUNDRY]),
    Figure("deepspeed gemm", 65, PRODUCTS, "%", [CONTEXT], "stack gemm"),
    Figure("deepspeed attention", 79, (20, 99), "%", [CONTEXT]),
    Figure("deepspeed step", 15, (1, 900), "ms", [CONTEXT]),
    Figure("deepspeed host_memory", 16, (2, 80), "GB/s", [CONTEXT]),
]
PULL, NEAR = 1e-4, 3e-4  # per squared logit, to the start and to the family's mean
STEP = 0.1  # of a derivative, in logits


def block_of(text, declaration):
    return re.search(r"^(?:runtime|generation) %s\b[^{]*\{(?:[^\n]*\}$|.*?^\})" % declaration, text, re.M | re.S)


def figure_of(text, declaration, word):
    if declaration == "let":
        return float(re.search(r"^let %s = ([\d.]+)" % word, text, re.M).group(1))
    return float(re.search(r"(?:\n\s*|[{;] *)%s\s+([\d.]+)" % word, block_of(text, declaration).group(0)).group(1))


def with_figure(text, declaration, word, value):
    if declaration == "let":
        changed, count = re.subn(r"^(let %s = )[\d.]+(%%|us|ms|B)" % word, lambda m: m.group(1) + value, text, flags=re.M)
    else:
        block = block_of(text, declaration)
        body, count = re.subn(r"(\n\s*|[{;] *)(%s\s+)[\d.]+ *(%%|us|ms|GB/s|B|pJ)" % word,
                              lambda m: m.group(1) + m.group(2) + value, block.group(0))
        changed = text[:block.start()] + body + text[block.end():]
    if count != 1:
        raise SystemExit(f"{declaration} has {count} figures `{word}`")
    return changed


def values_at(point):
    """{(file, declaration, word): value with unit}."""
    return {place: figure.text(x) for figure, x in zip(FIGURES, point) for place in figure.places}


class Programs:
    def __init__(self, perfc, stdlib, folder):
        self.perfc, self.folder, self.texts, self.programs = perfc, folder, {}, {}
        for sub in ("hardware", "kernels", "."):
            for name in sorted(os.listdir(os.path.join(stdlib, sub))):
                if name.endswith(".perf"):
                    with open(os.path.join(stdlib, sub, name), encoding="utf-8") as file:
                        # Without intervals, whose ends would each be predicted as well.
                        text = re.sub(r" *[+]- *[\d.]+ *%", "", file.read())
                        self.texts[os.path.normpath(os.path.join(sub, name))] = text
        for table in ALL:
            with open(os.path.join(stdlib, "validate", table + ".perf"), encoding="utf-8") as file:
                text = file.read()
                if table != SELECTIVE:  # which asks for other metrics of it
                    text = re.sub(r"^( *)train [^\n]* as ideal \{\n.*?^\1\}\n", "", text, flags=re.M | re.S)
                    text = re.sub(r", (min\()?ideal\.step_time\)? = seconds|, ideal\.step_time = row\.step_time_s \* 1s", "", text)
                    text = re.sub(r",\s+step_time_ideal\b", "", text)
                self.programs[table] = text

    def local(self, text, up=""):
        """Library modules of chips, kernels and runtimes become files."""
        def path(match):
            module, rest = match.group(1), match.group(2)
            names = re.findall(r"\w+", rest)
            if module == "runtimes":
                return f'import "{up}runtimes.perf"\n'
            return "".join(f'import "{up}{module}/{name}.perf"\n' for name in names)
        return re.sub(r"^import std\.(hardware|kernels|runtimes)\b\.?([^\n]*)\n", path, text, flags=re.M)

    def table(self, table, only, folder):
        """The file of a table, or in `folder` one of its rows with the numbers `only`."""
        path = os.path.join(self.folder, table + ".csv")
        if only is None:
            return path
        with open(path, encoding="utf-8") as file:
            names, *rows = list(csv.reader(file))
        path = os.path.join(folder, table + ".csv")
        with open(path, "w", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([names] + [rows[number] for number in only])
        return path

    def run(self, table, point, only=None):
        """{row: log(predicted / measured)}, of the rows with the numbers `only`."""
        texts = dict(self.texts)
        for (file, declaration, word), value in values_at(point).items():
            texts[file] = with_figure(texts[file], declaration, word, value)
        with tempfile.TemporaryDirectory() as folder:
            for file, text in texts.items():
                os.makedirs(os.path.join(folder, os.path.dirname(file)), exist_ok=True)
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    out.write(self.local(text, "../" if "/" in file else ""))
            program, rows = os.path.join(folder, "program.perf"), os.path.join(folder, "rows.csv")
            with open(program, "w", encoding="utf-8") as out:
                out.write(self.local(self.programs[table]))
            subprocess.run([self.perfc, "validate", program, self.table(table, only, folder), "--quiet",
                            "--rows", rows], check=True)
            result = {}
            with open(rows, encoding="utf-8") as file:
                for number, row in enumerate(csv.DictReader(file)):
                    if row["metric"] in ("step_time", "iteration_time") and row["prediction"] and row["reference"]:
                        key = (table, only[number] if only else number, row["row"], row["labels"])
                        result[key] = math.log(float(row["prediction"]) / float(row["reference"]))
            return result


def weights_of(rows):
    count = {}
    for row in rows:
        count[row[0]] = count.get(row[0], 0) + 1
    weights = numpy.array([count[row[0]] ** -0.5 for row in rows])
    return weights / weights.sum()


class Fit:
    """The sum of w |log(predicted / measured)| and of what pulls figures to where they start and to their families."""

    def __init__(self, programs, jobs):
        self.programs, self.pool = programs, concurrent.futures.ThreadPoolExecutor(jobs)
        self.start = numpy.array([figure.logit(figure.start) for figure in FIGURES])
        numbers = {figure.name: i for i, figure in enumerate(FIGURES)}
        # point' A point - 2 b' point, and what makes it 0 at the least
        self.families = [numbers.get(figure.family) for figure in FIGURES]
        self.matrix, self.right, self.least = numpy.zeros((len(FIGURES),) * 2), numpy.zeros(len(FIGURES)), 0.0
        for i, (figure, family) in enumerate(zip(FIGURES, self.families)):
            row, apart, weight = numpy.zeros(len(FIGURES)), self.start[i], PULL
            row[i] = 1
            if family is not None:
                row[family], apart, weight = -1, figure.apart, NEAR
            self.matrix += weight * numpy.outer(row, row)
            self.right += weight * apart * row
            self.least += weight * apart * apart

    def errors(self, point, tables=tuple(ALL)):
        results = self.pool.map(lambda table: self.programs.run(table, point), tables)
        return {row: error for result in results for row, error in result.items()}

    def errors_of(self, rows, point):
        """Those of some rows alone."""
        numbers = {}
        for row in rows:
            numbers.setdefault(row[0], []).append(row[1])
        if SELECTIVE in numbers:  # whose rows have several predictions
            numbers[SELECTIVE] = None
        results = self.pool.map(lambda one: self.programs.run(one[0], point, one[1]), numbers.items())
        found = {row: error for result in results for row, error in result.items()}
        return numpy.array([found[row] for row in rows])

    def cost(self, errors, weights, point):
        return (weights * numpy.abs(errors)).sum() + point @ self.matrix @ point - 2 * self.right @ point + self.least

    def derivatives(self, point, rows, errors):
        index = {row: i for i, row in enumerate(rows)}
        jacobian = numpy.zeros((len(rows), len(FIGURES)))

        def one(task):
            column, table = task
            moved = point.copy()
            moved[column] += STEP
            return column, self.programs.run(table, moved)

        tasks = [(i, table) for i, figure in enumerate(FIGURES) for table in figure.tables]
        for column, result in self.pool.map(one, tasks):
            for row, error in result.items():
                if row in index:
                    jacobian[index[row], column] = (error - errors[index[row]]) / STEP
        return jacobian

    def step(self, point, errors, jacobian, weights, damping):
        """A reweighted least-squares step of the linear model, damped in proportion to its curvature (Levenberg, Marquardt)."""
        moved = numpy.zeros(len(FIGURES))
        for _ in range(40):
            w = weights / numpy.maximum(numpy.abs(errors + jacobian @ moved), 0.01)
            curvature = jacobian.T @ (w[:, None] * jacobian) + 2 * self.matrix
            curvature += damping * numpy.diag(numpy.diag(curvature) + 1e-7)
            right = -(jacobian.T @ (w * errors)) - 2 * (self.matrix @ point - self.right)
            moved = numpy.clip(numpy.linalg.solve(curvature, right), -0.7, 0.7)
        return moved

    def descend(self, point, rows, errors, rounds, jacobian=None, again=True):
        """Steps that lower the sum over `rows`, more damped until they do; with derivatives from `jacobian` where it is given, and
        made again for each further step if `again`. Returns the point, its errors and the last derivatives."""
        weights, damping, small = weights_of(rows), 1e-2, 0
        best = self.cost(errors, weights, point)
        for number in range(rounds):
            if jacobian is None or (number > 0 and again):
                jacobian = self.derivatives(point, rows, errors)
            for _ in range(6):
                trial = point + self.step(point, errors, jacobian, weights, damping)
                tried = self.errors_of(rows, trial)
                cost = self.cost(tried, weights, trial)
                if cost < best:
                    break
                damping *= 6
            else:
                break
            small = small + 1 if best - cost < 3e-4 * best else 0
            point, errors, best, damping = trial, tried, cost, damping / 6
            if again:
                print(f"round {number + 1}: {best:.5f}", flush=True)
            if small == 2:
                break
        return point, errors, jacobian


def table_of(row):
    kind = re.search(r"kind=(\w+)", row[3])
    return row[0] + (" " + kind.group(1) if kind else "")


def report(rows, errors):
    tables = {}
    for row, error in zip(rows, errors):
        tables.setdefault(table_of(row), []).append(abs(math.exp(error) - 1) * 100)
    for table, misses in tables.items():
        print(f"  {table:40} {len(misses):4} rows {numpy.mean(misses):6.2f} % mean {numpy.median(misses):6.2f} median", flush=True)


def group_of(row, what):
    labels = dict(label.split("=", 1) for label in row[3].split("; ") if "=" in label)
    if what == "table":
        return row[0]
    return labels.get("chip", "A100") if what == "chip" else labels.get("family") or labels["model"]


def left_out(fit, point, rows, errors, jacobian, what, rounds):
    """The errors of each row where its group is left out: perfc's, with the figures that a descent over the other rows leads to. One that
    no other row depends on begins where it starts, or as far from its family's mean as it is pulled to."""
    result = errors.copy()
    groups = numpy.array([group_of(row, what) for row in rows])
    for group in sorted(set(groups)):
        seen = groups != group
        others = [row for row, is_seen in zip(rows, seen) if is_seen]
        begin = point.copy()
        for i, (figure, family) in enumerate(zip(FIGURES, fit.families)):
            if jacobian[:, i].any() and not jacobian[seen, i].any():
                begin[i] = fit.start[i] if family is None else begin[family] + figure.apart
        found, *_ = fit.descend(begin, others, errors[seen], rounds, jacobian[seen], again=False)
        result[~seen] = fit.errors_of([row for row, is_seen in zip(rows, seen) if not is_seen], found)
        misses = numpy.abs(numpy.exp(result[~seen]) - 1) * 100
        print(f"    {group:30} {misses.size:4} rows {misses.mean():6.2f} % mean", flush=True)
    return result


def widths(rows, misses):
    """{table or table and kind: half width of the interval that another row keeps with 90 %}: the
    ceil(0.9 (n + 1))-th smallest of n left-out misses (split conformal prediction; Lei et al., JASA 113, 2018)."""
    tables = {}
    for row, miss in zip(rows, misses):
        tables.setdefault(table_of(row), []).append(miss)
    return {table: sorted(some)[min(math.ceil(0.9 * (len(some) + 1)), len(some)) - 1] for table, some in tables.items()}


# Runtimes with an interval of their own, and the tables that it comes from; that of others, of `stack`, is the widest of tables that were left out.
MEASURED = {"megatron_2021": [MEGATRON, SELECTIVE], "megatron": [MEGATRON], "nemo": [BRIDGE + " dense", LONG],
            "nemo_experts": [BRIDGE + " experts"], "nemo_hybrid": [BRIDGE + " hybrid"], "torchtitan": [TITAN],
            "pytorch_fsdp": [FOUNDRY]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("perfc")
    parser.add_argument("stdlib")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--leave", nargs="*", default=[])
    parser.add_argument("--continue", dest="goes_on", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    fit = Fit(Programs(arguments.perfc, arguments.stdlib, arguments.folder), arguments.jobs)
    point = fit.start
    if arguments.goes_on:
        texts = fit.programs.texts
        point = numpy.array([figure.logit(figure_of(texts[figure.places[0][0]], *figure.places[0][1:])) for figure in FIGURES])
    found = fit.errors(point)
    rows, errors = list(found), numpy.array(list(found.values()))
    point, errors, jacobian = fit.descend(point, rows, errors, arguments.rounds)
    report(rows, errors)
    for figure, x in zip(FIGURES, point):
        print(f"  {figure.name} {figure.text(x)}")
    misses, of_stack = numpy.abs(numpy.exp(-errors) - 1), None
    if arguments.leave:
        jacobian = fit.derivatives(point, rows, errors)
    for what in arguments.leave:
        print(f"each {what} left out")
        left = left_out(fit, point, rows, errors, jacobian, what, arguments.steps)
        if what == "table":
            of_stack = numpy.abs(numpy.exp(-left) - 1)
        else:
            misses = numpy.maximum(misses, numpy.abs(numpy.exp(-left) - 1))
        report(rows, left)
    if arguments.write:
        for file in (GENERATIONS, RUNTIMES):
            path = os.path.join(arguments.stdlib, file)
            with open(path, encoding="utf-8") as source:
                text = source.read()
            for (place, declaration, word), value in values_at(point).items():
                if place == file:
                    text = with_figure(text, declaration, word, re.sub(r"[\d.]+", lambda m: f"{float(m.group(0)):.3g}", value, count=1))
            for runtime, tables in MEASURED.items() if file == RUNTIMES and arguments.leave else []:
                width = max(q for table, q in widths(rows, misses).items() if table in tables)
                text = with_figure(text, runtime, "measured 1 \\+-", f"{math.ceil(100 * width)}%")
            if file == RUNTIMES and of_stack is not None:
                text = with_figure(text, "stack", "measured 1 \\+-", f"{math.ceil(100 * max(widths(rows, of_stack).values()))}%")
            with open(path + ".new", "w", encoding="utf-8") as out:
                out.write(text)
            os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
