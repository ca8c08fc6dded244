# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes damaged models, and prints the first line that perfc says to each. usage: hostile.py PERFC"""
import sys
from pathlib import Path

from model import *

sys.path.insert(0, str(Path(__file__).parents[2] / "Inputs"))
from damaged import check

x, y = value("x", [2, 3]), value("y", [2, 3])
plain = lambda *nodes, stored=(), inputs=(x,), outputs=(y,): model(graph(nodes, inputs, outputs, stored))


def external(location):
    entry = text(1, "location") + text(2, location)
    return tensor("w", [2, 3]) + text(13, entry) + number(14, 1)


deep = graph([node("Relu", "x", "y")], [], [y])
for _ in range(40):
    deep = graph([node("If", "x", "y", then_branch=(6, deep), else_branch=(6, deep[:0]))], [], [y])
again = text(1, "f") + text(4, "x") + text(5, "y") + text(7, node("f", "x", "y", domain="own")) + text(10, "own")

# Loops in loops, of 201 rounds each that would have to be unrolled.
turns = graph([node("Transpose", "h", "m"), node("Identity", "goes", "on")],
              [value("i", [], INT64), value("goes", [], BOOL), value("h", [2, 3])], [value("on"), value("m")])
for _ in range(4):
    turns = graph([node("Loop", "many - h", "l", body=(6, turns)), node("SequenceEmpty", "", "none"), node("Identity", "goes", "on")],
                  [value("i", [], INT64), value("goes", [], BOOL), value("h", [2, 3])], [value("on"), value("l")])
many = tensor("many", [], INT64, [201])
whole = lambda count: tensor("n", [], INT64, [count])

FILES = {
    "text.onnx": b"this is no model at all, but a line of text\n",
    "empty.onnx": b"",
    "dimension.onnx": plain(node("Add", "x w", "y"), stored=[tensor("w", [1 << 62, 4])]),
    "negative.onnx": plain(node("Add", "x w", "y"), stored=[tensor("w", [-5])]),
    "short.onnx": plain(node("Add", "x w", "y"), stored=[tensor("w", [1000, 1000, 1000]) + text(9, b"1234")]),
    "cycle.onnx": plain(node("Relu", "b", "a", "first"), node("Relu", "a", "b", "second"), outputs=[value("a", [2, 3])]),
    "twice.onnx": plain(node("Relu", "x", "a", "first"), node("Relu", "x", "a", "second"), outputs=[value("a", [2, 3])]),
    "wire.onnx": model(number(1, 7)),
    "fit.onnx": plain(node("MatMul", "x w", "y"), stored=[tensor("w", [4, 5])]),
    "axis.onnx": plain(node("Concat", "x x", "y", axis=9)),
    "window.onnx": plain(node("Conv", "i w", "y"), stored=[tensor("w", [4, 3, 9, 9])], inputs=[value("i", [1, 3, 5, 5])]),
    "huge.onnx": plain(node("Tile", "x n", "a"), node("Tile", "a n", "y"), stored=[tensor("n", [2], INT64, [1 << 50] * 2)]),
    "name.onnx": plain(node("Bogus", "x", "b", "n" * 1000000), outputs=[value("b")]),
    "outside.onnx": plain(node("Add", "x w", "y"), stored=[external("../../etc/passwd")]),
    "nested.onnx": model(deep),
    "calls.onnx": model(graph([node("f", "x", "y", domain="own")], [x], [y]), functions=[again]),
    "turns.onnx": plain(node("Loop", "many - x", "y", body=(6, turns)), stored=[many], outputs=[value("y")]),
    "rounds.onnx": plain(node("Loop", "n - x", "y", body=(6, graph([node("Add", "h h", "m"), node("Identity", "goes", "on")], [
        value("i", [], INT64), value("goes", [], BOOL), value("h", [2, 3])], [value("on"), value("m")]))), stored=[whole(-7)]),
    "body.onnx": plain(node("Scan", "x", "y", body=(6, graph([], [], [])), num_scan_inputs=1)),
    "heads.onnx": plain(node("MultiHeadAttention", "q q q", "y", domain="com.microsoft", num_heads=0), inputs=[value("q", [1, 4, 8])]),
    "groups.onnx": plain(node("GroupQueryAttention", "q - - - - l t", "y", domain="com.microsoft", num_heads=1 << 62, kv_num_heads=3),
                         inputs=[value("q", [1, 4, 8]), value("l", [1]), value("t", [])]),
    "item.onnx": plain(node("SequenceConstruct", "x x", "s"), node("SequenceAt", "s n", "y"), stored=[whole(9)]),
    "value.onnx": plain(node("Constant", "", "c"), node("Add", "x c", "y")),
    "nothing.onnx": plain(node("Transpose", "", "t"), node("Where", "x", ""), node("Relu", "x", "y")),
    "module.onnx": plain(node("relu", "x", "y", domain="perfc", module="std.ops/../../relu")),
    "zeros.onnx": plain(node("ConstantOfShape", "n", "w"), node("Tile", "w n", "y"), stored=[tensor("n", [2], INT64, [1 << 50] * 2)])
                  + text(2, "perfc"),
    "scale.onnx": plain(node("Resize", "x - s", "y"), stored=[tensor("s", [2], FLOAT, [1.0, 1e-38])]),
    "large.onnx": plain(node("Tile", "x n", "a"), node("Resize", "a - s", "y"),
                        stored=[tensor("n", [2], INT64, [1, 1 << 52]), tensor("s", [2], FLOAT, [1.0, 1.5])], outputs=[value("y")]),
    "beside.onnx": plain(node("Add", "x w", "y"), stored=[external("weights.bin")]),
}


# A sound model, to be damaged.
sound = plain(node("Reshape", "x n", "a"), node("MatMul", "a w", "b"), node("Softmax", "b", "y"),
              stored=[tensor("n", [2], INT64, [3, 2]), tensor("w", [2, 4])])
check(FILES, sound, 150)
