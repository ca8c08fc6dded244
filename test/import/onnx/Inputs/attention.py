# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models of attention: fused.onnx by operators of com.microsoft, with caches; parts.onnx as exporters write it, with keys
that heads share and rotary positions, and turned.onnx as later ones do; pasted.onnx, a loop whose tensor grows as data says; loops.onnx, Loop and Scan, a sequence, and nodes in another order; whole.onnx, a
quantised network."""
from model import *

D, H, G, E, T, P = 64, 4, 2, 16, 8, 24
fused = graph(
    [
        node("Attention", "x w b", "a", domain="com.microsoft", num_heads=H),
        node("MultiHeadAttention", "x y y", "m", domain="com.microsoft", num_heads=H),
        node("MatMul", "m wq", "q"), node("MatMul", "m wk", "k"), node("MatMul", "m wv", "v"),
        node("GroupQueryAttention", "q k v past_k past_v lengths total cosine sine", "g present_k present_v", domain="com.microsoft",
             num_heads=H, kv_num_heads=G, do_rotary=1),
        node("FusedMatMul", "g wo", "o", domain="com.microsoft", transB=1),
        node("FusedGemm", "flat wo bo", "f", domain="com.microsoft", activation="Relu"),
    ],
    [value("x", [1, T, D]), value("y", [1, 12, D]), value("flat", [3, D]), value("past_k", [1, G, P, E]), value("past_v", [1, G, P, E]),
     value("lengths", [1], INT32), value("total", [], INT32)],
    [value("a"), value("o"), value("present_k"), value("present_v"), value("f")],
    [tensor("w", [D, 3 * D]), tensor("b", [3 * D]), tensor("wq", [D, D]), tensor("wk", [D, G * E]), tensor("wv", [D, G * E]),
     tensor("wo", [D, D]), tensor("bo", [D]), tensor("cosine", [128, E // 2]), tensor("sine", [128, E // 2])])
open("fused.onnx", "wb").write(model(fused, domains=["com.microsoft"]))


def rotated(x, y):
    return [
        node("Slice", f"{x} zero half last", f"{y}_1"), node("Slice", f"{x} half end last", f"{y}_2"), node("Neg", f"{y}_2", f"{y}_n"),
        node("Concat", f"{y}_n {y}_1", f"{y}_r", axis=-1), node("Mul", f"{x} cosine", f"{y}_c"), node("Mul", f"{y}_r sine", f"{y}_s"),
        node("Add", f"{y}_c {y}_s", y)]


def repeated(x, y):
    return [node("Unsqueeze", f"{x} two", f"{y}_u"), node("Expand", f"{y}_u five", f"{y}_e"), node("Reshape", f"{y}_e four", y)]


def heads(w, count, y):
    return [node("MatMul", f"x {w}", f"{y}_m"), node("Reshape", f"{y}_m cut{count}", f"{y}_h"),
            node("Transpose", f"{y}_h", y, perm=[0, 2, 1, 3])]


ints = lambda name, *values: tensor(name, [len(values)], INT64, list(values))
parts = graph(
    heads("wq", H, "q") + heads("wk", G, "k") + heads("wv", G, "v") + rotated("q", "qr") + rotated("k", "kr") + repeated("kr", "kk")
    + repeated("v", "vv") + [
        node("Transpose", "kk", "kt", perm=[0, 1, 3, 2]), node("MatMul", "qr kt", "s"), node("Mul", "s scale", "c"),
        node("Add", "c mask", "d"), node("Softmax", "d", "p", axis=-1), node("MatMul", "p vv", "o"),
        node("Transpose", "o", "t", perm=[0, 2, 1, 3]), node("Reshape", "t flat", "f"), node("MatMul", "f wo", "y")],
    [value("x", [1, T, D]), value("mask", [1, 1, T, T])], [value("y", [1, T, D])],
    [tensor("wq", [D, D]), tensor("wk", [D, G * E]), tensor("wv", [D, G * E]), tensor("wo", [D, D]), tensor("cosine", [T, E]),
     tensor("sine", [T, E]), tensor("scale", [], FLOAT, [0.25]), ints("zero", 0), ints("half", E // 2), ints("end", 1 << 40), ints("last", -1),
     ints("two", 2), ints("five", 1, G, H // G, T, E), ints("four", 1, H, T, E), ints(f"cut{H}", 1, T, H, E), ints(f"cut{G}", 1, T, G, E),
     ints("flat", 1, T, D)])
open("parts.onnx", "wb").write(model(parts))


def turned(i):
    """A layer as torch.onnx writes it since it follows torch.export: keys become rows of all heads, are turned and cut again, scales stand on
    both sides, rows that see nothing are filled, and each layer has tables of its own for its rotations. All layers read one mask."""
    x, nodes = f"x{i}", []
    for name, count in (("q", H), ("k", G), ("v", G)):
        nodes += [node("MatMul", f"{x} w{name}{i}", f"{name}m{i}"), node("Reshape", f"{name}m{i} cut{count}", f"{name}h{i}"),
                  node("Transpose", f"{name}h{i}", f"{name}{i}", perm=[0, 2, 1, 3])]
    for name in "qk":
        nodes += [
            node("Slice", f"{name}{i} zero half last", f"{name}_1{i}"), node("Slice", f"{name}{i} half end last", f"{name}_2{i}"),
            node("Neg", f"{name}_2{i}", f"{name}_n{i}"), node("Concat", f"{name}_n{i} {name}_1{i}", f"{name}_r{i}", axis=-1),
            node("Mul", f"{name}{i} cosine{i}", f"{name}_c{i}"), node("Mul", f"{name}_r{i} sine{i}", f"{name}_s{i}"),
            node("Add", f"{name}_c{i} {name}_s{i}", f"{name}r{i}")]
    return nodes + [
        node("Unsqueeze", f"kr{i} two", f"ku{i}"), node("Expand", f"ku{i} five", f"ke{i}"), node("Reshape", f"ke{i} rows", f"kf{i}"),
        node("Transpose", f"kf{i}", f"kt{i}", perm=[0, 2, 1]), node("Reshape", f"kt{i} back", f"kb{i}"), *repeated(f"v{i}", f"vv{i}"),
        node("Mul", f"qr{i} scale", f"qs{i}"), node("Mul", f"kb{i} scale", f"ks{i}"), node("MatMul", f"qs{i} ks{i}", f"s{i}"),
        node("Add", f"s{i} mask", f"d{i}"), node("Softmax", f"d{i}", f"p{i}", axis=-1), node("IsNaN", f"p{i}", f"nan{i}"),
        node("Where", f"nan{i} nothing p{i}", f"pf{i}"), node("MatMul", f"pf{i} vv{i}", f"o{i}"),
        node("Transpose", f"o{i}", f"t{i}", perm=[0, 2, 1, 3]), node("Reshape", f"t{i} flat", f"f{i}"), node("MatMul", f"f{i} wo{i}", f"y{i}"),
        node("Add", f"{x} y{i}", f"x{i + 1}")]


stored = [tensor(f"w{name}{i}", [D, D if name in "qo" else G * E]) for i in (0, 1) for name in "qkvo"]
stored += [tensor(f"{name}{i}", [1, 1, T, E]) for i in (0, 1) for name in ("cosine", "sine")]
chain = graph(
    turned(0) + turned(1), [value("x0", [1, T, D])], [value("x2", [1, T, D])],
    stored + [
        tensor("scale", [], FLOAT, [0.5]), tensor("nothing", [], FLOAT, [0.0]), tensor("mask", [1, 1, T, T]), ints("zero", 0), ints("half", E // 2),
        ints("end", 1 << 40), ints("last", -1), ints("two", 2), ints("five", 1, G, H // G, T, E), ints("four", 1, H, T, E), ints("rows", -1, T, E),
        ints("back", 1, H, E, T), ints(f"cut{H}", 1, T, H, E), ints(f"cut{G}", 1, T, G, E), ints("flat", 1, T, D)])
open("turned.onnx", "wb").write(model(chain, 20))

step = graph([node("MatMul", "h w", "n"), node("Tanh", "n", "m"), node("Identity", "goes", "on")],
             [value("i", [], INT64), value("goes", [], BOOL), value("h", [2, D])], [value("on"), value("m"), value("n")])
grow = graph([node("Concat", "h h", "m", axis=0), node("Identity", "goes", "on")],
             [value("i", [], INT64), value("goes", [], BOOL), value("h", [2, D])], [value("on"), value("m")])
until = graph([node("Relu", "h", "m"), node("ReduceMax", "m", "top", keepdims=0), node("Cast", "top", "on", to=BOOL)],
              [value("i", [], INT64), value("goes", [], BOOL), value("h", [2, D])], [value("on"), value("m")])
scan = graph([node("Add", "s e", "t"), node("Relu", "t", "u")], [value("s", [D]), value("e", [D])], [value("t"), value("u")])
loops = graph(
    [
        node("Add", "late late", "z"),  # before what makes its operand
        node("Loop", "ten yes x", "l all", body=(6, step)), node("Loop", "three yes l", "g", body=(6, grow)),
        node("Loop", "many yes l", "e", body=(6, until)), node("Scan", "s0 rows", "last sums", body=(6, scan), num_scan_inputs=1),
        node("SequenceConstruct", "l e", "list"), node("SequenceInsert", "list x", "more"), node("SequenceAt", "more two", "at"),
        node("ConcatFromSequence", "more", "late", axis=1),
    ],
    [value("x", [2, D]), value("rows", [7, D]), value("s0", [D])],
    [value("all"), value("g", [16, D]), value("last", [D]), value("sums", [7, D]), value("at", [2, D]), value("z", [2, 3 * D])],
    [tensor("w", [D, D]), tensor("ten", [], INT64, [10]), tensor("three", [], INT64, [3]), tensor("many", [], INT64, [(1 << 63) - 1]),
     tensor("yes", [], BOOL, [1]), tensor("two", [], INT64, [2])])
paste = graph([node("Resize", "image - - size", "r", mode="linear"), node("Concat", "h r", "m", axis=0), node("Identity", "goes", "on")],
              [value("i", [], INT64), value("goes", [], BOOL), value("h", ["k", 3, 8, 8])], [value("on"), value("m")])
pasted = graph(
    [node("NonZero", "x", "places"), node("Shape", "places", "s"), node("Gather", "s one", "count"),
     node("Loop", "count yes none", "masks", body=(6, paste)), node("Relu", "masks", "y")],
    [value("x", [16]), value("image", [1, 3, 4, 4])], [value("y")],
    [tensor("one", [], INT64, [1]), tensor("yes", [], BOOL, [1]), tensor("none", [0, 3, 8, 8]), tensor("size", [4], INT64, [1, 3, 8, 8])])
open("pasted.onnx", "wb").write(model(pasted, 17))
open("loops.onnx", "wb").write(model(loops))

q = "s z"
whole = graph(
    [
        node("QuantizeLinear", f"x {q}", "xq"), node("DequantizeLinear", f"xq {q}", "xd"), node("DequantizeLinear", "w s z8", "wd"),
        node("Conv", "xd wd", "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1]), node("Relu", "c", "r"),
        node("QuantizeLinear", f"r {q}", "rq"), node("DequantizeLinear", f"rq {q}", "rd"), node("Add", "rd xd", "a"),
        node("QuantizeLinear", f"a {q}", "aq"), node("DequantizeLinear", f"aq {q}", "y"),
        node("MatMulInteger", "m w2", "i"), node("QLinearMatMul", f"m {q} w2 s z8 {q}", "j"), node("DynamicQuantizeLinear", "x", "k scale -"),
    ],
    [value("x", [1, 8, 14, 14]), value("m", [4, 32], UINT8)], [value("y", [1, 8, 14, 14]), value("i"), value("j"), value("k"), value("scale")],
    [tensor("s", [], FLOAT, [0.1]), tensor("z", [], UINT8, [128]), tensor("z8", [], INT8, [0]), tensor("w", [8, 8, 3, 3], INT8),
     tensor("w2", [32, 16], INT8)])
open("whole.onnx", "wb").write(model(whole))
