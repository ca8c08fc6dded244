# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models that compute shapes, shapes.onnx, sizes.onnx, found.onnx, part.onnx, parts.onnx and branch.onnx, and of equal layers, layers.onnx and aliases.onnx."""
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

# Where there may be nothing to do, the branch that does something counts.
nothing = graph([node("Identity", "empty", "none")], [], [value("none")])
something = graph([node("NonZero", "x", "places"), node("Transpose", "places", "rows", perm=[1, 0]), node("GatherND", "x rows", "kept")], [],
                  [value("kept")])
kept = graph(
    [
        node("If", "is_none", "y", "choice", then_branch=(6, nothing), else_branch=(6, something)), node("Relu", "y", "z"),
    ],
    [value("x", ["n", 8]), value("is_none", [], BOOL)], [value("z")], [tensor("empty", [0])])
open("kept.onnx", "wb").write(model(kept, 13))

# Six layers; the product of the fifth is a result as well, so that only the first four are alike inside and out.
nodes, stored = [], []
for i in range(6):
    stored.append(tensor(f"w{i}", [8, 8]))
    nodes += [node("MatMul", f"x{i} w{i}", f"m{i}"), node("Relu", f"m{i}", f"r{i}"), node("Add", f"r{i} x{i}", f"x{i + 1}")]
open("layers.onnx", "wb").write(
    model(graph(nodes, [value("x0", [4, 8])], [value("x6", [4, 8]), value("m4", [4, 8])], stored), 13))

# Sizes by reductions, one-hot rows and rows of a table: 4 is the larger of 3 and 4; x is written 5 times along its second dimension; the last
# row of the table of shapes is 10, 4.
sizes = graph(
    [
        node("ReduceMax", "sides", "side", keepdims=0),
        node("Cast", "side", "whole", to=INT64),
        node("Unsqueeze", "whole zero", "length"),
        node("Concat", "length minus", "form", axis=0),
        node("Reshape", "x form", "r"),
        node("OneHot", "place two counts", "tiles", axis=-1),
        node("Squeeze", "tiles zero", "repeats"),
        node("Tile", "r repeats", "t"),
        node("Gather", "table last", "row", axis=0),
        node("Reshape", "t row", "u"),
        node("Sigmoid", "u", "y"),
    ],
    [value("x", [2, 4])], [value("y", [10, 4])],
    [tensor("sides", [2], FLOAT, [3.0, 4.0]), whole("zero", 0), whole("minus", -1), tensor("place", [1], INT64, [1]),
     tensor("two", [], INT64, [2]), tensor("counts", [2], INT64, [1, 5]), tensor("table", [2, 2], INT64, [1, 2, 10, 4]),
     tensor("last", [], INT64, [-1])])
open("sizes.onnx", "wb").write(model(sizes, 13))

# Two layers whose tensors are equal, so that an exporter stores them once: the second has other names for them. A normalisation of groups
# as exporters write it, whose scale has a dimension for each of the image's.
def normalised(x, scale, shift, y):
    return [node("Reshape", f"{x} groups", f"{y}g"), node("InstanceNormalization", f"{y}g ones zeros", f"{y}n"),
            node("Reshape", f"{y}n image", f"{y}i"), node("Mul", f"{y}i {scale}", f"{y}s"), node("Add", f"{y}s {shift}", y)]


aliases = graph(
    [node("Identity", "s1", "s2"), node("Identity", "b1", "b2"), node("Identity", "w1", "w2"),
     *normalised("x", "s1", "b1", "n1"), node("Conv", "n1 w1", "c1"), node("Add", "x c1", "a1"),
     *normalised("a1", "s2", "b2", "n2"), node("Conv", "n2 w2", "c2"), node("Add", "a1 c2", "a2")],
    [value("x", [1, 16, 4, 4])], [value("a2", [1, 16, 4, 4])],
    [whole("groups", 0, 2, -1), whole("image", 1, 16, 4, 4), tensor("ones", [2]), tensor("zeros", [2]), tensor("s1", [16, 1, 1]),
     tensor("b1", [16, 1, 1]), tensor("w1", [16, 16, 1, 1])])
open("aliases.onnx", "wb").write(model(aliases, 13))

# A result that the model is said to have, without a name for how many; and a shape without dimensions.
found = graph(
    [node("NonZero", "x", "places"), node("ReduceSum", "x", "sum", keepdims=1), node("Reshape", "sum none", "all")],
    [value("x", [6])], [value("places", [1, None], INT64), value("all", [])], [tensor("none", [0], INT64, [])])
open("found.onnx", "wb").write(model(found, 13))

# Parts whose ends, and zeros whose sizes, data decides.
part = graph(
    [node("ReduceMax", "i", "end", keepdims=1), node("Slice", "x zero end rows", "y"), node("Concat", "end end", "size", axis=0),
     node("ConstantOfShape", "size", "z"), node("Relu", "z", "w")],
    [value("x", [8, 4]), value("i", [3], INT64)], [value("y"), value("w")],
    [tensor("zero", [1], INT64, [0]), tensor("rows", [1], INT64, [0])])
open("part.onnx", "wb").write(model(part, 13))

# Row 1 of a table twice, its column 1, which has as many elements, and one part of another table twice.
parts = graph(
    [
        node("Gather", "table one", "row", axis=0), node("Gather", "table one", "same_row", axis=0),
        node("Gather", "table one", "column", axis=1), node("Slice", "other start end", "part"),
        node("Slice", "other start end", "same_part"), node("Mul", "x row", "a"), node("Mul", "a same_row", "b"),
        node("Mul", "b column", "c"), node("Mul", "c part", "d"), node("Mul", "d same_part", "y"),
    ],
    [value("x", [4, 4])], [value("y", [4, 4])],
    [tensor("table", [4, 4]), tensor("other", [9, 4]), tensor("one", [], INT64, [1]), whole("start", 2), whole("end", 6)])
open("parts.onnx", "wb").write(model(parts, 13))
