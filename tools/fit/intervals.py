#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives libraries of collectives in stdlib their error intervals, from rows that no fit has seen.

    intervals.py PERFC STDLIB COLLECTIVE.csv BUSBW.csv [--write]

The tables are those of collectives.py. perfc predicts them; a row of the half `test` misses by |measured / predicted - 1|. The interval `measured 1 +- q` of a
library has as q the ceil(0.9 (n + 1))-th smallest miss of its n unseen rows, which another row of the
same kind keeps with a probability of at least 90 % (split conformal prediction; Lei et al., JASA 113, 2018).
Libraries have one from 1 MiB on and one below, where they have 19 rows of it (fewer leave none of them outside),
else that of all rows of that size of the library on its kind of network (NVLink, PCIe), else of both sizes there.
Where q is 100 % and more there is no interval. Prints the intervals and
how many of the rows they cover: of the fitted half, of the unseen one, and of the unseen one with each group of rows
(one collective and number of ranks on its network) left out of the rows that its interval is made of,
which is the honest figure. --write puts the figures into STDLIB.
"""
import argparse
import collections
import csv
import math
import os
import re
import subprocess
import tempfile

LEVEL, LEAST = 0.9, 19
Row = collections.namedtuple("Row", "half key group miss")


def validate(perfc, kind, path):
    """Rows of a table with the labels as a dictionary; of measured times or bandwidths."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "rows.csv")
        subprocess.run([perfc, "validate", kind, path, "--rows", out, "--quiet"], check=True)
        with open(out, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["prediction"] and row["reference"]:
                    labels = dict(label.split("=", 1) for label in row["labels"].split("; "))
                    ratio = float(row["reference"]) / float(row["prediction"])
                    yield row["metric"], labels, ratio


def half_width(misses):
    """The quantile that one more of the same keeps with LEVEL; the largest where they are too few."""
    place = math.ceil(LEVEL * (len(misses) + 1) - 1e-9)
    return sorted(misses)[min(place, len(misses)) - 1] if misses else math.inf


def text(width):
    """In percent, rounded up, so that the row at the end of the interval stays inside."""
    digits = 10 if width < 0.099 else 1
    return "%g%%" % (math.ceil(100 * digits * width - 1e-9) / digits)


class Intervals:
    """Rows by key, and for each key the chain of pools that it may take its interval from."""

    def __init__(self):
        self.rows, self.pools = [], {}

    def pool(self, key):
        """The first of its pools with enough unseen rows, else the last."""
        for pool in self.pools[key]:
            rows = [r for r in self.rows if r.half == "test" and r.key in pool]
            if len(rows) >= LEAST:
                break
        return rows

    def width(self, key):
        return half_width([r.miss for r in self.pool(key)])

    def coverage(self, key):
        """(covered, rows) of the fitted half, of the unseen one, and with each group left out of the pool."""
        own, pool, width = [r for r in self.rows if r.key == key], self.pool(key), self.width(key)
        result = []
        for half in ("fit", "test"):
            rows = [r for r in own if r.half == half]
            result.append((sum(r.miss <= width for r in rows), len(rows)))
        unseen, covered = [r for r in own if r.half == "test"], 0
        for row in unseen:
            others = [r.miss for r in pool if (r.key, r.group) != (row.key, row.group)]
            covered += bool(others) and row.miss <= half_width(others)
        return result + [(covered, len(unseen))]


def collectives(perfc, paths):
    """Keys are (network, library, is small)."""
    intervals = Intervals()
    for kind, path in paths:
        for metric, labels, ratio in validate(perfc, kind, path):
            if metric == "time_us" or "half" not in labels:
                continue
            network, library, size = labels["library"].split(" ")
            ratio = 1 / ratio if metric == "busbw_gbs" else ratio
            intervals.rows.append(Row(labels["half"], (network, library, size == "<1MiB"),
                                      labels["collective"] + labels["ranks"], abs(ratio - 1)))
    for key in {r.key for r in intervals.rows}:
        same = {k for k in (r.key for r in intervals.rows) if k[1] == key[1] and (k[0][0] == "n") == (key[0][0] == "n")}
        intervals.pools[key] = [{key}, {k for k in same if k[2] == key[2]}, same]
    return intervals


def percent(covered):
    return "%5.1f (%3d)" % (100 * covered[0] / covered[1], covered[1]) if covered[1] else "    -      "


def show(intervals, keys, name):
    """Prints a line per key and one for all; returns the widths."""
    widths, sums = {}, [[0, 0] for _ in range(3)]
    print("%-34s %9s %5s   %-11s   %-11s   %s" % ("covered in % (rows)", "interval", "from", "fitted half", "other half",
                                                  "left out"))
    for key in keys:
        width, parts = intervals.width(key), intervals.coverage(key)
        widths[key] = width
        if width >= 1:
            print("%-34s %9s" % (name(key), "none"))
            continue
        for total, part in zip(sums, parts):
            total[0] += part[0]
            total[1] += part[1]
        print("%-34s %9s %5d   %s" % (name(key), text(width), len(intervals.pool(key)), "   ".join(map(percent, parts))))
    print("%-34s %9s %5s   %s\n" % ("all", "", "", "   ".join(map(percent, sums))))
    return widths


# ---- stdlib ----


def edit(path, change):
    with open(path, encoding="utf-8") as file:
        old = file.read()
    new = change(old)
    if new != old:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)


def with_library(source, network, library, figures):
    """`source` with `figures`, [(word, width, rows)], in that library of that network."""
    start = re.search(r"^network %s \{$" % network, source, re.M).start()
    end = source.index("\n}\n", start)
    block = re.search(r"^  library %s \{\n(?:.*\n)*?  \}$" % library, source[start:end], re.M)
    if not block:
        return source
    body = re.sub(r"^ *(?:measured|measured_small) 1 \+-.*\n", "", block.group(0), flags=re.M)
    lines = "".join("    %s 1 +- %s  // 90 %% of %d rows that no fit has seen\n" % (word, text(width), rows)
                    for word, width, rows in figures if width < 1)
    body = body.replace("{\n", "{\n" + lines, 1)
    return source[:start + block.start()] + body + source[start + block.end():]


def write_libraries(folder, intervals, widths):
    networks = {"nvlink3": "nvlink3", "nvlink4": "nvlink4", "nvlink5": "nvlink5", "nvl72": "nvl72", "pcie4": "pcie",
                "pcie5": "pcie"}
    for network, library in sorted({key[:2] for key in widths}):
        figures = [(word, widths[key], len(intervals.pool(key)))
                   for word, key in (("measured", (network, library, False)), ("measured_small", (network, library, True)))
                   if key in widths]
        for name in [library] + (["nccl_tests_ring"] if library == "nccl_tests" else []):  # its parameters
            edit(os.path.join(folder, "interconnects", networks[network] + ".perf"),
                 lambda source: with_library(source, network, name, figures))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("perfc", "stdlib", "collectives", "busbw"):
        parser.add_argument(name)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    measured = collectives(arguments.perfc, [("collective", arguments.collectives),
                                             ("collectives_busbw", arguments.busbw)])
    keys = sorted(measured.pools, key=lambda k: (k[0][0] == "p", k[0] == "nvl72", k))
    widths = show(measured, keys, lambda key: "%s %s%s" % (key[0], key[1], " below 1 MiB" if key[2] else ""))
    if arguments.write:
        write_libraries(arguments.stdlib, measured, widths)


if __name__ == "__main__":
    main()
