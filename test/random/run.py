#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs perfc on random programs and checks what it prints.

A kind is a module beside this file with `def case(rng: random.Random) -> Case` (see case.py). Case i of a kind depends on
the kind, the seed and i alone, so that what failed runs again by itself: `--kinds KIND --seed SEED --first I --cases 1`.

usage: run.py PERFC [--kinds a,b] [--seed N] [--first I] [--cases N | --seconds S] [--print]
"""
import argparse
import importlib
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIMEOUT = 120  # s for one program; none of them takes a tenth of it
SHOWN = 10  # failures after which a run ends


def kinds() -> list[str]:
    """The names of all kinds: the modules of this folder that make cases."""
    return sorted(path.stem for path in HERE.glob("*.py") if "\ndef case(" in path.read_text())


def make(kind: str, seed: int, index: int):
    """Case `index` of a kind."""
    return importlib.import_module(kind).case(random.Random(f"{kind} {seed} {index}"))


def violations(perfc: str, case) -> list[str]:
    """What is wrong with the results of a case; nothing where all is right."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "case.perf")
        program.write_text(case.text)
        for name, text in case.files.items():
            Path(folder, name).write_text(text)
        try:
            run = subprocess.run([perfc, "run", str(program), "--json", *case.arguments], capture_output=True,
                                 text=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return [f"no end within {TIMEOUT} s"]
    if run.returncode not in case.status:
        return [f"exit status {run.returncode}", run.stderr.strip()]
    if run.returncode not in (0, 1):
        return []
    try:
        return case.check(json.loads(run.stdout))
    except json.JSONDecodeError as error:
        return [f"not a JSON document: {error}"]


def numbers(options):
    """The numbers of the cases to run, until their count or the time is spent."""
    end = time.monotonic() + options.seconds if options.seconds else None
    index = options.first
    while (time.monotonic() < end) if end else (index < options.first + options.cases):
        yield index
        index += 1


def main() -> int:
    parser = argparse.ArgumentParser(description="run perfc on random programs and check what it prints")
    parser.add_argument("perfc")
    parser.add_argument("--kinds", default=",".join(kinds()), help="of which kinds, with commas between (all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case (0)")
    parser.add_argument("--cases", type=int, default=20, help="how many of each kind (20)")
    parser.add_argument("--seconds", type=float, help="run so long instead, all kinds in turn")
    parser.add_argument("--print", action="store_true", help="print the programs and run nothing")
    options = parser.parse_args()
    chosen = options.kinds.split(",")
    if unknown := sorted(set(chosen) - set(kinds())):
        parser.error(f"no kind `{unknown[0]}`; there are {', '.join(kinds())}")
    ran, failed = 0, 0
    for index in numbers(options):
        for kind in chosen:
            case = make(kind, options.seed, index)
            if options.print:
                print(f"// {kind}, seed {options.seed}, case {index}\n{case.text}")
                continue
            ran += 1
            wrong = violations(options.perfc, case)
            if not wrong:
                continue
            failed += 1
            print(f"FAILS: --kinds {kind} --seed {options.seed} --first {index} --cases 1")
            print(case.text)
            print("\n".join(f"  {line}" for line in wrong), flush=True)
            if failed == SHOWN:
                print(f"{failed} of {ran} cases fail; the others did not run")
                return 1
    if not options.print:
        print(f"{failed} of {ran} cases fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
