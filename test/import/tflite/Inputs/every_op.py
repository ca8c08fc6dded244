# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes every_op.tflite, a model with one node of each operator that is told apart, side by side, and models.json with the shape
of each result, as the operators are documented."""
import hashlib
import json

from model import *

IMAGE, ROWS = [1, 8, 8, 4], [2, 3]
model = Model()
graph = model.graphs[0]
layers = []


def ints(*values):
    return ("stored", [len(values)], INT32, list(values))


def whole(value):
    return ("stored", [], INT32, [value])


def weights(*dims, type=FLOAT):
    return ("stored", list(dims), type, None)


def of(type, *dims):
    return ("input", list(dims), type)


def byte(field, value):
    return {field: ("B", value)}


def number(field, value):
    return {field: ("i", value)}


def node(op, operands, result, options=None, count=1, type=FLOAT, custom=None):
    inputs = []
    for operand in operands:
        if operand is None:
            inputs.append(-1)
        elif isinstance(operand, list):
            inputs.append(graph.input(operand, name=f"x{len(graph.tensors)}"))
        elif operand[0] == "input":
            inputs.append(graph.input(operand[1], operand[2], f"x{len(graph.tensors)}"))
        elif operand[0] == "state":
            inputs.append(graph.tensor(operand[1], FLOAT, "state", variable=True))
        else:
            inputs.append(graph.stored(*operand[1:]))
    y = graph.op(op, inputs, [result] * count, options, type, custom)
    graph.outputs.append(y)
    layers.append({"op": "CUSTOM:" + custom if custom else op, "inputs": [], "output": result, "attrs": {}, "params": 0})


for op in """ABS CEIL COS ELU EXP FLOOR GELU HARD_SWISH LEAKY_RELU LOG LOGISTIC LOG_SOFTMAX NEG RELU RELU6 RELU_0_TO_1 RELU_N1_TO_1 ROUND RSQRT
SIGN SIN SOFTMAX SQRT SQUARE TANH L2_NORMALIZATION FAKE_QUANT DENSIFY STABLEHLO_LOGISTIC ZEROS_LIKE""".split():
    node(op, [ROWS], ROWS)
for op in "ADD DIV MAXIMUM MINIMUM MUL POW SUB SQUARED_DIFFERENCE FLOOR_DIV FLOOR_MOD STABLEHLO_ADD".split():
    node(op, [ROWS, [3]], ROWS)
for op in "EQUAL GREATER GREATER_EQUAL LESS LESS_EQUAL NOT_EQUAL".split():
    node(op, [ROWS, [2, 1]], ROWS, type=BOOL)
for op in "LOGICAL_AND LOGICAL_OR".split():
    node(op, [of(BOOL, 2, 3), of(BOOL, 2, 3)], ROWS, type=BOOL)
for op in "MEAN REDUCE_MAX REDUCE_MIN REDUCE_PROD SUM REDUCE_ANY REDUCE_ALL".split():
    node(op, [ROWS, ints(1)], [2])
    node(op, [ROWS, ints(-1)], [2, 1], byte(0, 1))
for op in "ARG_MAX ARG_MIN".split():
    node(op, [ROWS, whole(1)], [2], type=INT64)

WINDOW = {0: ("B", 1), 1: ("i", 2), 2: ("i", 2)}  # VALID, stride 2
node("CONV_2D", [IMAGE, weights(6, 3, 3, 4), weights(6)], [1, 3, 3, 6], WINDOW | byte(3, 3))
node("CONV_2D", [IMAGE, weights(6, 3, 3, 4)], [1, 8, 8, 6], {1: ("i", 1), 2: ("i", 1), 4: ("i", 2), 5: ("i", 2)})
node("CONV_2D", [IMAGE, weights(6, 1, 3, 2), weights(6)], [1, 4, 8, 6], {1: ("i", 1), 2: ("i", 2)})
node("DEPTHWISE_CONV_2D", [IMAGE, weights(1, 3, 3, 8), weights(8)], [1, 4, 4, 8], {1: ("i", 2), 2: ("i", 2), 3: ("i", 2), 4: ("B", 1)})
node("CONV_3D", [[1, 5, 6, 7, 2], weights(3, 3, 3, 2, 4), None], [1, 5, 6, 7, 4], {1: ("i", 1), 2: ("i", 1), 3: ("i", 1)})
node("TRANSPOSE_CONV", [ints(1, 16, 16, 6), weights(6, 3, 3, 4), IMAGE, weights(6)], [1, 16, 16, 6], {1: ("i", 2), 2: ("i", 2)})
node("TRANSPOSE_CONV", [ints(1, 17, 17, 6), weights(6, 3, 3, 4), IMAGE], [1, 17, 17, 6], {0: ("B", 1), 1: ("i", 2), 2: ("i", 2)})
node("CUSTOM", [IMAGE, weights(6, 3, 3, 4), weights(6)], [1, 16, 16, 6], custom="Convolution2DTransposeBias")
POOL = WINDOW | {3: ("i", 3), 4: ("i", 2)}
for op in "AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D".split():
    node(op, [IMAGE], [1, 4, 3, 4], POOL)
    node(op, [IMAGE], [1, 4, 4, 4], {1: ("i", 2), 2: ("i", 2), 3: ("i", 3), 4: ("i", 3), 5: ("B", 1)})
node("FULLY_CONNECTED", [ROWS, weights(5, 3), weights(5)], [2, 5], byte(0, 1))
node("FULLY_CONNECTED", [[2, 2, 3], weights(5, 6), None], [2, 5])
node("FULLY_CONNECTED", [[2, 2, 3], weights(5, 3)], [2, 2, 5], byte(2, 1))
node("BATCH_MATMUL", [[2, 3, 4], [2, 5, 4]], [2, 3, 5], byte(1, 1))
LSTM = [weights(6, 3)] * 4 + [weights(6, 6)] * 4 + [None] * 3 + [weights(6)] * 4 + [None] * 2 + [("state", [2, 6])] * 2
node("UNIDIRECTIONAL_SEQUENCE_LSTM", [[2, 5, 3]] + LSTM, [2, 5, 6], byte(0, 4))
node("UNIDIRECTIONAL_SEQUENCE_LSTM", [[5, 2, 3]] + LSTM, [5, 2, 6], {3: ("B", 1)})
node("UNIDIRECTIONAL_SEQUENCE_RNN", [[2, 5, 3], weights(6, 3), weights(6, 6), weights(6), ("state", [2, 6])], [2, 5, 6], {})
node("SVDF", [ROWS, weights(8, 3), weights(8, 10), weights(4), ("state", [2, 80])], [2, 4], number(0, 2))
node("LOCAL_RESPONSE_NORMALIZATION", [IMAGE], IMAGE, number(0, 2))

node("BATCH_TO_SPACE_ND", [[4, 4, 5, 3], ints(2, 2), ("stored", [2, 2], INT32, [0, 1, 2, 0])], [1, 7, 8, 3])
node("SPACE_TO_BATCH_ND", [[1, 7, 8, 3], ints(2, 2), ("stored", [2, 2], INT32, [0, 1, 2, 0])], [4, 4, 5, 3])
node("BROADCAST_TO", [[2, 1], ints(4, 2, 3)], [4, 2, 3])
node("CONCATENATION", [ROWS, [2, 4]], [2, 7], number(0, -1))
node("DEPTH_TO_SPACE", [IMAGE], [1, 16, 16, 1], number(0, 2))
node("SPACE_TO_DEPTH", [IMAGE], [1, 4, 4, 16], number(0, 2))
node("EMBEDDING_LOOKUP", [of(INT32, 5), weights(7, 4)], [5, 4])
node("EXPAND_DIMS", [ROWS, whole(-1)], [2, 3, 1])
node("FILL", [ints(4, 5), [1]], [4, 5])
node("GATHER", [[7, 3], of(INT32, 2, 5)], [7, 2, 5], number(0, 1))
node("GATHER", [[2, 7, 3], of(INT32, 2, 5)], [2, 5, 3], {0: ("i", 1), 1: ("i", 1)})
node("GATHER_ND", [[4, 5, 6], of(INT32, 3, 2)], [3, 6])
for op in "PAD PADV2 MIRROR_PAD".split():
    node(op, [ROWS, ("stored", [2, 2], INT32, [0, 0, 1, 2])], [2, 6])
node("ONE_HOT", [of(INT32, 2, 3), whole(7), ("stored", [], FLOAT, [1.0]), ("stored", [], FLOAT, [0.0])], [2, 3, 7], number(0, -1))
node("PACK", [ROWS, ROWS], [2, 2, 3], {0: ("i", 2), 1: ("i", 1)})
node("UNPACK", [[2, 4, 3]], [2, 3], {0: ("i", 4), 1: ("i", 1)}, count=4)
node("RESHAPE", [IMAGE, ints(1, -1, 4)], [1, 64, 4])
node("RESHAPE", [IMAGE], [16, 16], {0: ("i", [16, 16])})
node("RESIZE_BILINEAR", [IMAGE, ints(16, 24)], [1, 16, 24, 4])
node("RESIZE_NEAREST_NEIGHBOR", [IMAGE, ints(16, 16)], [1, 16, 16, 4])
node("REVERSE_V2", [ROWS, ints(1)], ROWS)
node("SLICE", [[4, 5, 6], ints(1, 0, 2), ints(2, -1, 3)], [2, 5, 3])
node("SPLIT", [whole(1), [2, 6]], [2, 3], number(0, 2), count=2)
node("SPLIT_V", [[2, 7], ints(3, -1), whole(1)], [2, 3], number(0, 2), count=2)
node("SQUEEZE", [[1, 5, 1]], [5])
node("SQUEEZE", [[1, 5, 1]], [1, 5], {0: ("i", [2])})
node("STRIDED_SLICE", [[4, 5, 6], ints(0, 1, 5), ints(9, 2, 0), ints(2, 1, -2)], [2, 3], {0: ("i", 0), 1: ("i", 0), 4: ("i", 2)})
node("STRIDED_SLICE", [[4, 5, 6], ints(0, 0, 1), ints(0, 0, 3), ints(1, 1, 1)], [4, 5, 1, 2], {2: ("i", 1), 3: ("i", 2)})
node("TILE", [ROWS, ints(2, 3)], [4, 9])
node("TRANSPOSE", [IMAGE, ints(0, 3, 1, 2)], [1, 4, 8, 8])

node("ADD_N", [ROWS, ROWS, ROWS], ROWS)
node("BITWISE_XOR", [of(UINT8, 2, 3), of(UINT8, 2, 3)], ROWS, type=UINT8)
node("CAST", [ROWS], ROWS, type=FLOAT16)
node("CUMSUM", [ROWS, whole(1)], ROWS)
node("DEQUANTIZE", [of(INT8, 2, 3)], ROWS)
node("LOGICAL_NOT", [of(BOOL, 2, 3)], ROWS, type=BOOL)
node("PRELU", [IMAGE, weights(1, 1, 4)], IMAGE)
node("QUANTIZE", [ROWS], ROWS, type=INT8)
node("QUANTIZE", [of(UINT8, 2, 3)], ROWS, type=INT8)
node("RANGE", [whole(0), whole(9), whole(2)], [5], type=INT32)
node("RANK", [IMAGE], [], type=INT32)
node("SHAPE", [IMAGE], [4], type=INT32)
for op in "SELECT SELECT_V2".split():
    node(op, [of(BOOL, 2, 3), ROWS, ROWS], ROWS)
# Costed by what they read and write.
node("DYNAMIC_UPDATE_SLICE", [[4, 5], [1, 5], of(INT32, 2)], [4, 5])
node("MATRIX_DIAG", [[2, 3]], [2, 3, 3])
node("NON_MAX_SUPPRESSION_V4", [[9, 4], [9], whole(5)], [5], type=INT32)
node("SCATTER_ND", [of(INT32, 2, 1), [2, 5], ints(4, 5)], [4, 5])
node("SEGMENT_SUM", [[4, 5], of(INT32, 4)], [2, 5])
node("TOPK_V2", [[2, 9], whole(4)], [2, 4])
node("UNIQUE", [[5]], [5])
node("PAD", [ROWS, of(INT32, 2, 2)], [2, 6])
node("CUSTOM", [IMAGE, weights(6, 3, 3, 4)], [1, 8, 8, 6], custom="Some:op")
graph.op("CALL_ONCE", [], [])

data = model.bytes()
open("every_op.tflite", "wb").write(data)
open("models.json", "w").write(json.dumps([{"file": "every_op.tflite", "sha256": hashlib.sha256(data).hexdigest(), "layers": layers,
                                            "total_params_in_layers": None, "total_macs": None}]))
print(len(layers))
