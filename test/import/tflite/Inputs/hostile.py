# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes damaged models, and prints the first line that perfc says to each. usage: hostile.py PERFC"""
import struct
import sys
from pathlib import Path

from model import *

sys.path.insert(0, str(Path(__file__).parents[2] / "Inputs"))
from damaged import check


def plain(edit=lambda g: None, op=None):
    """A sound model but for what EDIT changes, or OP adds."""
    model = Model()
    g = model.graphs[0]
    x = g.input([2, 3], name="x")
    g.outputs = [op(g, x) if op else g.op("RELU", [x], [[2, 3]], names=["y"])]
    edit(g)
    return model.bytes()


def shape(extents):
    def edit(g):
        g.tensors[0][0] = ("i", extents)
    return edit


def stored(g):
    g.tensors[g.stored([2, 2], FLOAT, [1.0] * 4)][0] = ("i", [30000, 30000])


def nowhere(g):
    g.tensors[0][2] = ("I", 99)


def tensor(g):
    g.operators[0][1] = ("i", [55])


def code(g):
    g.operators[0][0] = ("I", 7)


def twice(g):
    g.op("EXP", [0], [[2, 3]])
    g.operators[1][2] = ("i", [1])


def cycle(g):
    g.operators[0][1] = ("i", [1])


def recursive():
    model = Model()
    g, inner = model.graphs[0], model.graph()
    for graph in (g, inner):
        graph.outputs = [graph.op("CALL", [graph.input([2, 3])], [[2, 3]], {0: ("i", 1)})]
    return model.bytes()


def turns():
    """Each graph calls the next one twice."""
    model = Model()
    graphs = [model.graphs[0]] + [model.graph() for _ in range(24)]
    for i, graph in enumerate(graphs):
        value = graph.input([2, 3])
        for _ in range(2):
            value = graph.op("CALL" if i < 24 else "EXP", [value], [[2, 3]], {0: ("i", i + 1)})
        graph.outputs = [value]
    return model.bytes()


sound = plain(op=lambda g, x: g.op("SOFTMAX", [g.op("FULLY_CONNECTED", [g.op("RESHAPE", [x, g.numbers(3, 2)], [[3, 2]], {0: ("i", [3, 2])}),
                                                                      g.stored([4, 2]), -1], [[3, 4]], {0: ("B", 1)})], [[3, 4]], {}))
FILES = {
    "text.tflite": b"this is no model at all, but a line of text\n",
    "empty.tflite": b"",
    "old.tflite": plain().replace(b"TFL3", b"TFL2"),
    "cut.tflite": plain()[:-20],
    "nothing.tflite": struct.pack("<I4s", 12, b"TFL3") + struct.pack("<HHi", 4, 4, 4),
    "negative.tflite": plain(shape([2, -5])),
    "ranks.tflite": plain(shape([1] * 40)),
    "short.tflite": plain(stored),
    "large.tflite": plain(shape([2**31 - 1] * 6)),
    "buffer.tflite": plain(nowhere),
    "tensor.tflite": plain(tensor),
    "code.tflite": plain(code),
    "result.tflite": plain(lambda g: g.outputs.clear()),
    "twice.tflite": plain(twice),
    "cycle.tflite": plain(cycle),
    "recursive.tflite": recursive(),
    "turns.tflite": turns(),
    "whole.tflite": plain(op=lambda g, x: g.op("STABLEHLO_COMPOSITE", [x], [[2, 3]], later={0: "more", 1: ("i", 7)})),
    "name.tflite": plain(op=lambda g, x: g.op("CUSTOM", [x], [[2, 3]], custom="n" * 1000000)),
    "fit.tflite": plain(op=lambda g, x: g.op("BATCH_MATMUL", [x, g.stored([4, 5])], [[2, 5]], {})),
    "channels.tflite": plain(op=lambda g, x: g.op("CONV_2D", [x, g.stored([4, 1, 1, 3])], [[2, 4]], {})),
    "stride.tflite": plain(op=lambda g, x: g.op("CONV_2D", [g.stored([1, 4, 4, 3]), g.stored([4, 1, 1, 3])], [[1, 4, 4, 4]], {})),
    "axis.tflite": plain(op=lambda g, x: g.op("CONCATENATION", [x, x], [[4, 3]], {0: ("i", 9)})),
    "repeats.tflite": plain(op=lambda g, x: g.op("TILE", [x, g.numbers(2**31 - 1, 2**31 - 1)], [[2, 3]])),
    "block.tflite": plain(op=lambda g, x: g.op("SPACE_TO_BATCH_ND", [x, g.numbers(0), g.numbers(0, 0)], [[2, 3]])),
    "branch.tflite": plain(op=lambda g, x: g.op("IF", [x, x], [[2, 3]], {0: ("i", 5), 1: ("i", -3)})),
    "parts.tflite": plain(op=lambda g, x: g.op("SPLIT_V", [x, g.numbers(2**31 - 1, -9), g.stored([], INT32, [1])], [[2, 3]] * 2)),
}

check(FILES, sound, 200)
