# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs give the same results from their text and from their IR after each pass.

usage: run_modules.py PERFC [--passes a,b] PROGRAM.perf…

`perfc run --json` of a program is compared with that of what `perfc ir --loc --after PASS` prints, byte by byte but for the name
of the file. What a program emits goes to a folder that is removed.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def run(perfc: str, file: Path, folder: str) -> tuple[int, str]:
    done = subprocess.run([perfc, "run", str(file), "--json"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.returncode, re.sub(r'^  "file": .*\n', "", done.stdout.decode(), count=1, flags=re.MULTILINE)


def pass_names(perfc: str) -> list[str]:
    """Those that the help for an unknown one names."""
    unknown = subprocess.run([perfc, "opt", "--passes", "?", "-"], input=b"", stderr=subprocess.PIPE).stderr.decode()
    return re.search(r"the passes are (.*)", unknown)[1].split(", ")


def first_difference(a: str, b: str) -> str:
    for left, right in zip(a.splitlines(), b.splitlines()):
        if left != right:
            return f"{left.strip()} | {right.strip()}"
    return "one is longer"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("perfc")
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--passes")
    options = parser.parse_args()
    options.perfc = str(Path(options.perfc).resolve())
    passes = options.passes.split(",") if options.passes else pass_names(options.perfc)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "module.ir")
        for program in map(Path.resolve, options.programs):
            status, expected = run(options.perfc, program, folder)
            if status == 2:
                print(f"{program}: does not run")
                failed += 1
                continue
            for name in passes:
                with open(text, "wb") as out:
                    subprocess.run([options.perfc, "ir", str(program), "--loc", "--after", name], stdout=out, check=True)
                again = run(options.perfc, text, folder)
                if again != (status, expected):
                    failed += 1
                    print(f"{program} after {name}: status {again[0]}, {first_difference(expected, again[1])}")
    print(f"{failed} differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
