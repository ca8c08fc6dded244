# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small networks as exporters write them: quantised.tflite, halves.tflite (weights of 16 bits behind DEQUANTIZE), open.tflite
(a batch of any size), control.tflite (graphs that others call) and whole.tflite (larger operators, with the smaller ones or without)."""
import hashlib
import json

from model import *


def write(name, model, layers=()):
    data = model.bytes()
    open(name, "wb").write(data)
    return {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "layers": list(layers)}


def quantised():
    """Two convolutions of bytes, of which the second has the weights of the first, then a layer with a custom operator behind."""
    model = Model()
    g = model.graphs[0]
    x = g.input([1, 8, 8, 4], UINT8, "image", scale=0.1)
    w, b = g.stored([4, 3, 3, 4], UINT8, name="filters", scale=0.1), g.stored([4], INT32, name="bias", scale=0.01)
    d, e = g.stored([1, 3, 3, 4], UINT8, name="depthwise", scale=0.1), g.stored([4], INT32, name="more", scale=0.01)
    conv = {1: ("i", 1), 2: ("i", 1), 3: ("B", 3)}
    y = g.op("CONV_2D", [x, w, b], [[1, 8, 8, 4]], conv, UINT8, scale=0.1)
    y = g.op("CONV_2D", [y, w, b], [[1, 8, 8, 4]], conv, UINT8, scale=0.1)
    y = g.op("DEPTHWISE_CONV_2D", [y, d, e], [[1, 8, 8, 4]], {1: ("i", 1), 2: ("i", 1)}, UINT8, scale=0.1)
    y = g.op("DEPTHWISE_CONV_2D", [y, d, e], [[1, 8, 8, 4]], {1: ("i", 1), 2: ("i", 1)}, UINT8, scale=0.1)
    y = g.op("AVERAGE_POOL_2D", [y], [[1, 1, 1, 4]], {0: ("B", 1), 1: ("i", 1), 2: ("i", 1), 3: ("i", 8), 4: ("i", 8)}, UINT8)
    y = g.op("RESHAPE", [y, g.numbers(1, 4)], [[1, 4]], {}, UINT8)
    f, h = g.stored([10, 4], INT8, name="rows", scale=0.1), g.stored([10], INT32, name="offsets", scale=0.01)
    y = g.op("FULLY_CONNECTED", [y, f, h], [[1, 10]], {}, UINT8)
    y = g.op("DEQUANTIZE", [y], [[1, 10]])
    g.outputs = [g.op("CUSTOM", [y, g.stored([7, 10], name="anchors")], [[1, 3]], custom="Post_Process")]
    names = ["CONV_2D"] * 2 + ["DEPTHWISE_CONV_2D"] * 2 + ["AVERAGE_POOL_2D", "RESHAPE", "FULLY_CONNECTED", "DEQUANTIZE"]
    shapes = [[1, 8, 8, 4]] * 4 + [[1, 1, 1, 4], [1, 4], [1, 10], [1, 10]]
    layers = [{"op": op, "output": shape} for op, shape in zip(names, shapes)] + [{"op": "CUSTOM:Post_Process", "output": [1, 3]}]
    entry = write("quantised.tflite", model, layers)
    return entry | {"total_params_in_layers": 144 + 4 + 36 + 4 + 40 + 10, "total_macs": 2 * 64 * 144 + 2 * 64 * 36 + 40}


def halves():
    model = Model()
    g = model.graphs[0]
    x = g.input([1, 6, 6, 2], name="image")
    w = g.op("DEQUANTIZE", [g.stored([8, 3, 3, 2], FLOAT16, name="filters")], [[8, 3, 3, 2]])
    b = g.op("DEQUANTIZE", [g.stored([8], FLOAT16, name="bias")], [[8]])
    y = g.op("CONV_2D", [x, w, b], [[1, 3, 3, 8]], {1: ("i", 2), 2: ("i", 2), 3: ("B", 1)})
    y = g.op("HARD_SWISH", [y], [[1, 3, 3, 8]])
    g.outputs = [g.op("MEAN", [y, g.numbers(1, 2)], [[1, 8]], {})]
    names = ["DEQUANTIZE", "DEQUANTIZE", "CONV_2D", "HARD_SWISH", "MEAN"]
    layers = [{"op": op, "output": shape} for op, shape in zip(names, [[8, 3, 3, 2], [8], [1, 3, 3, 8], [1, 3, 3, 8], [1, 8]])]
    return write("halves.tflite", model, layers) | {"total_params_in_layers": 152, "total_macs": 9 * 144}


def open_batch():
    """A reshape computes its shape from the batch, as converters write it. Names are not there or not different."""
    model = Model()
    g = model.graphs[0]
    x = g.input([1, 4, 6], name="", open=[-1, 4, 6])
    shape = g.op("SHAPE", [x], [[4]], {}, INT32, names=["same"])
    batch = g.op("STRIDED_SLICE", [shape, g.numbers(0), g.numbers(1), g.numbers(1)], [[]], {4: ("i", 1)}, INT32, names=["same"])
    wanted = g.op("PACK", [batch, g.stored([], INT32, [24], "size")], [[2]], {0: ("i", 2)}, INT32, names=["same"])
    y = g.op("RESHAPE", [x, wanted], [[1, 24]], {}, names=["same"])
    y = g.op("FULLY_CONNECTED", [y, g.stored([5, 24])], [[1, 5]], {0: ("B", 1)}, names=["same"])
    g.outputs = [g.op("SOFTMAX", [y], [[1, 5]], {0: ("f", 1.0)}, names=["same"])]
    write("open.tflite", model)


def control():
    """A branch, a loop and a call; a state that the model keeps."""
    model = Model()
    g = model.graphs[0]
    x, yes = g.input([2, 3], name="x"), g.input([], BOOL, "yes")

    def graph(*names):
        inner = model.graph()
        value = inner.input([2, 3], name="inner")
        for name in names:
            value = inner.op(name, [value, inner.stored([2, 3])] if name == "MUL" else [value], [[2, 3]])
        inner.outputs = [value]
        return ("i", len(model.graphs) - 1)

    y = g.op("IF", [yes, x], [[2, 3]], {0: graph("EXP", "MUL"), 1: graph("LOG")})
    cond = model.graph()
    cond.input([2, 3])
    cond.outputs = [cond.stored([], BOOL, [1])]
    y = g.op("WHILE", [y], [[2, 3]], {0: ("i", len(model.graphs) - 1), 1: graph("TANH")})
    y = g.op("CALL", [y], [[2, 3]], {0: graph("SIN")})
    g.outputs = [g.op("ADD", [y, g.tensor([2, 3], name="kept", variable=True)], [[2, 3]], {})]
    write("control.tflite", model)


def whole():
    model = Model()
    g, inner = model.graphs[0], model.graph()
    q, k, v = (inner.input([1, 4, 16, 8], name=name) for name in "qkv")
    p = inner.op("SOFTMAX", [inner.op("BATCH_MATMUL", [q, k], [[1, 4, 16, 16]], {1: ("B", 1)})], [[1, 4, 16, 16]], {})
    inner.outputs = [inner.op("BATCH_MATMUL", [p, v], [[1, 4, 16, 8]], {})]
    x = [g.input([1, 4, 16, 8], name=name) for name in "abc"]
    y = g.op("STABLEHLO_COMPOSITE", x, [[1, 4, 16, 8]], later={0: "odml.scaled_dot_product_attention", 1: ("i", 1)})
    g.outputs = [g.op("STABLEHLO_COMPOSITE", [y], [[1, 4, 16, 8]], later={0: "some.other", 1: ("i", -1)})]
    write("whole.tflite", model)


if __name__ == "__main__":
    models = [quantised(), halves()]
    open("models.json", "w").write(json.dumps(models))
    open_batch()
    control()
    whole()
