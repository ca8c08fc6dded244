# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models that compute shapes, shapes.onnx and branch.onnx, and one of equal layers, layers.onnx."""
from model import *

whole = lambda name, *values: tensor(name, [len(values)], INT64, list(values))

# x [n, 8] is padded to n + 3 rows, twice behind each other: 2 n + 6; a region is enlarged to twice its size.
shapes = graph(
    [
        node("Pad", "x pads", "p"),
        node("Concat", "p p", "c", axis=0),
        node("Shape", "c", "s"),
        node("Slice", "s zero one", "rows"),
        node("Mul", "rows two", "twice"),
        node("Div", "twice two", "same"),
        node("Concat", "same four", "form", axis=0),
        node("Concat", "form minus", "shape", axis=0),
        node("Reshape", "c shape", "r"),
        node("Sigmoid", "r", "y"),
        node("Range", "start end step", "steps"),
        node("Cast", "steps", "real", to=FLOAT),
        node("Mul", "y real", "z"),
        node("Resize", "image - scales", "large", mode="nearest"),
    ],
    [value("x", ["n", 8]), value("image", [1, 3, 4, 4])],
    [value("z", [None, 4, 2]), value("large", [1, 3, 8, 8])],
    [whole("pads", 1, 0, 2, 0), whole("zero", 0), whole("one", 1), whole("two", 2), whole("four", 4), whole("minus", -1),
     tensor("start", [], INT64, [0]), tensor("end", [], INT64, [4]), tensor("step", [], INT64, [2]),
     tensor("scales", [4], FLOAT, [1.0, 1.0, 2.0, 2.0])])
open("shapes.onnx", "wb").write(model(shapes, 13))

one = lambda op, name: graph([node(op, "x", name)], [], [value(name)])
branch = graph(
    [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "rows"),
        node("Equal", "rows one", "is_one"),
        node("If", "is_one", "y", "choice", then_branch=(6, one("Abs", "a")), else_branch=(6, one("Exp", "e"))),
    ],
    [value("x", ["n", 8])], [value("y", ["n", 8])],
    [tensor("zero", [], INT64, [0]), tensor("one", [], INT64, [1])])
open("branch.onnx", "wb").write(model(branch, 13))

# Six layers; the product of the fifth is a result as well, so that only the first four are alike inside and out.
nodes, stored = [], []
for i in range(6):
    stored.append(tensor(f"w{i}", [8, 8]))
    nodes += [node("MatMul", f"x{i} w{i}", f"m{i}"), node("Relu", f"m{i}", f"r{i}"), node("Add", f"r{i} x{i}", f"x{i + 1}")]
open("layers.onnx", "wb").write(
    model(graph(nodes, [value("x0", [4, 8])], [value("x6", [4, 8]), value("m4", [4, 8])], stored), 13))
