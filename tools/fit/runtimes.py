#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits std.runtimes, and what long runs take of a chip's power, to measured training runs.

    runtimes.py PERFC STDLIB FOLDER [--rounds N] [--continue] [--leave chip|model|table] [--write]

FOLDER holds the tables of `perfc validate train_…`. FREE below names the figures that are free, where they start
(guesses, and rounded figures of earlier fits to some of these rows) and how far they may go. All tables are fitted together: the sum of |log(predicted / measured)|, a
table of n rows with the weight sqrt(n), plus PULL times the squares of how far each figure is from its start in the
logits of its bounds. Steps are Gauss-Newton with weights 1 / |error| (iteratively reweighted least squares),
with derivatives from one run of perfc for each figure, and are halved until the sum falls. --leave prints the errors of
rows whose chip, model or table is left out: they are predicted with the figures of a fit without them, of the linear model that the
derivatives of the last round give. Figures that only these rows tell of go back to where they started. --continue begins at the figures that STDLIB has, which takes a round or two where
little changed. Deterministic. --write puts the figures into STDLIB, and with --leave the intervals
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

# (file, declaration, word): all figures of a line have one value. Start, least, most, unit, tables.
GENERATIONS, RUNTIMES = "kernels/generations.perf", "runtimes.perf"


def of_runtime(*places):
    return [(RUNTIMES, declaration, word) for declaration, word in places]


BRIDGE, MEGATRON, SELECTIVE = "train_nemo_megatron_bridge", "train_megatron", "train_selective_recompute"
FOUNDRY, TITAN, LONG, CONTEXT = "train_llmfoundry", "train_torchtitan", "train_nemo_longseq", "train_longcontext_llama8b"
ALL = [BRIDGE, MEGATRON, FOUNDRY, SELECTIVE, LONG, CONTEXT, TITAN]
H100 = [BRIDGE, MEGATRON, FOUNDRY, TITAN, LONG, CONTEXT]
FREE = [
    ([(GENERATIONS, "gpu", "sustained")], 85, 40, 300, "%", ALL),
    ([(GENERATIONS, "gpu", "byte_energy")], 60, 5, 200, "pJ", ALL),
    (of_runtime(("stack", "attention_backward")), 83, 40, 99, "%", ALL),
    (of_runtime(("stack", "jitter")), 0.8, 0.01, 3, "%", ALL),
    (of_runtime(("megatron_2021", "gemm")), 84, 50, 99, "%", [MEGATRON, SELECTIVE]),
    (of_runtime(("megatron_2021", "memory")), 75, 30, 99, "%", [MEGATRON, SELECTIVE]),
    (of_runtime(("megatron_2021", "network")), 84, 40, 99, "%", [MEGATRON, SELECTIVE]),
    (of_runtime(("megatron", "gemm"), ("nemo_experts_h100", "gemm")), 85, 50, 99, "%", [MEGATRON, BRIDGE, LONG]),
    (of_runtime(("megatron", "gemm_fp8"), ("nemo_experts_h100", "gemm_fp8")), 80, 40, 99, "%", [MEGATRON, BRIDGE, LONG]),
    (of_runtime(("megatron", "attention"), ("nemo_experts_h100", "attention")), 50, 20, 95, "%", [MEGATRON, BRIDGE, LONG]),
    (of_runtime(("megatron", "memory")), 80, 30, 99, "%", [MEGATRON, BRIDGE, LONG]),
    (of_runtime(("megatron", "overlap_cost")), 12, 1, 60, "%", [MEGATRON, BRIDGE, LONG]),
    (of_runtime(("megatron", "overlap_tensor")), 50, 1, 95, "%", [MEGATRON, BRIDGE, LONG]),
    (of_runtime(("megatron", "step")), 20, 1, 200, "ms", [MEGATRON, BRIDGE, LONG]),
    (of_runtime(("nemo", "gemm")), 85, 50, 99, "%", [BRIDGE]),
    (of_runtime(("nemo", "gemm_fp8")), 78, 40, 99, "%", [BRIDGE, LONG]),
    (of_runtime(("nemo", "gemm_fp4")), 70, 30, 99, "%", [BRIDGE]),
    (of_runtime(("nemo", "attention")), 60, 20, 95, "%", [BRIDGE, LONG]),
    (of_runtime(("nemo", "overlap_tensor")), 80, 1, 95, "%", [BRIDGE, LONG]),
    (of_runtime(("let", "cast_tensor")), 2, 0.5, 10, "B", [BRIDGE, MEGATRON, LONG]),
    (of_runtime(("let", "cast_blocks")), 4, 1, 20, "B", [BRIDGE]),
    (of_runtime(("let", "cast_fp4")), 12, 2, 40, "B", [BRIDGE]),
    (of_runtime(("let", "host_captured")), 200, 1, 1500, "us", [BRIDGE]),
    (of_runtime(("let", "host_eager")), 270, 1, 1500, "us", [BRIDGE]),
    (of_runtime(("let", "host_padded")), 60, 1, 1500, "us", [BRIDGE]),
    (of_runtime(("let", "launch_each")), 5, 0.1, 100, "us", [BRIDGE]),
    (of_runtime(("let", "fused_share")), 65, 10, 99, "%", [BRIDGE]),
    (of_runtime(("let", "separate_share")), 60, 10, 99, "%", [BRIDGE]),
    (of_runtime(("let", "sorted_bytes")), 6, 1, 60, "B", [BRIDGE]),
    (of_runtime(("let", "sorted_twice")), 12, 1, 60, "B", [BRIDGE]),
    (of_runtime(("let", "hidden_all_to_all")), 10, 1, 95, "%", [BRIDGE]),
    (of_runtime(("let", "hidden_merged")), 40, 1, 95, "%", [BRIDGE]),
    (of_runtime(("let", "hidden_beside")), 70, 1, 98, "%", [BRIDGE]),
    (of_runtime(("let", "narrow_share")), 70, 20, 99, "%", [BRIDGE]),
    (of_runtime(("nemo_hybrid", "attention")), 20, 4, 80, "%", [BRIDGE]),
    (of_runtime(("torchtitan", "gemm")), 80, 40, 99, "%", [TITAN]),
    (of_runtime(("torchtitan", "gemm_fp8")), 75, 30, 99, "%", [TITAN]),
    (of_runtime(("torchtitan", "attention")), 27, 8, 80, "%", [TITAN]),
    (of_runtime(("torchtitan", "memory")), 70, 20, 99, "%", [TITAN]),
    (of_runtime(("torchtitan", "overlap_cost")), 25, 1, 60, "%", [TITAN]),
    (of_runtime(("torchtitan_async", "overlap_tensor")), 40, 1, 95, "%", [TITAN]),
    (of_runtime(("torchtitan_rowwise", "cast_bytes")), 5, 1, 60, "B", [TITAN]),
    (of_runtime(("pytorch_fsdp", "gemm")), 85, 50, 99, "%", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp", "attention")), 39, 10, 80, "%", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp", "memory")), 45, 15, 95, "%", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp", "launch")), 12, 1, 60, "us", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp", "overlap_cost")), 30, 1, 80, "%", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp", "step")), 15, 1, 60, "ms", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp", "cast_bytes")), 4, 1, 20, "B", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp_h100", "gemm")), 80, 40, 99, "%", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp_h100", "gemm_fp8")), 75, 30, 99, "%", [FOUNDRY]),
    (of_runtime(("pytorch_fsdp_h100", "attention")), 22, 8, 80, "%", [FOUNDRY]),
    (of_runtime(("deepspeed", "gemm")), 85, 50, 99, "%", [CONTEXT]),
    (of_runtime(("deepspeed_h100", "gemm")), 85, 50, 99, "%", [CONTEXT]),
    (of_runtime(("deepspeed", "attention")), 60, 20, 99, "%", [CONTEXT]),
    (of_runtime(("deepspeed_h100", "attention")), 60, 20, 99, "%", [CONTEXT]),
    (of_runtime(("deepspeed", "memory")), 45, 15, 99, "%", [CONTEXT]),
    (of_runtime(("deepspeed", "step")), 15, 1, 900, "ms", [CONTEXT]),
    (of_runtime(("deepspeed", "host_memory")), 16, 2, 80, "GB/s", [CONTEXT]),
]
PULL = 0.002
STEP = 0.15  # of a derivative, in logits


def block_of(text, declaration):
    return re.search(r"^(?:runtime|generation) %s\b[^{]*\{(?:[^\n]*\}$|.*?^\})" % declaration, text, re.M | re.S)


def figure_of(text, declaration, word):
    if declaration == "let":
        return float(re.search(r"^let %s = ([\d.]+)" % word, text, re.M).group(1))
    return float(re.search(r"(?:\n\s*|[{;] *)%s\s+([\d.]+)" % word, block_of(text, declaration).group(0)).group(1))


def logit(value, least, most):
    """A figure at a bound is a thousandth of the range within."""
    share = min(max((value - least) / (most - least), 1e-3), 1 - 1e-3)
    return math.log(share / (1 - share))


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


def figures(point):
    """{(file, declaration, word): value with unit}."""
    result = {}
    for (places, _, least, most, unit, _), x in zip(FREE, point):
        value = least + (most - least) / (1 + math.exp(-x))
        for place in places:
            result[place] = f"{value:.4g}{unit}"
    return result


class Programs:
    def __init__(self, perfc, stdlib, folder):
        self.perfc, self.folder, self.texts, self.programs = perfc, folder, {}, {}
        for sub in ("hardware", "kernels", "."):
            for name in sorted(os.listdir(os.path.join(stdlib, sub))):
                if name.endswith(".perf"):
                    with open(os.path.join(stdlib, sub, name), encoding="utf-8") as file:
                        self.texts[os.path.normpath(os.path.join(sub, name))] = file.read()
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
        for (file, declaration, word), value in figures(point).items():
            texts[file] = with_figure(texts[file], declaration, word, value)
        with tempfile.TemporaryDirectory() as folder:
            for file, text in texts.items():
                os.makedirs(os.path.join(folder, os.path.dirname(file)), exist_ok=True)
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    text = re.sub(r" *measured +1 [+]- [\d.]+%;?", "", text) if file == RUNTIMES else text
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
    def __init__(self, programs, jobs):
        self.programs, self.pool = programs, concurrent.futures.ThreadPoolExecutor(jobs)
        self.start = numpy.array([logit(s, least, most) for _, s, least, most, _, _ in FREE])

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
        return [found[row] for row in rows]

    def cost(self, errors, weights, point):
        return (weights * numpy.abs(errors)).sum() + PULL * ((point - self.start) ** 2).mean()

    def derivatives(self, point, rows, errors):
        index = {row: i for i, row in enumerate(rows)}
        jacobian = numpy.zeros((len(rows), len(FREE)))

        def one(task):
            column, table = task
            moved = point.copy()
            moved[column] += STEP
            return column, self.programs.run(table, moved)

        tasks = [(i, table) for i, free in enumerate(FREE) for table in free[5]]
        for column, result in self.pool.map(one, tasks):
            for row, error in result.items():
                if row in index:
                    jacobian[index[row], column] = (error - errors[index[row]]) / STEP
        return jacobian

    def step(self, point, errors, jacobian, weights, damping=1e-4, most=1):
        """The reweighted least-squares step of a linear model, no figure by more than `most`."""
        n = len(FREE)
        target, moved = errors.copy(), numpy.zeros(n)
        for _ in range(30):
            left = errors + jacobian @ moved
            w = weights / numpy.maximum(numpy.abs(left), 0.01)
            pull = 2 * PULL / n
            matrix = jacobian.T @ (w[:, None] * jacobian) + numpy.eye(n) * (pull + damping)
            right = -(jacobian.T @ (w * target)) - pull * (point - self.start)
            moved = numpy.clip(numpy.linalg.solve(matrix, right), -most, most)
        return moved

    def run(self, point, rounds):
        found = self.errors(point)
        rows = list(found)
        weights, errors = weights_of(rows), numpy.array([found[row] for row in rows])
        best = self.cost(errors, weights, point)
        report(rows, errors)
        jacobian = None
        for number in range(rounds):
            jacobian = self.derivatives(point, rows, errors)
            moved, scale = self.step(point, errors, jacobian, weights), 1.0
            while scale > 0.1:
                trial = point + scale * moved
                tried = self.errors(trial)
                tried = numpy.array([tried[row] for row in rows])
                cost = self.cost(tried, weights, trial)
                if cost < best:
                    break
                scale /= 2
            print(f"round {number + 1}: {best:.5f} to {cost:.5f} with {scale:g} of the step", flush=True)
            if cost >= best:
                break
            point, errors, best = trial, tried, cost
            report(rows, errors)
        return point, rows, errors, jacobian


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
    if what == "chip":
        on = re.search(r" x (\S+)", row[2])
        chip = labels.get("gpu") or labels.get("system") or (on.group(1) if on else "a100")
        return re.split(r"[_ ]", chip.upper().replace("DGX-", ""))[0]
    model = labels.get("model") or row[2].split(" on ")[0]
    llama = re.match(r"llama-?[23](?:\.1)?[-_](\d+b)", model, re.I)  # which tables write in several ways
    return llama.group(1).lower() if llama else model.split(" ")[0] if " (" in model or " x " in model else model


def left_out(fit, point, rows, errors, jacobian, what):
    """The errors of each row where its group is left out: predicted with the figures that the linear
    model of the fit has without the group. One that no other row depends on goes back to its start."""
    weights, result = weights_of(rows), errors.copy()
    groups = numpy.array([group_of(row, what) for row in rows])
    for group in sorted(set(groups)):
        seen = groups != group
        moved = fit.step(point, errors[seen], jacobian[seen], weights[seen] / weights[seen].sum(), damping=1e-9, most=3)
        result[~seen] = fit.errors_of([row for row, is_seen in zip(rows, seen) if not is_seen], point + moved)
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


# Runtimes with an interval of their own, and the tables that it comes from.
MEASURED = {"megatron_2021": [MEGATRON, SELECTIVE], "megatron": [MEGATRON], "nemo": [BRIDGE + " dense", LONG],
            "nemo_experts": [BRIDGE + " experts"], "nemo_hybrid": [BRIDGE + " hybrid"], "torchtitan": [TITAN],
            "pytorch_fsdp": [FOUNDRY]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("perfc")
    parser.add_argument("stdlib")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--leave", nargs="*", default=[])
    parser.add_argument("--continue", dest="goes_on", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    fit = Fit(Programs(arguments.perfc, arguments.stdlib, arguments.folder), arguments.jobs)
    point = fit.start
    if arguments.goes_on:
        texts = fit.programs.texts
        point = numpy.array([logit(figure_of(texts[file], declaration, word), least, most)
                             for ((file, declaration, word), *_), _, least, most, _, _ in FREE])
    point, rows, errors, jacobian = fit.run(point, arguments.rounds)
    for (places, *_), value in zip(FREE, [figures(point)[free[0][0]] for free in FREE]):
        print(f"  {places[0][1]} {places[0][2]} {value}")
    misses = numpy.abs(numpy.exp(-errors) - 1)
    if arguments.leave and jacobian is None:
        jacobian = fit.derivatives(point, rows, errors)
    for what in arguments.leave:
        print(f"each {what} left out")
        found = left_out(fit, point, rows, errors, jacobian, what)
        misses = numpy.maximum(misses, numpy.abs(numpy.exp(-found) - 1))
        report(rows, found)
    if arguments.write:
        for file in (GENERATIONS, RUNTIMES):
            path = os.path.join(arguments.stdlib, file)
            with open(path, encoding="utf-8") as source:
                text = source.read()
            for (place, declaration, word), value in figures(point).items():
                if place == file:
                    text = with_figure(text, declaration, word, re.sub(r"[\d.]+", lambda m: f"{float(m.group(0)):.3g}", value, count=1))
            for runtime, tables in MEASURED.items() if file == RUNTIMES and arguments.leave else []:
                width = max(q for table, q in widths(rows, misses).items() if table in tables)
                text = with_figure(text, runtime, "measured 1 \\+-", f"{math.ceil(100 * width)}%")
            with open(path + ".new", "w", encoding="utf-8") as out:
                out.write(text)
            os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
