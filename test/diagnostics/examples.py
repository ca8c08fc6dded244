# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/diagnostics.md against the compiler: each declared diagnostic has a section, each
failing example has exactly that diagnostic, each fixed example has none.

usage: examples.py PERFC DIAGNOSTICS.DEF DIAGNOSTICS.MD
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

# Kinds that no short `.perf` program shows, and where they are tested instead.
ELSEWHERE = {
    1: "bytes that a text page cannot hold: hostile.test",
    8: "takes thousands of brackets: hostile.test",
    9: "takes thousands of operators: hostile.test",
    10: "takes a million words: hostile.test",
    11: "takes a page of mistakes: hostile.test",
    127: "takes hundreds of definitions: deep.test",
}

# Kinds that are not about `.perf` programs have no section yet; their messages are tested there.
OTHER_PARTS = [
    (range(650, 660), "passes over textual IR: test/passes"),
    ((664, 671, 672, 673, 674, 675), "lowering of textual IR: test/passes"),
    (range(700, 800), "textual IR: test/ir, test/unit/ir_core"),
    (range(800, 900), "evaluation: test/unit/backends_core"),
    (range(900, 1000), "the command: test/driver"),
]


def needs_section(code):
    return not any(code in codes for codes, _ in OTHER_PARTS)


def declared(path):
    """[(code, name, message)] of Diagnostics.def."""
    with open(path, encoding="utf-8") as file:
        return [(int(code), name, message) for name, code, message in re.findall(
            r'^DIAG\((\w+), (\d+), \w+, "(.*)"\)$', file.read(), re.M)]


def sections(path):
    """{code: (name, [(language, text), …])} of the manual."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = {}
    for part in re.split(r"(?m)^## (?=PERF)", text)[1:]:
        code, name = re.match(r"PERF(\d{4}) (\w+)\n", part).groups()
        assert int(code) not in found, f"two sections for PERF{code}"
        found[int(code)] = (name, re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", part))
    return found


def check_message(code, message):
    if message[0].isupper() and not message.startswith("`"):
        yield f"PERF{code:04}: the message begins with a capital"
    if message.endswith("."):
        yield f"PERF{code:04}: the message ends with a full stop"
    automatic = "{}" in message.replace("{{}}", "")
    if automatic and re.search(r"\{\d+\}", message):
        yield f"PERF{code:04}: fmt allows either {{}} or {{0}} in one message"


def run(perfc, command, text):
    """Exit status and codes of what perfc reports about a program."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "example.perf"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([perfc, command, "--diagnostics=json", "example.perf"], cwd=folder,
                              capture_output=True, text=True, timeout=120)
    reported = json.loads(done.stderr)["diagnostics"] if done.stderr.strip() else []
    return done.returncode, [entry["code"] for entry in reported]


def check_section(perfc, code, blocks):
    failing, fixed = blocks[0], blocks[-1]
    name = f"PERF{code:04}"
    if failing[0] == "perf":
        status, codes = run(perfc, "check", failing[1])
        if status == 0:
            status, codes = run(perfc, "run", failing[1])
        if status != 2 or codes != [name]:
            yield f"{name}: the failing example exits {status} with {codes}"
    if fixed[0] == "perf":
        status, codes = run(perfc, "check", fixed[1])
        if status != 0 or codes:
            yield f"{name}: the fixed example exits {status} with {codes}"


def check(perfc, kinds, manual):
    for code, name, message in kinds:
        yield from check_message(code, message)
        if code not in manual:
            if needs_section(code):
                yield f"PERF{code:04} {name} has no section"
        elif manual[code][0] != name:
            yield f"PERF{code:04} is {name}, not {manual[code][0]}"
        elif len(manual[code][1]) != 2:
            yield f"PERF{code:04}: a section has a failing and a fixed example"
        elif (manual[code][1][0][0] != "perf") != (code in ELSEWHERE):
            yield f"PERF{code:04} is shown by a failing program or listed in ELSEWHERE, not both"
    known = {code for code, _, _ in kinds}
    yield from (f"PERF{code:04} is not declared" for code in manual if code not in known)
    if list(manual) != sorted(manual):
        yield "the sections are not sorted by code"


def main():
    perfc, declarations, page = sys.argv[1:]
    manual = sections(page)
    problems = list(check(perfc, declared(declarations), manual))
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(lambda item: list(check_section(perfc, item[0], item[1][1])), item)
                for item in manual.items() if len(item[1][1]) == 2]
        for job in jobs:
            problems += job.result()
    print("\n".join(problems) or f"{len(manual)} diagnostics explained")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
