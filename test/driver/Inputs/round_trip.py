# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports each mapping file of a folder, emits it again and imports that: the two programs are equal.

usage: round_trip.py PERFC FOLDER WORK
"""
import subprocess
import sys
from pathlib import Path


def perfc(*arguments):
    subprocess.run([program, *map(str, arguments)], check=True)


program, folder, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
work.mkdir(exist_ok=True)
equal = layers = 0
files = sorted(folder.glob("*.m"))
for file in files:
    first, emitted, second = (work / f"{file.stem}.{end}" for end in ("perf", "again.m", "again.perf"))
    perfc("import", "maestro", file, "-o", first)
    perfc("emit", first, "--to", "maestro", "-o", emitted)
    perfc("import", "maestro", emitted, "-o", second)
    equal += first.read_text() == second.read_text()
    layers += first.read_text().count("\nevaluate ")
print(f"{equal} of {len(files)} files equal, {layers} layers")
