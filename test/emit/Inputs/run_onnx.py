# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs models of ONNX that move and multiply data, with random inputs, and compares their results with sums over all points, which
stand here.

usage: run_onnx.py FOLDER, whose files are called after the functions below
"""
import itertools
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


def sliced(x, first, end, axes, steps):
    cut = [slice(None)] * x.ndim
    for a, b, axis, step in zip(first, end, axes, steps):
        cut[axis] = slice(a, None if b < -x.shape[axis] else b, step)
    return x[tuple(cut)]


def padded(x, pads):
    return np.pad(x, list(zip(pads[:x.ndim], pads[x.ndim:])))


def run(node, inputs):
    given = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
    x = inputs[0]
    return {
        "Add": lambda: x + inputs[1],
        "Concat": lambda: np.concatenate(inputs, given["axis"]),
        "Einsum": lambda: np.einsum(given["equation"].decode(), *inputs),
        "Expand": lambda: np.broadcast_to(x, inputs[1]),
        "Gather": lambda: np.take(x, inputs[1], given["axis"]),
        "MatMul": lambda: x @ inputs[1],
        "Mul": lambda: x * inputs[1],
        "Pad": lambda: padded(x, inputs[1]),
        "ReduceSum": lambda: x.sum(tuple(inputs[1])),
        "Reshape": lambda: x.reshape(inputs[1]),
        "Slice": lambda: sliced(*inputs),
        "Transpose": lambda: x.transpose(given["perm"]),
        "Unsqueeze": lambda: np.expand_dims(x, tuple(inputs[1])),
    }[node.op_type]()


def results(path, inputs):
    model = onnx.load(path)
    onnx.checker.check_model(model)
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for value in model.graph.input:
        values[value.name] = inputs[value.name]
    for node in model.graph.node:
        values[node.output[0]] = run(node, [values[name] for name in node.input])
    return [values[value.name] for value in model.graph.output]


def zeros_beside(x, *places):
    inside = all(0 <= place < extent for place, extent in zip(places, x.shape))
    return x[places] if inside else 0


def filled(shape, element):
    result = np.zeros(shape)
    for point in itertools.product(*map(range, shape)):
        result[point] = element(*point)
    return result


def windows(x, w):
    return [filled((2, 8, 4), lambda b, t, d: sum(zeros_beside(x, b, 2 * t + r - 1, d) * w[d, r] for r in range(3)))]


def digits(x):
    return [filled((2, 3, 8), lambda b, t, e: x[b, t * 2 + e // 4, e % 4])]


def wide_steps(x):
    return [filled((2, 3, 2), lambda b, t, k: x[b, t * 5 + k + 1])]


def beside(x, y):
    return [filled((4, 8), lambda n, d: x[n, d] * y[n, 0] + zeros_beside(x, n, d - 1) + zeros_beside(x, n + 1, 7 - d))]


def diagonal(x):
    return [np.diagonal(x)]


def shifted(x, place):
    return [filled((2, 5, 5), lambda h, i, j: x[h, i, j] + place[i, j + 4 - i])]


def halves(x):
    return [filled((3, 8), lambda b, t: x[b, t] if t < 4 else x[b, 7 - t] * 2)]


def inside(x):
    return [filled((5, 6), lambda i, j: zeros_beside(x, i - 1, j - 2))]


def one(x):
    return [np.repeat(x, 2, 0)]


def twice(x):
    return [x * 2, x.sum(1)]


def shared(x, w):
    return [filled((3, 2), lambda b, e: sum(x[b, 0, d] * w[d, 2 - e] for d in range(4)))]


random = np.random.default_rng(1)
for path in sorted(Path(sys.argv[1]).glob("*.onnx")):
    model = onnx.load(path)
    inputs = {value.name: random.integers(-9, 9, [dim.dim_value for dim in value.type.tensor_type.shape.dim]).astype(np.float32)
              for value in model.graph.input}
    found, wanted = results(path, inputs), globals()[path.stem](*inputs.values())
    same = len(found) == len(wanted) and all(np.array_equal(a, b) for a, b in zip(found, wanted))
    print(path.stem, "same" if same else f"{found} is not {wanted}")
