# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates every workload of the library that needs no arguments, and its phases, on an h100_sxm with more memory, into
which all fit: none may warn.

usage: run_library.py PERFC STDLIB PROGRAM.perf; PROGRAM.perf is written.
"""
import json
import pathlib
import re
import subprocess
import sys

CHIP = "import std.hardware.h100\nhardware roomy from h100_sxm { memory HBM { capacity 8TiB } }\n"


def parameters(signature: str, name: str) -> list[str]:
    """What stands between the parentheses behind the name, by commas that nothing encloses."""
    start = signature.find(name) + len(name)
    if signature[start : start + 1] != "(":
        return []
    depth, parts = 0, [""]
    for c in signature[start:]:
        depth += (c in "([") - (c in ")]")
        if depth == 0:
            break
        if c == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip("( ") for part in parts]


def phases(text: str, name: str) -> list[str]:
    block = re.search(rf"^workload {name}\b.*?^}}", text, re.S | re.M)
    return re.findall(r"\bphase (\w+)", block.group(0)) if block else []


def main(perfc: str, stdlib: str, program: str) -> int:
    listed = json.loads(subprocess.run([perfc, "list", "--json"], capture_output=True, text=True).stdout)["library"]
    workloads = [entry for entry in listed if entry["kind"] == "workload"]
    texts = {e["module"]: pathlib.Path(stdlib, *e["module"].split(".")[1:]).with_suffix(".perf").read_text() for e in workloads}

    def own_phases(entry) -> list[str]:
        base = re.search(r" from (?:\w+\.)?(\w+)\(", entry["signature"])
        if not base:
            return phases(texts[entry["module"]], entry["name"])
        known = [e for e in workloads if e["name"] == base.group(1) and e is not entry]
        imported = [e for e in known if e["module"] in re.findall(r"import ([\w.]+)", texts[entry["module"]])]
        own = [e for e in known if e["module"] == entry["module"]]
        inside = [e for e in known if e["module"].startswith("std.families")]
        found = own or imported or inside
        return own_phases(found[0]) if found else phases(texts[entry["module"]], base.group(1))  # one that is not listed

    lines, calls = [], []
    for entry in workloads:
        given = parameters(entry["signature"], entry["name"])
        if not entry["module"].startswith("std.workloads.") or any("=" not in parameter for parameter in given):
            continue
        module = entry["module"].split(".")[-1]
        has_phases = "clip_text" not in entry["name"]  # the text encoder of CLIP is a decoder without outputs
        for phase in [""] + ["." + phase for phase in own_phases(entry) if has_phases]:
            calls.append(entry["name"] + phase)
            lines.append(f"evaluate m_{module}.{calls[-1]} on roomy\n")
    modules = sorted({e["module"] for e in workloads if e["module"].startswith("std.workloads.")})
    with open(program, "w") as file:
        file.write(CHIP)
        file.write("".join(f"import {module} as m_{module.split('.')[-1]}\n" for module in modules))
        file.write("".join(lines))
    run = subprocess.run([perfc, "run", program, "--json"], capture_output=True, text=True)
    if run.stderr or run.returncode:
        print(run.stderr)
        return 1
    results = json.loads(run.stdout)["results"]
    wrong = abs(len(results) - len(calls))
    for call, result in zip(calls, results):
        if not (result["metrics"]["latency"] > 0 and result["metrics"]["macs"] > 0 and result["params"] > 0):
            print(f"{call}: {result['metrics']}")
            wrong += 1
    print(f"{len(calls)} calls, {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
