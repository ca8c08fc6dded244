# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has libonnx check models of ONNX, their types included, and prints the results of each.

usage: outputs.py FILE.onnx…
"""
import sys

import onnx

for path in sys.argv[1:]:
    model = onnx.load(path)
    onnx.checker.check_model(model)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    formats = {1: "fp32", 10: "fp16", 11: "fp64", 16: "bf16"}
    types = [result.type.tensor_type for result in model.graph.output]
    print(path, ", ".join(f"{[d.dim_value for d in t.shape.dim]} {formats[t.elem_type]}" for t in types))
