# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models of modules of the library as models of ONNX, one phase after the other and with two layers where they have a parameter
for that, imports all of them again and prints those whose parameters or multiplications have changed.

usage: all_onnx.py PERFC EXPRESSION, which the names of the modules begin with, such as std.workloads or std.families.hugging_face.[a-l]
"""
import json
import re
import subprocess
import sys
from pathlib import Path

perfc, modules = sys.argv[1], re.compile(sys.argv[2])
batch = 100 # models of a program, so that their texts fit into memory


def perfc_json(*arguments):
    result = subprocess.run([perfc, *arguments], capture_output=True, text=True)
    return result.stdout, result.stderr


def program(statements):
    """A line for each; the modules' names are apart."""
    head = [f"import {module} as {module.replace('.', '_')}" for module in sorted({module for module, _ in statements})]
    body = [f"evaluate {module.replace('.', '_')}.{call} on counter using roofline" for module, call in statements]
    return head + ["import std.validate.counter"], body


def errors(statements):
    """What is wrong with each statement that is wrong, by its number."""
    head, body = program(statements)
    Path("check.perf").write_text("\n".join(head + body) + "\n")
    found = json.loads(perfc_json("check", "check.perf", "--diagnostics", "json")[1] or '{"diagnostics": []}')
    return {one["line"] - 1 - len(head): one for one in found["diagnostics"] if one["severity"] == "error"}


def small(signatures, name, nested=True):
    """Arguments that leave two layers, also of the models inside."""
    text = []
    for key, value in re.findall(r"(\w+) = (\d+|\w+\(\))(?=[,)])", signatures[name]):
        if value.isdigit() and re.search(r"layers?$|^depth$", key) and int(value) > 2:
            text.append(f"{key} = 2")
        elif nested and value.endswith("()") and value[:-2] in signatures and (inner := small(signatures, value[:-2], False)):
            text.append(f"{key} = {value[:-1]}{inner})")
    return ", ".join(text)


def counts(path, number):
    out, problems = perfc_json("run", path, "--json")
    results = json.loads(out)["results"]
    if len(results) != number:
        sys.exit(f"{path} has {len(results)} results of {number}:\n{problems[:2000]}")
    return [(result["params"], result["metrics"]["macs"]) for result in results]


def changed(models):
    """Of what models of ONNX say otherwise than these."""
    head, body = program([(module, f"{subject}({arguments})") for module, subject, arguments in models])
    body = [f'{line} {{ emit onnx "{i}.onnx" }}' for i, line in enumerate(body)]
    Path("library.perf").write_text("\n".join(head + body) + "\n")
    before = counts("library.perf", len(models))
    head = [f'import onnx "{i}.onnx" as n{i}' for i in range(len(models))]
    body = [f"evaluate n{i} on counter using roofline" for i in range(len(models))]
    Path("again.perf").write_text("\n".join(head + ["import std.validate.counter"] + body) + "\n")
    for (_, subject, _), one, other in zip(models, before, counts("again.perf", len(models))):
        if one != other:
            yield f"{subject}: {one} became {other}"


entries = [entry for entry in json.loads(perfc_json("list", "workload", "--json")[0])["library"]
           if modules.match(entry["module"]) and not entry["name"].startswith("_")]
signatures = {entry["name"]: entry["signature"] for entry in entries}
# A phase that no model has: the message says which ones there are.
phases = errors([(entry["module"], entry["name"] + ".none()") for entry in entries])
models = []
for number, entry in enumerate(entries):
    named = " ".join(remark["message"] for remark in phases.get(number, {}).get("remarks", []))
    for subject in re.findall(r"`(\w+\.\w+)`", named) or [entry["name"]]:
        models.append((entry["module"], subject, small(signatures, entry["name"])))
# Where two layers are none of it, such as with lists of layers, the model stays as it is; the rest needs arguments.
wrong = errors([(module, f"{subject}({arguments})") for module, subject, arguments in models])
whole = [(module, subject, "") for i, (module, subject, arguments) in enumerate(models) if i in wrong and arguments]
wrong_whole = errors([(module, subject + "()") for module, subject, _ in whole])
models = [model for i, model in enumerate(models) if i not in wrong]
models += [model for i, model in enumerate(whole) if i not in wrong_whole]

for number in range(0, len(models), batch):
    for line in changed(models[number:number + batch]):
        print(line)
print(len({subject.split('.')[0] for _, subject, _ in models}), "models,", len(models), "phases")
