# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes language.onnx, a layer as onnxruntime-genai exports it: table and products of 4 bits, attention in groups, and
experts; experts.onnx, such in full precision with a gate of their own; and image.onnx, layers of its Stable Diffusion."""
from model import *

language = graph(
    [
        node("GatherBlockQuantized", "table ids ts", "e", domain="com.microsoft", bits=4, block_size=32, gather_axis=0, quantize_axis=1),
        node("SimplifiedLayerNormalization", "e g", "n", axis=-1),
        node("MatMulNBits", "n wqkv sqkv zqkv - bqkv", "qkv", domain="com.microsoft", K=64, N=128, bits=4, block_size=32),
        node("GroupQueryAttention", "qkv - - pk pv lens total cos sin", "a prk prv", domain="com.microsoft", num_heads=4,
             kv_num_heads=2, do_rotary=1),
        node("MatMulNBits", "a wo so", "o", domain="com.microsoft", K=64, N=64, bits=8, block_size=32),
        node("SkipSimplifiedLayerNormalization", "o e g2", "h - - s", domain="com.microsoft"),
        node("Reshape", "h flat", "rows"),
        node("MatMul", "rows router", "scores"),
        node("QMoE", "h scores f1 s1 b1 f2 s2 b2", "m", domain="com.microsoft", k=2, expert_weight_bits=4, activation_type="swiglu",
             swiglu_fusion=1, normalize_routing_weights=1, block_size=32),
        node("Add", "m s", "y"),
    ],
    [value("ids", [1, 6], INT64), value("pk", [1, 2, 10, 16]), value("pv", [1, 2, 10, 16]), value("lens", [1], INT32), value("total", [], INT32)],
    [value("y", [1, 6, 64]), value("prk", [1, 2, 16, 16]), value("prv", [1, 2, 16, 16])],
    [tensor("table", [1000, 32], UINT8), tensor("ts", [1000, 2]), tensor("g", [64]), tensor("g2", [64]), tensor("wqkv", [128, 2, 16], UINT8),
     tensor("sqkv", [256]), tensor("zqkv", [128], UINT8), tensor("bqkv", [128]), tensor("wo", [64, 2, 32], UINT8), tensor("so", [128]),
     tensor("cos", [32, 8]), tensor("sin", [32, 8]), tensor("flat", [2], INT64, [-1, 64]), tensor("router", [64, 8]),
     tensor("f1", [8, 256, 32], UINT8), tensor("s1", [8, 256, 2]), tensor("b1", [8, 256]), tensor("f2", [8, 64, 64], UINT8),
     tensor("s2", [8, 64, 4]), tensor("b2", [8, 64])])
open("language.onnx", "wb").write(model(language, domains=["com.microsoft"]))

experts = graph(
    [node("MoE", "x scores w1 - w2 - w3", "y", domain="com.microsoft", k=2, activation_type="silu")],
    [value("x", [6, 64], FLOAT16), value("scores", [6, 8], FLOAT16)], [value("y", [6, 64], FLOAT16)],
    [tensor("w1", [8, 128, 64], FLOAT16), tensor("w2", [8, 64, 128], FLOAT16), tensor("w3", [8, 128, 64], FLOAT16)])
open("experts.onnx", "wb").write(model(experts, domains=["com.microsoft"]))

image = graph(
    [
        node("SkipGroupNorm", "x g b skip bias", "n s", domain="com.microsoft", groups=4, activation=1, channels_last=1),
        node("GroupNorm", "n g b", "m", domain="com.microsoft", groups=4, activation=0, channels_last=1),
        node("GemmFastGelu", "m w wb", "h", domain="com.microsoft"),
        node("BiasSoftmax", "h hb", "p", domain="com.microsoft", axis=3, is_inner_broadcast=0),
        node("Add", "p s", "y"),
    ],
    [value("x", [2, 8, 8, 32]), value("skip", [2, 8, 8, 32])], [value("y", [2, 8, 8, 32])],
    [tensor("g", [32]), tensor("b", [32]), tensor("bias", [32]), tensor("w", [32, 32]), tensor("wb", [32]), tensor("hb", [2, 8, 8, 32])])
open("image.onnx", "wb").write(model(image, domains=["com.microsoft"]))
