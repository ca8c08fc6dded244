# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models.json for cnn.onnx of test/import/onnx: shapes, parameters and MACs, worked out by hand."""
import hashlib
import json

image, half, pooled, pixel = [1, 3, 32, 32], [1, 16, 16, 16], [1, 16, 8, 8], [1, 16, 1, 1]
square = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "group": 16}
LAYERS = [  # op, inputs, output, attributes, parameters
    ("Conv", [image, [16, 3, 3, 3], [16]], half, {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [0, 0, 1, 1]}, 448),
    ("BatchNormalization", [half, [16], [16], [16], [16]], half, {}, 64),
    ("Relu", [half], half, {}, 0),
    ("MaxPool", [half], pooled, {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}, 0),
    ("Conv", [pooled, [16, 1, 3, 3]], pooled, square, 144),
    ("Add", [pooled, []], pooled, {}, 0),
    ("Clip", [pooled, [], []], pooled, {}, 0),
    ("Mul", [pooled, pooled], pooled, {}, 0),
    ("Div", [pooled, []], pooled, {}, 0),
    ("GlobalAveragePool", [pooled], pixel, {}, 0),
    ("Conv", [pixel, [16, 16, 1, 1], [16]], pixel, {"kernel_shape": [1, 1]}, 272),
    ("HardSigmoid", [pixel], pixel, {}, 0),
    ("Mul", [pooled, pixel], pooled, {}, 0),
    ("Conv", [pooled, [8, 8, 3, 1]], [1, 8, 8, 8], {"kernel_shape": [3, 1], "pads": [1, 0, 1, 0], "group": 2}, 192),
    ("Conv", [pooled, [24, 16, 1, 1]], [1, 24, 8, 8], {"kernel_shape": [1, 1]}, 384),
    ("Concat", [[1, 8, 8, 8], [1, 24, 8, 8]], [1, 32, 8, 8], {"axis": 1}, 0),
    ("AveragePool", [[1, 32, 8, 8]], [1, 32, 4, 4], {"kernel_shape": [2, 2], "strides": [2, 2]}, 0),
    ("Flatten", [[1, 32, 4, 4]], [1, 512], {"axis": 1}, 0),
    ("Gemm", [[1, 512], [10, 512], [10]], [1, 10], {"transB": 1}, 5130),
    ("Softmax", [[1, 10]], [1, 10], {"axis": 1}, 0),
]
macs = 16 * 27 * 256 + 16 * 9 * 64 + 16 * 16 + 8 * 8 * 3 * 64 + 24 * 16 * 64 + 512 * 10
record = {
    "file": "models/cnn.onnx", "sha256": hashlib.sha256(open("cnn.onnx", "rb").read()).hexdigest(),
    "input_shapes": {"image": image}, "total_params_in_layers": sum(layer[4] for layer in LAYERS), "total_macs": macs,
    "layers": [dict(zip(("op", "inputs", "output", "attrs", "params"), layer)) for layer in LAYERS],
}
json.dump([record], open("models.json", "w"))
