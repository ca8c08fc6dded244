# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports Timeloop inputs, writes them as Timeloop inputs again, and imports those: the programs must be the same and pass
`perfc check`, and the input, the program and the written input must have the same numbers.

usage: roundtrip.py PERFC FOLDER…, which hold cases NAME/input.yaml or NAME.yaml.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def perfc(*arguments):
    return subprocess.run([sys.argv[1], *map(str, arguments)], capture_output=True, text=True, timeout=60)


def numbers(*arguments):
    """What --mode timeloop counts."""
    done = perfc("run", *arguments, "--mode", "timeloop", "--json")
    if done.returncode:
        raise RuntimeError(done.stderr)
    result = json.loads(done.stdout)
    result = result["results"][0] if "results" in result else result
    return unnamed(result)


def unnamed(value):
    """Without names, of which some are no names of the language."""
    if isinstance(value, list):
        return [unnamed(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = {key: unnamed(item) for key, item in value.items() if key not in ("file", "kernel", "name")}
    if "dataspaces" in named:
        named["dataspaces"] = list(named["dataspaces"].values())
    return named


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return abs(a - b) <= 1e-11 * max(abs(a), abs(b))
    return a == b


def trip(case, folder):
    """"same", or what is wrong."""
    first, yaml, second = folder / "a.perf", folder / "b.yaml", folder / "c.perf"
    for command in (("import", "timeloop", case, "-o", first), ("check", first),
                    ("emit", first, "--to", "timeloop", "-o", yaml), ("import", "timeloop", yaml, "-o", second)):
        done = perfc(*command)
        if done.returncode:
            return f"{command[0]}: {done.stderr}"
    if first.read_text() != second.read_text():
        return "differs"
    original = numbers(case, "--from", "timeloop")
    if not same(original, numbers(yaml, "--from", "timeloop")):
        return "the written input has other numbers"
    return "same" if same(original, numbers(first)) else "the program has other numbers"


def main():
    tally = {}
    for case in sorted(case for folder in sys.argv[2:] for case in Path(folder).rglob("*.yaml")):
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = trip(case, Path(folder))
            except RuntimeError as error:
                result = str(error)
        kind = "same" if result == "same" else "WRONG"
        tally[kind] = tally.get(kind, 0) + 1
        if kind == "WRONG":
            print(f"{case}: {result[:1500]}")
    print(", ".join(f"{count} {kind}" for kind, count in sorted(tally.items())))


main()
