# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model of ONNX computes, as the description of each operator says, with numpy: a reference for small models."""
import itertools
import math

import numpy as np
import onnx
from onnx import numpy_helper

erf = np.vectorize(math.erf, otypes=[float])


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def normalised(x, axes, epsilon):
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(axes, keepdims=True) + epsilon)


def channels(scale, x):
    return scale.reshape((1, -1) + (1,) * (x.ndim - 2))


def windows(x, at, kernel):
    """Every window of the padded places `x`: its place in the result and its elements."""
    sides = len(kernel)
    strides, dilations = at.get("strides", [1] * sides), at.get("dilations", [1] * sides)
    counts = [(size - dilation * (taps - 1) - 1) // stride + 1
              for size, taps, stride, dilation in zip(x.shape[2:], kernel, strides, dilations)]
    for place in itertools.product(*(range(count) for count in counts)):
        steps = [slice(p * s, p * s + d * (k - 1) + 1, d) for p, s, d, k in zip(place, strides, dilations, kernel)]
        yield place, x[(slice(None), slice(None), *steps)]


def padded(x, at, value=0.0):
    sides = x.ndim - 2
    pads = at.get("pads", [0] * 2 * sides)
    return np.pad(x, [(0, 0), (0, 0), *zip(pads[:sides], pads[sides:])], constant_values=value)


def slid(x, at, kernel, made, element):
    parts = {place: element(window) for place, window in windows(x, at, kernel)}
    result = np.zeros((x.shape[0], made, *(max(place[i] for place in parts) + 1 for i in range(len(kernel)))))
    for place, part in parts.items():
        result[(slice(None), slice(None), *place)] = part
    return result


def conv(at, x, w):
    groups, axes, of = at.get("group", 1), tuple(range(2, w.ndim)), w.shape[0] // at.get("group", 1)

    def element(window):
        each = window.reshape(window.shape[0], groups, -1, *w.shape[2:])
        parts = [(each[:, g, None] * w[None, g * of:(g + 1) * of]).sum((2, *(a + 1 for a in axes))) for g in range(groups)]
        return np.concatenate(parts, 1)
    return slid(padded(x, at), at, w.shape[2:], w.shape[0], element)


def conv_transpose(at, x, w):
    sides, groups = w.ndim - 2, at.get("group", 1)
    strides, dilations = at.get("strides", [1] * sides), at.get("dilations", [1] * sides)
    pads, more = at.get("pads", [0] * 2 * sides), at.get("output_padding", [0] * sides)
    full = [(size - 1) * s + d * (k - 1) + 1 + m
            for size, s, d, k, m in zip(x.shape[2:], strides, dilations, w.shape[2:], more)]
    result = np.zeros((x.shape[0], groups * w.shape[1], *full))
    per = x.shape[1] // groups
    for place in itertools.product(*(range(size) for size in x.shape[2:])):
        for tap in itertools.product(*(range(size) for size in w.shape[2:])):
            to = tuple(p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations))
            for g in range(groups):
                part = x[(slice(None), slice(g * per, (g + 1) * per), *place)] @ w[(slice(g * per, (g + 1) * per), slice(None), *tap)]
                result[(slice(None), slice(g * w.shape[1], (g + 1) * w.shape[1]), *to)] += part
    cut = [slice(pads[i], size - pads[sides + i]) for i, size in enumerate(full)]
    return result[(slice(None), slice(None), *cut)]


def pool(at, x, reduced, value):
    kernel = at["kernel_shape"]
    return slid(padded(x, at, value), at, kernel, x.shape[1], lambda window: reduced(window, tuple(range(2, x.ndim))))


def sliced(x, starts, ends, axes):
    cut = [slice(None)] * x.ndim
    for start, end, axis in zip(starts, ends, axes):
        cut[axis] = slice(start, end)
    return x[tuple(cut)]


def layer_norm(at, x, scale, shift=0.0):
    return normalised(x, -1, at["epsilon"]) * scale + shift


def space_to_depth(x, b):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)


def resize(x, scales):
    for axis, scale in enumerate(scales):
        x = x.repeat(int(scale), axis)
    return x


def reduced(function):
    def run(at, x, axes=None):
        return function(x, axis=tuple(at.get("axes", axes)), keepdims=bool(at["keepdims"]))
    return run


OPERATORS = {
    "Add": lambda at, a, b: a + b, "Sub": lambda at, a, b: a - b, "Mul": lambda at, a, b: a * b,
    "Div": lambda at, a, b: a / b, "Pow": lambda at, a, b: a ** b, "Max": lambda at, a, b: np.maximum(a, b),
    "Min": lambda at, a, b: np.minimum(a, b), "MatMul": lambda at, a, b: a @ b,
    "Einsum": lambda at, *x: np.einsum(at["equation"].decode(), *x), "Erf": lambda at, x: erf(x),
    "Sigmoid": lambda at, x: 1 / (1 + np.exp(-x)), "Reciprocal": lambda at, x: 1 / x, "Neg": lambda at, x: -x,
    **{name: lambda at, x, f=getattr(np, name.lower()): f(x)
       for name in ["Abs", "Ceil", "Floor", "Cos", "Sin", "Exp", "Log", "Sqrt", "Tanh"]},
    "Relu": lambda at, x: np.maximum(x, 0), "Clip": lambda at, x, low, high: np.clip(x, low, high),
    "HardSigmoid": lambda at, x: np.clip(at["alpha"] * x + at["beta"], 0, 1),
    "HardSwish": lambda at, x: x * np.clip(x / 6 + 0.5, 0, 1), "Softmax": lambda at, x: softmax(x, at["axis"]),
    "ReduceSum": reduced(np.sum), "ReduceMax": reduced(np.max), "ReduceMin": reduced(np.min), "ReduceMean": reduced(np.mean),
    "Transpose": lambda at, x: x.transpose(at["perm"]), "Reshape": lambda at, x, shape: x.reshape(shape),
    "Unsqueeze": lambda at, x, axes: np.expand_dims(x, tuple(axes)), "Squeeze": lambda at, x: x.squeeze(),
    "Expand": lambda at, x, shape: np.broadcast_to(x, shape), "Identity": lambda at, x: x, "Cast": lambda at, x: x,
    "CastLike": lambda at, x, like: x, "Slice": lambda at, x, *cut: sliced(x, *cut),
    "Gather": lambda at, x, keys: x.take(keys.astype(int), at.get("axis", 0)),
    "GatherElements": lambda at, x, keys: np.take_along_axis(x, keys.astype(int), at["axis"]),
    "Concat": lambda at, *x: np.concatenate(x, at["axis"]), "Shape": lambda at, x: np.array(x.shape)[at["start"]:at["end"]],
    "Range": lambda at, first, end, step: np.arange(first, end, step), "Where": lambda at, c, a, b: np.where(c, a, b),
    "LessOrEqual": lambda at, a, b: a <= b, "Greater": lambda at, a, b: a > b, "GreaterOrEqual": lambda at, a, b: a >= b,
    "And": lambda at, a, b: a & b,
    "LayerNormalization": layer_norm, "Conv": conv, "ConvTranspose": conv_transpose,
    "InstanceNormalization": lambda at, x, scale, shift:
        normalised(x, tuple(range(2, x.ndim)), at["epsilon"]) * channels(scale, x) + channels(shift, x),
    "BatchNormalization": lambda at, x, scale, shift, mean, variance:
        (x - channels(mean, x)) / np.sqrt(channels(variance, x) + 1e-5) * channels(scale, x) + channels(shift, x),
    "MaxPool": lambda at, x: pool(at, x, np.max, -np.inf), "AveragePool": lambda at, x: pool(at, x, np.mean, 0.0),
    "GlobalAveragePool": lambda at, x: x.mean((2, 3), keepdims=True), "SpaceToDepth": lambda at, x: space_to_depth(x, at["blocksize"]),
    "Resize": lambda at, x, region, scales: resize(x, scales),
}


def attributes(node, call):
    """With those of the call that a function's node refers to."""
    return {one.name: call[one.ref_attr_name] if one.ref_attr_name else onnx.helper.get_attribute_value(one)
            for one in node.attribute}


def run_nodes(nodes, values, functions, call):
    for node in nodes:
        at, operands = attributes(node, call), [values[name] if name else None for name in node.input]
        if node.op_type == "Constant":
            results = [np.array(next(iter(at.values())))]
        elif node.domain == "perfc":
            function = functions[node.op_type]
            inner = dict(zip(function.input, operands))
            run_nodes(function.node, inner, functions, at)
            results = [inner[name] for name in function.output]
        elif node.op_type == "ConstantOfShape":
            continue  # a weight, which is given
        else:
            results = [OPERATORS[node.op_type](at, *operands)]
        values.update(zip(node.output, results))


def run(model, given):
    """The results on `given`, by name: inputs, and what stands in the place of the zeros of weights."""
    values = dict(given)
    for one in model.graph.initializer:
        values[one.name] = numpy_helper.to_array(one).astype(float) if one.data_type in (1, 10, 11) else numpy_helper.to_array(one)
    run_nodes(model.graph.node, values, {one.name: one for one in model.functions}, {})
    return [values[one.name] for one in model.graph.output]


def made(model):
    """Inputs and weights, in the order in which the program makes them: name, shape, and whether it holds whole numbers."""
    types = {one.name: one.type.tensor_type for one in [*model.graph.input, *model.graph.value_info, *model.graph.output]}
    weights = [node.output[0] for node in model.graph.node if node.op_type == "ConstantOfShape"]

    def described(name):
        return name, [dim.dim_value for dim in types[name].shape.dim], types[name].elem_type in (3, 5, 6, 7)
    return [described(one.name) for one in model.graph.input], [described(name) for name in weights]
