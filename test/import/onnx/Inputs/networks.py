# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small networks as ONNX models into the current folder: cnn.onnx, encoder.onnx and unknown.onnx."""
from model import *

# A convolutional network with what exporters write: pads that differ, groups, a pool that rounds up, a squeeze-and-excitation
# gate, hard swish in four operators, a flatten before the last product.
cnn = graph(
    [
        node("Conv", "image w1 b1", "c1", "stem", kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1]),
        node("BatchNormalization", "c1 g1 h1 m1 v1", "n1"),
        node("Relu", "n1", "r1"),
        node("MaxPool", "r1", "p1", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
        node("Conv", "p1 w2", "c2", kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=16),
        node("Add", "c2 three", "a1"),
        node("Clip", "a1 zero six", "a2"),
        node("Mul", "c2 a2", "a3"),
        node("Div", "a3 six", "s1"),
        node("GlobalAveragePool", "s1", "q1"),
        node("Conv", "q1 w3 b3", "q2", kernel_shape=[1, 1]),
        node("HardSigmoid", "q2", "q3"),
        node("Mul", "s1 q3", "q4"),
        node("Conv", "q4 w4", "c4", kernel_shape=[3, 1], pads=[1, 0, 1, 0], group=2),
        node("Conv", "q4 w5", "c5", kernel_shape=[1, 1]),
        node("Concat", "c4 c5", "t1", axis=1),
        node("AveragePool", "t1", "t2", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", "t2", "f"),
        node("Gemm", "f w6 b6", "logits", transB=1),
        node("Softmax", "logits", "class"),
    ],
    [value("image", ["batch", 3, 32, 32])],
    [value("class", ["batch", 10])],
    [
        tensor("w1", [16, 3, 3, 3]), tensor("b1", [16]),
        *(tensor(name, [16]) for name in ("g1", "h1", "m1", "v1", "b3")),
        tensor("w2", [16, 1, 3, 3]), tensor("three", [], FLOAT, [3.0]), tensor("zero", [], FLOAT, [0.0]),
        tensor("six", [], FLOAT, [6.0]), tensor("w3", [16, 16, 1, 1]), tensor("w4", [8, 8, 3, 1]), tensor("w5", [24, 16, 1, 1]),
        tensor("w6", [10, 32 * 4 * 4]), tensor("b6", [10]),
    ])
open("cnn.onnx", "wb").write(model(cnn, 13))


def layer_norm(x, out, prefix):
    return [
        node("ReduceMean", x, prefix + "mean", axes=[-1]),
        node("Sub", f"{x} {prefix}mean", prefix + "c"),
        node("Pow", f"{prefix}c two", prefix + "c2"),
        node("ReduceMean", prefix + "c2", prefix + "var", axes=[-1]),
        node("Add", f"{prefix}var eps", prefix + "e"),
        node("Sqrt", prefix + "e", prefix + "s"),
        node("Div", f"{prefix}c {prefix}s", prefix + "n"),
        node("Mul", f"{prefix}n {prefix}g", prefix + "m"),
        node("Add", f"{prefix}m {prefix}b", out),
    ]


def heads(x, name, order, out):
    """A projection with a bias, cut into four heads by a shape that is computed."""
    return [
        node("MatMul", f"{x} w{name}", name + "0"),
        node("Add", f"b{name} {name}0", name + "1"),
        node("Reshape", f"{name}1 cut", name + "2"),
        node("Transpose", name + "2", out, perm=order),
    ]


encoder = graph(
    [
        node("Gather", "table ids", "words"),
        node("Shape", "ids", "shape"),
        node("Gather", "shape first", "b0"),
        node("Gather", "shape second", "t0"),
        node("Unsqueeze", "b0 axis0", "b1"),
        node("Unsqueeze", "t0 axis0", "t1"),
        node("Concat", "b1 t1 parts", "cut", axis=0),
        node("Concat", "b1 t1 rest", "join", axis=0),
        *layer_norm("words", "x", "l1_"),
        *heads("x", "q", [0, 2, 1, 3], "q"),
        *heads("x", "k", [0, 2, 3, 1], "k"),
        *heads("x", "v", [0, 2, 1, 3], "v"),
        node("MatMul", "q k", "scores"),
        node("Div", "scores root", "scaled"),
        node("Softmax", "scaled", "weights", axis=-1),
        node("MatMul", "weights v", "mixed"),
        node("Transpose", "mixed", "turned", perm=[0, 2, 1, 3]),
        node("Reshape", "turned join", "joined"),
        node("MatMul", "joined wo", "o0"),
        node("Add", "o0 bo", "o1"),
        node("Add", "o1 x", "y"),
        *layer_norm("y", "z", "l2_"),
        node("MatMul", "z wu", "u0"),
        node("Add", "u0 bu", "u1"),
        node("Div", "u1 root2", "g0"),
        node("Erf", "g0", "g1"),
        node("Add", "g1 one", "g2"),
        node("Mul", "u1 g2", "g3"),
        node("Mul", "g3 half", "g4"),
        node("MatMul", "g4 wd", "d0"),
        node("Add", "d0 bd", "d1"),
        node("Add", "d1 z", "out"),
    ],
    [value("ids", ["batch", "seq"], INT64)],
    [value("out", ["batch", "seq", 64])],
    [
        tensor("table", [1000, 64]), tensor("first", [], INT64, [0]), tensor("second", [], INT64, [1]),
        tensor("axis0", [1], INT64, [0]), tensor("parts", [2], INT64, [4, 16]), tensor("rest", [1], INT64, [-1]),
        tensor("two", [], FLOAT, [2.0]), tensor("eps", [], FLOAT, [1e-5]), tensor("root", [], FLOAT, [4.0]),
        tensor("root2", [], FLOAT, [2.0**0.5]), tensor("one", [], FLOAT, [1.0]), tensor("half", [], FLOAT, [0.5]),
        *(tensor(name, [64]) for name in ("l1_g", "l1_b", "l2_g", "l2_b", "bq", "bk", "bv", "bo", "bd")),
        *(tensor(name, [64, 64]) for name in ("wq", "wk", "wv", "wo")),
        tensor("wu", [64, 256]), tensor("bu", [256]), tensor("wd", [256, 64]),
    ])
open("encoder.onnx", "wb").write(model(encoder, 14))

# Operators that the library does not have, one of them with two results.
unknown = graph(
    [
        node("Det", "x", "d"),
        node("TopK", "x k", "best where", "best"),
        node("Acos", "best", "c"),
        node("Acos", "c", "e"),
        node("Cast", "where", "w", to=FLOAT),
    ],
    [value("x", [8, 6, 6])],
    [value("d", [8]), value("e", [8, 6, 2]), value("w", [8, 6, 2])],
    [tensor("k", [1], INT64, [2])])
open("unknown.onnx", "wb").write(model(unknown))
