# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates the workloads without parameters of a file in double precision, writes them as models of ONNX and has libonnx check them;
then computes each from its IR and from the model, on the same numbers, and compares.

usage: same_values.py PERFC FILE.perf
"""
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx_values import made, run
from ir_values import Module

perfc, source = sys.argv[1:]
numbers = np.random.default_rng(1)


def command(*arguments):
    result = subprocess.run([perfc, *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def drawn(name, shape, isWhole):
    if name in ("mean", "variance"): # of a batch normalisation: they are part of scale and shift in the library
        return np.full(shape, 0.0 if name == "mean" else 1 - 1e-5)
    return numbers.integers(0, 2, shape) if isWhole else numbers.uniform(0.25, 1.25, shape)


def compare(name, module):
    model = onnx.load(f"models/{name}.onnx")
    onnx.checker.check_model(model)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    inputs, weights = made(model)
    given = {one[0]: drawn(*one) for one in inputs + weights}
    ofInputs, ofWeights = iter(inputs), iter(one for one in weights if one[0] not in ("mean", "variance"))
    tensors = [given[next(ofWeights if kind == "weight" else ofInputs)[0]] for kind in module.kinds(name)]
    wanted, found = module.run(name, tensors), run(model, given)
    for a, b in zip(wanted, found):
        assert a.shape == b.shape, f"{a.shape} became {b.shape}"
        assert np.allclose(a, b, rtol=1e-6, atol=1e-6), f"{a.flat[:4]} became {b.flat[:4]}"
    operators = [node.op_type for node in model.graph.node if node.op_type != "ConstantOfShape"]
    return f"{name}: same {' '.join(operators)}"


text = Path(source).read_text()
names = re.findall(r"^workload (\w+)\(\)", text, re.MULTILINE)
program = "all.perf"
Path(program).write_text(text + "".join(f"evaluate {name}(dtype = fp64) on counter using roofline\n" for name in names))
command("emit", program, "--to", "onnx", "-o", "models/")
for printed in command("ir", program).split("// -----"):
    module, name = Module(printed), re.search(r"study.evaluate .*?subject = @(\w+)", printed)[1]
    try:
        print(compare(name, module))
    except (AssertionError, KeyError, onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as problem:
        print(f"{name}: {type(problem).__name__} {problem}")
