# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes every_op.onnx, a model with one node of each standard operator, side by side, and models.json with the shape of each
result, as ONNX's own inference has it (`every_op.py --check` compares with that, where the module onnx is there)."""
import hashlib
import json
import sys

from model import *

IMAGE, SQUARE, ROWS, LINE = [1, 4, 8, 8], [4, 4], [2, 3], [5]


def ints(*values):
    """A stored list of whole numbers."""
    return ("stored", [len(values)], INT64, list(values))


def whole(number_, type=INT64):
    return ("stored", [], type, [number_])


def reals(*values):
    return ("stored", [len(values)], FLOAT, list(values))


def weights(*dims, type=FLOAT):
    return ("stored", list(dims), type, None)


def of(type, *dims):
    """An input of another type than real numbers of 32 bits."""
    return ("input", list(dims), type)


UNARY = """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish Identity LeakyRelu Log Neg
Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu Softmax LogSoftmax Hardmax
LpNormalization Trilu Dropout RandomNormalLike RandomUniformLike Bernoulli EyeLike""".split()
BINARY = "Add Div Mul Pow Sub PRelu Max Mean Min Sum Mod".split()
COMPARISONS = "Equal Greater GreaterOrEqual Less LessOrEqual".split()
REDUCTIONS = "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()

NODES = [(op, [ROWS], {"fmod": 1} if op == "Mod" else {}, ROWS) for op in UNARY]
NODES += [(op, [ROWS, ROWS], {"fmod": 1} if op == "Mod" else {}, ROWS) for op in BINARY]
NODES += [(op, [ROWS, [2, 1]], {}, ROWS) for op in COMPARISONS]
NODES += [(op, [of(BOOL, 2, 3), of(BOOL, 2, 3)], {}, ROWS) for op in ("And", "Or", "Xor")]
NODES += [("Reduce" + op, [ROWS], {}, [1, 1]) if op == "Sum" else ("Reduce" + op, [ROWS], {"axes": [1]}, [2, 1]) for op in REDUCTIONS]
NODES += [
    ("ArgMax", [ROWS], {"axis": 1}, [2, 1]), ("ArgMin", [ROWS], {"axis": 1, "keepdims": 0}, [2]),
    ("AveragePool", [IMAGE], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}, [1, 4, 4, 4]),
    ("BatchNormalization", [IMAGE] + [weights(4)] * 4, {}, IMAGE),
    ("BitShift", [of(UINT8, 2, 3), of(UINT8, 2, 3)], {"direction": "LEFT"}, ROWS),
    ("BlackmanWindow", [whole(10)], {}, [10]), ("HammingWindow", [whole(10)], {}, [10]), ("HannWindow", [whole(10)], {}, [10]),
    ("Cast", [ROWS], {"to": FLOAT16}, ROWS), ("CastLike", [ROWS, of(FLOAT16, 1)], {}, ROWS),
    ("Clip", [ROWS, ("stored", [], FLOAT, [0.0])], {}, ROWS), ("Compress", [ROWS, of(BOOL, 3)], {"axis": 1}, [2, -1]),
    ("Concat", [ROWS, [2, 4]], {"axis": 1}, [2, 7]), ("ConstantOfShape", [ints(2, 3)], {}, ROWS),
    ("Conv", [IMAGE, weights(6, 4, 3, 3), weights(6)], {"pads": [1, 1, 1, 1], "strides": [2, 2]}, [1, 6, 4, 4]),
    ("Conv", [[1, 4, 9], weights(6, 2, 3)], {"group": 2, "dilations": [2]}, [1, 6, 5]),
    ("Conv", [[1, 4, 5, 6, 7], weights(6, 4, 3, 3, 3)], {"pads": [1, 0, 1, 1, 0, 1]}, [1, 6, 5, 4, 7]),
    ("ConvInteger", [of(UINT8, 1, 4, 8, 8), weights(6, 4, 3, 3, type=INT8)], {}, [1, 6, 6, 6]),
    ("ConvTranspose", [IMAGE, weights(4, 6, 3, 3)], {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]}, [1, 6, 16, 16]),
    ("CumSum", [ROWS, whole(1)], {}, ROWS), ("DFT", [[1, 8, 1]], {}, [1, 8, 2]), ("DepthToSpace", [IMAGE], {"blocksize": 2}, [1, 1, 16, 16]),
    ("DequantizeLinear", [of(INT8, 2, 3), reals(1.0)], {}, ROWS), ("Det", [[3, 4, 4]], {}, [3]), ("DynamicQuantizeLinear", [ROWS], {}, ROWS),
    ("Einsum", [ROWS, [3, 4]], {"equation": "ij,jk->ik"}, [2, 4]),
    ("Einsum", [[2, 5, 3], [3, 4]], {"equation": "...j, jk"}, [2, 5, 4]), ("Expand", [[2, 1], ints(4, 1, 3)], {}, [4, 2, 3]),
    ("Flatten", [IMAGE], {"axis": 2}, [4, 64]), ("GRU", [[5, 1, 3], weights(1, 12, 3), weights(1, 12, 4)], {"hidden_size": 4}, [5, 1, 1, 4]),
    ("Gather", [[7, 3], of(INT64, 2, 5)], {}, [2, 5, 3]), ("GatherElements", [ROWS, of(INT64, 2, 2)], {"axis": 1}, [2, 2]),
    ("GatherND", [[4, 5, 6], of(INT64, 3, 2)], {}, [3, 6]), ("Gemm", [ROWS, weights(5, 3), weights(5)], {"transB": 1}, [2, 5]),
    ("GlobalAveragePool", [IMAGE], {}, [1, 4, 1, 1]), ("GlobalLpPool", [IMAGE], {}, [1, 4, 1, 1]), ("GlobalMaxPool", [IMAGE], {}, [1, 4, 1, 1]),
    ("GridSample", [IMAGE, [1, 5, 6, 2]], {}, [1, 4, 5, 6]), ("InstanceNormalization", [IMAGE, weights(4), weights(4)], {}, IMAGE),
    ("IsInf", [ROWS], {}, ROWS), ("IsNaN", [ROWS], {}, ROWS), ("LRN", [IMAGE], {"size": 3}, IMAGE),
    ("LSTM", [[5, 1, 3], weights(2, 16, 3), weights(2, 16, 4), weights(2, 32)], {"hidden_size": 4, "direction": "bidirectional"}, [5, 2, 1, 4]),
    ("LayerNormalization", [ROWS, weights(3)], {}, ROWS), ("LpPool", [IMAGE], {"kernel_shape": [2, 2]}, [1, 4, 7, 7]),
    ("MatMul", [[2, 3, 4], weights(4, 5)], {}, [2, 3, 5]), ("MatMulInteger", [of(UINT8, 2, 3), weights(3, 5, type=INT8)], {}, [2, 5]),
    ("MaxPool", [[1, 4, 9]], {"kernel_shape": [3], "strides": [2]}, [1, 4, 4]),
    ("MaxRoiPool", [IMAGE, [3, 5]], {"pooled_shape": [2, 2]}, [3, 4, 2, 2]),
    ("MaxUnpool", [IMAGE, of(INT64, *IMAGE)], {"kernel_shape": [2, 2], "strides": [2, 2]}, [1, 4, 16, 16]),
    ("MeanVarianceNormalization", [IMAGE], {}, IMAGE),
    ("MelWeightMatrix", [whole(8), whole(16), whole(8000), ("stored", [], FLOAT, [0.0]), ("stored", [], FLOAT, [4000.0])], {}, [9, 8]),
    ("Multinomial", [ROWS], {"sample_size": 4}, [2, 4]),
    ("NegativeLogLikelihoodLoss", [ROWS, of(INT64, 2)], {"reduction": "none"}, [2]),
    ("NonMaxSuppression", [[1, 9, 4], [1, 2, 9]], {}, [-1, 3]), ("NonZero", [ROWS], {}, [2, -1]), ("Not", [of(BOOL, 2, 3)], {}, ROWS),
    ("OneHot", [of(INT64, 2, 3), whole(7), reals(0.0, 1.0)], {}, [2, 3, 7]), ("Pad", [ROWS, ints(0, 1, 0, 2)], {}, [2, 6]),
    ("QLinearConv", [of(UINT8, 1, 4, 8, 8), reals(1.0), whole(0, UINT8), weights(6, 4, 3, 3, type=INT8), reals(1.0), whole(0, INT8),
                     reals(1.0), whole(0, UINT8)], {}, [1, 6, 6, 6]),
    ("QLinearMatMul", [of(UINT8, 2, 3), reals(1.0), whole(0, UINT8), weights(3, 5, type=INT8), reals(1.0), whole(0, INT8),
                       reals(1.0), whole(0, UINT8)], {}, [2, 5]),
    ("QuantizeLinear", [ROWS, reals(1.0), whole(0, INT8)], {}, ROWS),
    ("RNN", [[5, 1, 3], weights(1, 4, 3), weights(1, 4, 4)], {"hidden_size": 4}, [5, 1, 1, 4]),
    ("RandomNormal", [], {"shape": [2, 3]}, ROWS), ("RandomUniform", [], {"shape": [2, 3]}, ROWS), ("Range", [whole(0), whole(9), whole(2)], {}, [5]),
    ("Reshape", [IMAGE, ints(0, -1, 4)], {}, [1, 64, 4]), ("Resize", [IMAGE, "-", reals(1.0, 1.0, 2.0, 2.0)], {}, [1, 4, 16, 16]),
    ("Resize", [IMAGE, "-", "-", ints(1, 4, 13, 13)], {"mode": "linear"}, [1, 4, 13, 13]),
    ("ReverseSequence", [[4, 3], of(INT64, 3)], {}, [4, 3]),
    ("RoiAlign", [IMAGE, [3, 4], of(INT64, 3)], {"output_height": 2, "output_width": 2}, [3, 4, 2, 2]),
    ("STFT", [[1, 32, 1], whole(8), weights(16)], {}, [1, 3, 9, 2]),
    ("ScatterElements", [ROWS, of(INT64, 2, 2), [2, 2]], {"axis": 1}, ROWS), ("ScatterND", [[4, 5], of(INT64, 2, 1), [2, 5]], {}, [4, 5]),
    ("Shape", [IMAGE], {}, [4]), ("Size", [IMAGE], {}, []), ("Slice", [IMAGE, ints(1, 7), ints(3, -9), ints(1, 3), ints(1, -2)], {}, [1, 2, 8, 4]),
    ("SoftmaxCrossEntropyLoss", [ROWS, of(INT64, 2)], {}, []), ("SpaceToDepth", [IMAGE], {"blocksize": 2}, [1, 16, 4, 4]),
    ("Split", [[2, 7], ints(3, 4)], {"axis": 1}, [2, 3]), ("Squeeze", [[1, 5, 1], ints(0)], {}, [5, 1]),
    ("StringNormalizer", [of(8, 3)], {}, [-1]), ("TfIdfVectorizer", [of(INT64, 4)], {
        "mode": "TF", "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0], "ngram_indexes": [0, 1, 2],
        "pool_int64s": [2, 3, 5]}, [3]),
    ("Tile", [ROWS, ints(2, 3)], {}, [4, 9]), ("TopK", [[2, 9], ints(4)], {}, [2, 4]), ("Transpose", [IMAGE], {"perm": [0, 2, 3, 1]}, [1, 8, 8, 4]),
    ("Unique", [LINE], {}, [-1]), ("Unsqueeze", [ROWS, ints(0, 3)], {}, [1, 2, 3, 1]),
    ("Where", [of(BOOL, 2, 1), ROWS, [3]], {}, ROWS),
]
# Of operator sets 18 to 21.
LATER = [
    ("BitwiseAnd", [of(UINT8, 2, 3), of(UINT8, 2, 3)], {}, ROWS), ("BitwiseNot", [of(UINT8, 2, 3)], {}, ROWS),
    ("BitwiseOr", [of(UINT8, 2, 3), of(UINT8, 2, 3)], {}, ROWS), ("BitwiseXor", [of(UINT8, 2, 3), of(UINT8, 2, 3)], {}, ROWS),
    ("CenterCropPad", [IMAGE, ints(6, 10)], {"axes": [2, 3]}, [1, 4, 6, 10]),
    ("Col2Im", [[1, 20, 9], ints(5, 5), ints(2, 2)], {}, [1, 5, 5, 5]), ("Gelu", [ROWS], {}, ROWS), ("Mish", [ROWS], {}, ROWS),
    ("GroupNormalization", [IMAGE, weights(4), weights(4)], {"num_groups": 2}, IMAGE),
    ("AffineGrid", [[1, 2, 3], ints(1, 4, 5, 6)], {}, [1, 5, 6, 2]),
    ("ReduceMean", [ROWS, ints(1)], {}, [2, 1]), ("Split", [[2, 7]], {"axis": 1, "num_outputs": 2}, [2, 4]),
    ("RegexFullMatch", [of(8, 3)], {"pattern": "a"}, [3]), ("StringConcat", [of(8, 3), of(8, 3)], {}, [3]),
]
# Of sets 19 to 28, some of which no release of ONNX's own inference knew when these shapes were written: they follow from its texts.
LATEST = [
    ("DeformConv", [IMAGE, weights(6, 2, 3, 3), [1, 18, 6, 6], weights(6), [1, 9, 6, 6]], {"group": 2}, [1, 6, 6, 6]),
    ("TensorScatter", [[1, 2, 16, 4], [1, 2, 3, 4], of(INT64, 1)], {}, [1, 2, 16, 4]),
    ("TensorScatter", [[1, 16, 4], [1, 3, 4]], {"axis": 1}, [1, 16, 4]),
    ("Swish", [ROWS], {}, ROWS), ("SwiGLU", [ROWS, ROWS], {}, ROWS), ("CumProd", [ROWS, whole(1)], {}, ROWS),
    ("BitCast", [ROWS], {"to": 6}, ROWS), ("RMSNormalization", [ROWS, weights(3)], {}, ROWS),
    ("CausalConvWithState", [[1, 4, 9], weights(4, 1, 3), weights(4), [1, 4, 2]], {"activation": "silu"}, [1, 4, 9]),
    ("CausalConvWithState", [[1, 4, 9], weights(4, 1, 3)], {}, [1, 4, 9]),
    ("LinearAttention", [[1, 5, 16], [1, 5, 8], [1, 5, 6], "-", [1, 5, 2], [1, 5, 2]], {"q_num_heads": 4, "kv_num_heads": 2}, [1, 5, 12]),
    ("DFT", [[1, 8, 1], "-", whole(1)], {"onesided": 1}, [1, 5, 2]), ("Resize", [IMAGE, "-", "-", ints(1, 4, 13, 3)], {"mode": "cubic", "antialias": 1}, [1, 4, 13, 3]),
    ("Resize", [[1, 4, 5, 6, 7], "-", "-", ints(1, 4, 5, 9, 11)], {"mode": "linear"}, [1, 4, 5, 9, 11]),
]


def write(nodes, opset, name):
    inputs, stored, body, outputs, layers = [], [], [], [], []
    for i, (op, operands, attributes, result) in enumerate(nodes):
        names = []
        for k, operand in enumerate(operands):
            if operand == "-":
                names.append("-")
                continue
            names.append(f"v{i}_{k}")
            if isinstance(operand, list):
                inputs.append(value(names[-1], operand))
            elif operand[0] == "input":
                inputs.append(value(names[-1], operand[1], operand[2]))
            else:
                stored.append(tensor(names[-1], *operand[1:]))
        count = 3 if op == "DynamicQuantizeLinear" else 2 if op in ("Split", "TopK") else 1
        results = [f"y{i}"] + [f"y{i}_{k}" for k in range(1, count)]
        body.append(node(op, " ".join(names), " ".join(results), **attributes))
        outputs.append(value(results[0]))
        layers.append({"op": op, "inputs": [], "output": result, "attrs": {}, "params": 0})
    data = model(graph(body, inputs, outputs, stored), opset=opset)
    open(name, "wb").write(data)
    return {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "input_shapes": {}, "layers": layers}


def check(nodes, opset):
    """Prints where ONNX infers another shape."""
    import onnx
    for one in nodes:
        write([one], opset, "one.onnx")
        try:
            inferred = onnx.shape_inference.infer_shapes(onnx.load("one.onnx"))
        except RuntimeError as error:
            print(one[0], error)
            continue
        for info in list(inferred.graph.value_info) + list(inferred.graph.output):
            if info.name == "y0" and info.type.tensor_type.HasField("shape"):
                shape = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in info.type.tensor_type.shape.dim]
                if shape != one[3]:
                    print(one[0], shape, one[3])


records = [write(NODES, 17, "every_op.onnx"), write(LATER, 21, "later.onnx"), write(LATEST, 28, "latest.onnx")]
json.dump(records, open("models.json", "w"))
# Each with the first of its operands alone, or none: in a file, and in the recorded graph of a file that is not there.
few = []
for i, (op, operands, *rest) in enumerate(NODES + LATEST):
    for count in range(len(operands)):
        few.append(write([(op, operands[:count], *rest)], 17, f"few_{i}_{count}.onnx"))
    few.append({**write([(op, [], *rest)], 17, "none.onnx"), "file": f"absent_{i}.onnx"})
json.dump(few, open("few.json", "w"))
if "--check" in sys.argv:
    check(NODES, 17)
