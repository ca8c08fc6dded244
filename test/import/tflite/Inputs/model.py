# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models of TensorFlow Lite field by field (FlatBuffers), without weights unless it is a list of numbers that is stored."""
import struct

FLOAT, FLOAT16, INT32, UINT8, INT64, BOOL, INT16, INT8 = 0, 1, 2, 3, 4, 6, 7, 9
FORMS = {FLOAT: "f", FLOAT16: "e", INT32: "i", UINT8: "B", INT64: "q", BOOL: "B", INT16: "h", INT8: "b"}
NAMES = """ADD=0 AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR
FULLY_CONNECTED L2_NORMALIZATION=11 L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC MAX_POOL_2D=17 MUL RELU RELU_N1_TO_1 RELU6 RESHAPE
RESIZE_BILINEAR SOFTMAX=25 SPACE_TO_DEPTH SVDF TANH CALL=31 CUSTOM PAD=34 UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND
SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE EXP=47 TOPK_V2 SPLIT LOG_SOFTMAX CAST=53 PRELU
MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV TILE=69 EXPAND_DIMS EQUAL NOT_EQUAL
LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN
FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V
UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS RANK=110 ELU MATRIX_DIAG=113 QUANTIZE ROUND=116 HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4
SCATTER_ND=122 SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL CUMSUM=128 CALL_ONCE BROADCAST_TO CONV_3D=132 REDUCE_ALL=140 GELU=150
DYNAMIC_UPDATE_SLICE RELU_0_TO_1 SIGN=158 BITWISE_XOR=160 STABLEHLO_LOGISTIC=162 STABLEHLO_ADD
STABLEHLO_COMPOSITE=206 STABLEHLO_SHIFT_LEFT""".split()
CODES = {}
for word in NAMES:
    name, _, number = word.partition("=")
    CODES[name] = int(number) if number else max(CODES.values()) + 1


def place(out, thing):
    """Appends THING, a text, a vector (form, list), a list of tables or a table {field: value}, and returns where it stands. The value
    of a field is a number (form, number) or any of these."""
    align = lambda to, ahead=0: out.extend(b"\0" * (-(len(out) + ahead) % to))
    patch = lambda at, to: struct.pack_into("<I", out, at, to - at)
    if isinstance(thing, str):
        align(4)
        at, data = len(out), thing.encode()
        out.extend(struct.pack("<I", len(data)) + data + b"\0")
        return at
    if isinstance(thing, tuple):
        form, values = thing
        align(max(4, struct.calcsize(form)), 4)
        at = len(out)
        out.extend(struct.pack(f"<I{len(values)}{form}", len(values), *values))
        return at
    if isinstance(thing, list):
        align(4)
        at = len(out)
        out.extend(struct.pack("<I", len(thing)) + b"\0" * 4 * len(thing))
        for i, one in enumerate(thing):
            patch(at + 4 + 4 * i, place(out, one))
        return at
    isNumber = lambda value: isinstance(value, tuple) and not isinstance(value[1], (list, tuple, bytes))
    places, size = [], 4
    for field in range(max(thing, default=-1) + 1):
        value = thing.get(field)
        if value is None:
            places.append(0)
            continue
        width = struct.calcsize(value[0]) if isNumber(value) else 4
        size += -size % width
        places.append(size)
        size += width
    align(2)
    fields = len(out)
    out.extend(struct.pack(f"<HH{len(places)}H", 4 + 2 * len(places), size, *places))
    align(8)
    at = len(out)
    out.extend(struct.pack("<i", at - fields) + b"\0" * (size - 4))
    for field, value in sorted(thing.items()):
        if value is not None and isNumber(value):
            struct.pack_into("<" + value[0], out, at + places[field], value[1])
    for field, value in sorted(thing.items()):
        if value is not None and not isNumber(value):
            patch(at + places[field], place(out, value))
    return at


class Model:
    """One or more graphs; tensors are numbered in the order they are added."""

    def __init__(self):
        self.codes, self.buffers, self.graphs = [], [{}], [Graph(self)]

    def bytes(self):
        out = bytearray(b"\0\0\0\0TFL3")
        root = {0: ("I", 3), 1: self.codes, 2: [graph.table() for graph in self.graphs], 3: "test", 4: self.buffers}
        struct.pack_into("<I", out, 0, place(out, root))
        return bytes(out)

    def graph(self):
        self.graphs.append(Graph(self))
        return self.graphs[-1]


class Graph:
    def __init__(self, model):
        self.model, self.tensors, self.operators, self.inputs, self.outputs = model, [], [], [], []

    def tensor(self, shape, type=FLOAT, name=None, open=None, scale=None, variable=False):
        self.tensors.append({0: ("i", shape), 1: ("b", type), 2: ("I", 0), 3: name, 4: {2: ("f", [scale])} if scale else None,
                             5: ("B", 1) if variable else None, 7: ("i", open) if open else None})
        return len(self.tensors) - 1

    def input(self, shape, type=FLOAT, name="x", **more):
        self.inputs.append(self.tensor(shape, type, name, **more))
        return self.inputs[-1]

    def stored(self, shape, type=FLOAT, values=None, name="w", scale=None):
        """A stored tensor, of zeros where no VALUES are given."""
        count = 1
        for extent in shape:
            count *= extent
        at = self.tensor(shape, type, name, scale=scale)
        self.tensors[at][2] = ("I", len(self.model.buffers))
        self.model.buffers.append({0: ("B", struct.pack(f"<{count}{FORMS[type]}", *(values or [0] * count)))})
        return at

    def numbers(self, *values):
        return self.stored([len(values)], INT32, values, "numbers")

    def op(self, name, inputs, shapes, options=None, type=FLOAT, custom=None, names=(), scale=None, later=None):
        """An operation with results of SHAPES; OPTIONS are {place: (form, number)}, and so are those that newer operators have, LATER."""
        code = CODES[name]
        self.model.codes.append({0: ("b", min(code, 127)), 1: custom, 3: ("i", code)})
        results = [self.tensor(shape, type, names[i] if i < len(names) else f"{name.lower()}{len(self.operators)}_{i}", scale=scale)
                   for i, shape in enumerate(shapes)]
        self.operators.append({0: ("I", len(self.model.codes) - 1), 1: ("i", list(inputs)), 2: ("i", results),
                               3: ("B", 1) if options is not None else None, 4: options,
                               11: ("B", 1) if later is not None else None, 12: later})
        return results[0] if results else None

    def table(self):
        return {0: self.tensors, 1: ("i", self.inputs), 2: ("i", self.outputs), 3: self.operators}
