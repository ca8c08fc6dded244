# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes fused.onnx, operators of com.microsoft, quantised.onnx, a convolution between dequantised
tensors, and blocked.onnx, layers in blocks of channels."""
from model import *

fused = graph(
    [
        node("SkipLayerNormalization", "x skip g b", "n - - sum", domain="com.microsoft"),
        node("MatMulNBits", "n w s", "m", domain="com.microsoft", K=64, N=256, bits=4, block_size=32),
        node("BiasGelu", "m bias", "h", domain="com.microsoft"),
        node("MatMul", "h down", "d"),
        node("SkipSimplifiedLayerNormalization", "d sum g", "y", domain="com.microsoft"),
        node("FastGelu", "y", "z", domain="com.microsoft"),
        node("LSTM", "z wx wh wb", "states last -", hidden_size=32),
    ],
    [value("x", [7, 2, 64]), value("skip", [7, 2, 64])],
    [value("states", [7, 1, 2, 32]), value("last", [1, 2, 32])],
    [tensor("g", [64]), tensor("b", [64]), tensor("w", [256, 2, 16], UINT8), tensor("s", [512]), tensor("bias", [256]),
     tensor("down", [256, 64]), tensor("wx", [1, 128, 64]), tensor("wh", [1, 128, 32]), tensor("wb", [1, 256])])
open("fused.onnx", "wb").write(model(fused, domains=["com.microsoft"]))

blocked = graph(
    [
        node("Conv", "x w b", "c", domain="com.microsoft.nchwc", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], activation="Relu"),
        node("ReorderOutput", "c", "r", domain="com.microsoft.nchwc", channels=12),
        node("Sigmoid", "r", "s"),
        node("ReorderInput", "s", "t", domain="com.microsoft.nchwc"),
        node("Conv", "t v b - c", "u", domain="com.microsoft.nchwc", kernel_shape=[1, 1]),
        node("GlobalAveragePool", "u", "m", domain="com.microsoft.nchwc"),
        node("ReorderOutput", "m", "y", domain="com.microsoft.nchwc", channels=16),
    ],
    [value("x", [1, 3, 32, 32])], [value("y", [1, 16, 1, 1])],
    [tensor("w", [16, 3, 3, 3]), tensor("b", [16]), tensor("v", [16, 16, 1, 1])])
open("blocked.onnx", "wb").write(model(blocked, domains=["com.microsoft.nchwc"]))

quantised = graph(
    [
        node("QuantizeLinear", "x s z", "q"),
        node("DequantizeLinear", "q s z", "d"),
        node("DequantizeLinear", "w s z8", "dw"),
        node("Conv", "d dw", "y", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    ],
    [value("x", [1, 8, 14, 14])], [value("y", [1, 16, 14, 14])],
    [tensor("s", [], FLOAT, [0.1]), tensor("z", [], UINT8, [128]), tensor("z8", [], INT8, [0]), tensor("w", [16, 8, 3, 3], INT8)])
open("quantised.onnx", "wb").write(model(quantised))

# Attention whose scores are a result as well; a loop whose rounds each leave a number; weights that Brevitas keeps on steps of 4
# bits; what filled up an image, and the largest numbers, of older operator sets; and an operator of five images that nobody knows.
seldom = graph(
    [
        node("Attention", "q k v mask - -", "y - - scores", qk_matmul_output_mode=1),
        node("Quant", "w s s bits", "qw", domain="onnx.brevitas", signed=1, narrow=1),
        node("MatMul", "y qw", "z"),
        node("Pad", "z", "p", paddings=[0, 0, 1, 0, 0, 0, 1, 0]),
        node("Loop", "rounds - p", "last each", body=(6, graph(
            [node("Relu", "state", "next"), node("Cast", "i", "number", to=FLOAT), node("Identity", "c", "again")],
            [value("i", [], INT64), value("c", [], BOOL), value("state", [1, 4, 8, 32])],
            [value("again", [], BOOL), value("next", [1, 4, 8, 32]), value("number", [])]))),
        node("TopK", "last", "most -", k=3),
        node("Blend", "last p z scores q", "blend", domain="mine"),
    ],
    [value("q", [1, 4, 6, 16]), value("k", [1, 2, 10, 16]), value("v", [1, 2, 10, 16]), value("mask", [6, 10]), value("rounds", [], INT64)],
    [value("last", [1, 4, 8, 32]), value("each", ["n"]), value("scores", [1, 4, 6, 10]), value("most", [1, 4, 8, 3]),
     value("blend", [1, 4, 8, 32])],
    [tensor("w", [16, 32]), tensor("s", [], FLOAT, [0.1]), tensor("bits", [], FLOAT, [4.0])])
open("seldom.onnx", "wb").write(model(seldom, domains=["onnx.brevitas", "mine"]))
