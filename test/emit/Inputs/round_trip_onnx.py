# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes workloads of the library as models of ONNX, has libonnx check them and infer their shapes, and imports them again:
parameters, multiplications and shapes of results have to be those of the workloads.

usage: round_trip_onnx.py PERFC [NAME…]; all workloads that need no arguments without a name
"""
import json
import re
import subprocess
import sys
from pathlib import Path

import onnx

perfc, wanted = sys.argv[1], sys.argv[2:]


def run(*arguments):
    result = subprocess.run([perfc, *arguments], capture_output=True, text=True)
    return result.stdout, result.stderr, result.returncode


def workloads():
    """The workloads that can run as they are, each with its module; those with phases by both."""
    for entry in json.loads(run("list", "workload", "--json")[0])["library"]:
        is_model = entry["module"].startswith(("std.workloads.", "std.families.hugging_face."))
        if not is_model or wanted and entry["name"] not in wanted:
            continue
        for phase in ["", ".prefill", ".decode"]:
            program = f"import {entry['module']}.{entry['name']}\nimport std.validate.counter\n" \
                      f"evaluate {entry['name']}{phase} on counter using roofline\n"
            Path("one.perf").write_text(program)
            if run("check", "one.perf")[2] == 0:
                yield entry["name"] + phase, program


def counted(program):
    out, errors, status = run("run", program, "--json")
    if status:
        print(errors[:2000])
    return [(result["params"], result["metrics"]["macs"]) for result in json.loads(out)["results"]]


def shapes(values):
    return [[dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in values]


def results(path):
    return shapes(onnx.load(path).graph.output)


def check(path):
    """What libonnx says of the model: nodes of other domains than ONNX's, or a failure."""
    model = onnx.load(path)
    onnx.checker.check_model(model)
    declared = {value.name: value for value in [*model.graph.value_info, *model.graph.output]}
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    del bare.functions[:] # of several calls, libonnx 1.12 confuses what it knows of the sizes inside
    kept = {name for node in model.graph.node if node.domain or node.op_type == "Einsum" for name in node.output}
    bare.graph.value_info.extend(value for value in model.graph.value_info if value.name in kept)
    inferred = onnx.shape_inference.infer_shapes(bare, check_type=True, strict_mode=True, data_prop=True)
    for value in [*inferred.graph.value_info, *inferred.graph.output]:
        if value.name in declared:
            same = declared[value.name].type == value.type
            assert same, (path, value.name, shapes([declared[value.name], value]))
    missing = [name for name in declared if name not in {v.name for v in [*inferred.graph.value_info, *inferred.graph.output]}]
    assert not missing, (path, missing[:3])
    return sorted({node.op_type for node in model.graph.node if node.domain})


def compare():
    """Whether the workload of one.perf is the same when it comes back, with its nodes that ONNX does not have."""
    out, errors, status = run("emit", "one.perf", "--to", "onnx", "-o", "one.onnx")
    if status:
        return errors
    others = check("one.onnx")
    Path("again.perf").write_text('import onnx "one.onnx" as net\nimport std.validate.counter\n'
                                  "evaluate net on counter using roofline\n")
    out, errors, status = run("emit", "again.perf", "--to", "onnx", "-o", "again.onnx")
    if status:
        return errors
    check("again.onnx")
    before, after = counted("one.perf") + results("one.onnx"), counted("again.perf") + results("again.onnx")
    return " ".join(["same", *others]) if before == after else f"{before} became {after}"


for name, program in workloads():
    Path("one.perf").write_text(program)
    try:
        print(f"{name}: {compare()}", flush=True)
    except (AssertionError, KeyError, onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as problem:
        print(f"{name}: {problem}", flush=True)
