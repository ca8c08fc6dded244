# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the small programs of a test file and prints what perfc reports about each, for FileCheck.

A program begins with `=== name` and ends before its CHECK lines. Printed are the name, each
diagnostic with its notes and helps as `line:column: kind: message`, and the exit status.

usage: programs.py PERFC FILE
"""
import json
import re
import subprocess
import sys
import tempfile


def programs(path):
    with open(path, encoding="utf-8") as file:
        for part in re.split(r"(?m)^=== ", file.read())[1:]:
            name, _, body = part.partition("\n")
            lines = [line for line in body.split("\n") if not line.startswith(("CHECK", "#"))]
            yield name, "\n".join(lines)


def place(entry):
    """`line:column: `, with the file where it is not the program itself."""
    if "line" not in entry:
        return ""
    file = "" if entry["file"] == "<stdin>" else entry["file"] + ":"
    return f"{file}{entry['line']}:{entry['column']}: "


def main():
    perfc, path = sys.argv[1:]
    for name, text in programs(path):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([perfc, "check", "--diagnostics=json", "-"], input=text, cwd=folder,
                                  capture_output=True, text=True, timeout=120)
        print(f"=== {name}")
        for entry in json.loads(done.stderr)["diagnostics"] if done.stderr.strip() else []:
            print(f"{place(entry)}{entry['severity']}[{entry['code']}]: {entry['message']}")
            for remark in entry["remarks"]:
                print(f"{place(remark)}{remark['severity']}: {remark['message']}")
        print(f"exit {done.returncode}")


if __name__ == "__main__":
    main()
