# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports Timeloop inputs, writes them as Timeloop inputs again, and imports those: the programs must be the same, and pass
`perfc check`. What the language cannot say is refused with PERF1007.

usage: roundtrip.py PERFC FOLDER, which holds cases NAME/input.yaml.
"""
import subprocess
import sys
import tempfile
from pathlib import Path


def perfc(*arguments):
    return subprocess.run([sys.argv[1], *map(str, arguments)], capture_output=True, text=True, timeout=60)


def trip(case, folder):
    """"same", "refused", or what is wrong."""
    first, yaml, second = folder / "a.perf", folder / "b.yaml", folder / "c.perf"
    done = perfc("import", "timeloop", case, "-o", first)
    if done.returncode:
        return "refused" if "PERF1007" in done.stderr else done.stderr
    for command in (("check", first), ("emit", first, "--to", "timeloop", "-o", yaml),
                    ("import", "timeloop", yaml, "-o", second)):
        done = perfc(*command)
        if done.returncode:
            return f"{command[0]}: {done.stderr}"
    return "same" if first.read_text() == second.read_text() else "differs"


def main():
    tally = {}
    for case in sorted(Path(sys.argv[2]).glob("*/input.yaml")):
        with tempfile.TemporaryDirectory() as folder:
            result = trip(case, Path(folder))
        kind = result if result in ("same", "refused") else "WRONG"
        tally[kind] = tally.get(kind, 0) + 1
        if kind == "WRONG":
            print(f"{case.parent.name}: {result[:1500]}")
    print(", ".join(f"{count} {kind}" for kind, count in sorted(tally.items())))


main()
