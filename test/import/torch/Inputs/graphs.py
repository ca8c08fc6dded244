# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes graphs of PyTorch as export_torch.py does: every_op.pt.json, a node of each operator that is told apart, each with the shape
that PyTorch says; and damaged ones, of which it prints what perfc says. usage: graphs.py [PERFC]"""
import json
import random
import subprocess
import sys
from pathlib import Path

IMAGE, ROWS = [1, 4, 8, 8], [2, 3]


class Graph:
    def __init__(self):
        self.document = {"format": "perfc torch 1", "inputs": [], "stored": [], "nodes": [], "outputs": []}

    def tensor(self, where, shape, dtype="float32"):
        name = f"{where[0]}{len(self.document[where])}"
        self.document[where].append({"name": name, "shape": shape, "dtype": dtype})
        return {"node": name}

    def input(self, shape, dtype="float32"):
        return self.tensor("inputs", shape, dtype)

    def stored(self, *shape):
        return self.tensor("stored", list(shape))

    def op(graph, op, shapes, dtype="float32", /, *, result=True, **arguments):
        """A node with results of SHAPES; what is a list of numbers in a tuple is an input of that shape."""
        name = f"{op.strip('_')}_{len(graph.document['nodes'])}"
        shapes = shapes if not shapes or isinstance(shapes[0], list) else [shapes]
        results = [{"shape": shape, "dtype": dtype} for shape in shapes or [[]]]
        given = {key: graph.input(*value) if isinstance(value, tuple) else value for key, value in arguments.items()}
        graph.document["nodes"].append({"name": name, "op": f"aten.{op}.default", "arguments": given, "results": results})
        if result:
            graph.document["outputs"].append({"node": name})
        return {"node": name}

    def write(self, name):
        Path(name).write_text(json.dumps(self.document))


def every_op():
    g = Graph()
    for op in """abs ceil cos elu erf exp floor gelu hardsigmoid hardswish hardtanh leaky_relu log mish neg reciprocal relu relu_ relu6 round rsqrt
    sigmoid sign silu sin softplus sqrt tanh clone contiguous detach dropout alias asinh acosh atanh celu cosh isinf isnan log_sigmoid selu sinh
    square tan""".split():
        g.op(op, ROWS, self=(ROWS,))
    g.op("gelu", ROWS, self=(ROWS,), approximate="tanh")
    for op in "add div maximum minimum mul sub remainder fmod rsub".split():
        g.op(op, ROWS, self=(ROWS,), other=([3],))
    g.op("add_", ROWS, self=(ROWS,), other=2.5, alpha=2)
    g.op("div", ROWS, self=(ROWS,), other=2, rounding_mode="floor")
    g.op("pow", ROWS, self=(ROWS,), exponent=2)
    for op in "eq ne lt le gt ge".split():
        g.op(op, ROWS, "bool", self=(ROWS,), other=0)
    for op in "logical_and logical_or logical_xor bitwise_and __or__".split():
        g.op(op, ROWS, "bool", self=(ROWS, "bool"), other=(ROWS, "bool"))
    g.op("logical_not", ROWS, "bool", self=(ROWS, "bool"))
    g.op("clamp", ROWS, self=(ROWS,), min=0)
    g.op("where", ROWS, condition=(ROWS, "bool"), self=(ROWS,), other=(ROWS,))
    g.op("masked_fill", ROWS, self=(ROWS,), mask=(ROWS, "bool"), value=-3.4e38)
    g.op("addcmul", ROWS, self=(ROWS,), tensor1=(ROWS,), tensor2=(ROWS,), value=0.5)
    for op in "sum mean amax amin any prod".split():
        g.op(op, [2], self=(ROWS,), dim=[1], keepdim=False)
        g.op(op, [2, 1], self=(ROWS,), dim=[-1], keepdim=True)
        g.op(op, [], self=(ROWS,))
    g.op("max", [[2], [2]], self=(ROWS,), dim=1, keepdim=False)
    g.op("linalg_vector_norm", [2, 1], self=(ROWS,), ord=2.0, dim=[-1], keepdim=True)
    g.op("linalg_norm", [2], self=(ROWS,), ord=1, dim=[1])
    g.op("norm", [], self=(ROWS,), p=3.4e38)
    g.op("glu", [2, 4], self=([2, 8],), dim=-1)
    g.op("argmax", [2], "int64", self=(ROWS,), dim=1, keepdim=False)
    g.op("cumsum", ROWS, self=(ROWS,), dim=1)
    for op in "softmax _softmax log_softmax".split():
        g.op(op, ROWS, self=(ROWS,), dim=-1)

    g.op("conv1d", [1, 6, 7], input=([1, 4, 9],), weight=g.stored(6, 2, 3), bias=g.stored(6), stride=[1], padding=[0], dilation=[1], groups=2)
    g.op("conv2d", [1, 6, 4, 4], input=(IMAGE,), weight=g.stored(6, 4, 3, 3), stride=[2, 2], padding=[1])
    g.op("conv2d", [1, 6, 8, 8], input=(IMAGE,), weight=g.stored(6, 4, 3, 3), padding="same")
    g.op("convolution", [1, 4, 8, 8], input=(IMAGE,), weight=g.stored(4, 1, 3, 3), bias=g.stored(4), stride=[1, 1], padding=[1, 1],
         dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=4)
    g.op("convolution", [1, 6, 16, 16], input=(IMAGE,), weight=g.stored(4, 6, 3, 3), stride=[2, 2], padding=[1, 1], dilation=[1, 1],
         transposed=True, output_padding=[1, 1], groups=1)
    g.op("conv3d", [1, 6, 5, 6, 7], input=([1, 4, 5, 6, 7],), weight=g.stored(6, 4, 3, 3, 3), padding=[1, 1, 1])
    g.op("linear", [2, 5], input=(ROWS,), weight=g.stored(5, 3), bias=g.stored(5))
    g.op("linear", [4, 2, 5], input=([4, 2, 3],), weight=g.stored(5, 3), bias=g.stored(5))
    g.op("addmm", [2, 5], self=g.stored(5), mat1=(ROWS,), mat2=g.stored(3, 5))
    g.op("mm", [2, 5], self=(ROWS,), mat2=g.stored(3, 5))
    g.op("bmm", [4, 2, 5], self=([4, 2, 3],), mat2=([4, 3, 5],))
    g.op("baddbmm", [4, 2, 5], self=([4, 2, 5],), batch1=([4, 2, 3],), batch2=([4, 3, 5],))
    g.op("matmul", [4, 2, 5], self=([4, 2, 3],), other=([3, 5],))
    g.op("einsum", [4, 2, 5], equation="bij,kj->bik", tensors=[g.input([4, 2, 3]), g.input([5, 3])])
    g.op("embedding", [2, 3, 5], weight=g.stored(7, 5), indices=(ROWS, "int64"))
    for op in "batch_norm _native_batch_norm_legit_no_training".split():
        g.op(op, IMAGE, input=(IMAGE,), weight=g.stored(4), bias=g.stored(4), running_mean=g.stored(4), running_var=g.stored(4))
    g.op("layer_norm", ROWS, input=(ROWS,), normalized_shape=[3], weight=g.stored(3), bias=g.stored(3))
    g.op("native_layer_norm", [2, 3, 4], input=([2, 3, 4],), normalized_shape=[3, 4])
    g.op("rms_norm", ROWS, input=(ROWS,), normalized_shape=[3], weight=g.stored(3))
    g.op("group_norm", IMAGE, input=(IMAGE,), num_groups=2, weight=g.stored(4), bias=g.stored(4))
    g.op("group_norm", [1, 4, 9], input=([1, 4, 9],), num_groups=2, weight=g.stored(4), bias=g.stored(4))
    g.op("scaled_dot_product_attention", [2, 3, 4, 5, 6], query=([2, 3, 4, 5, 6],), key=([2, 3, 4, 7, 6],), value=([2, 3, 4, 7, 6],))
    g.op("scaled_dot_product_attention", [2, 5, 6], query=([2, 5, 6],), key=([2, 7, 6],), value=([2, 7, 6],))
    g.op("scaled_dot_product_attention", [2, 4, 5, 6], query=([2, 4, 5, 6],), key=([2, 4, 7, 6],), value=([2, 4, 7, 6],))
    g.op("scaled_dot_product_attention", [8, 5, 6], query=([8, 5, 6],), key=([8, 7, 6],), value=([8, 7, 6],), attn_mask=([8, 5, 7],))
    g.op("scaled_dot_product_attention", [2, 3, 4, 5, 6], query=([2, 3, 4, 5, 6],), key=([2, 3, 4, 7, 6],), value=([2, 3, 4, 7, 6],),
         attn_mask=([5, 7],))
    g.op("scaled_dot_product_attention", [2, 4, 5, 6], query=([2, 4, 5, 6],), key=([2, 2, 5, 6],), value=([2, 2, 5, 6],), is_causal=True)
    g.op("max_pool2d", [1, 4, 4, 4], self=(IMAGE,), kernel_size=[3, 3], stride=[2, 2], padding=[1, 1])
    g.op("max_pool2d_with_indices", [1, 4, 4, 4], self=(IMAGE,), kernel_size=[2], stride=[])
    g.op("avg_pool2d", [1, 4, 4, 4], self=(IMAGE,), kernel_size=[2, 2])
    g.op("adaptive_avg_pool2d", [1, 4, 1, 1], self=(IMAGE,), output_size=[1, 1])
    g.op("adaptive_avg_pool3d", [1, 4, 1, 1, 1], self=([1, 4, 5, 6, 7],), output_size=[1, 1, 1])
    g.op("adaptive_avg_pool2d", [1, 4, 2, 2], self=(IMAGE,), output_size=[2, 2])
    tables = lambda gates, directions: [table for _ in range(directions) for table in
                                        (g.stored(gates * 6, 3), g.stored(gates * 6, 6), g.stored(gates * 6), g.stored(gates * 6))]
    g.op("lstm", [2, 5, 12], input=([2, 5, 3],), params=tables(4, 2), has_biases=True, num_layers=1, bidirectional=True, batch_first=True)
    g.op("gru", [5, 2, 6], input=([5, 2, 3],), params=tables(3, 1), has_biases=True, num_layers=1, batch_first=False)
    states = g.op("lstm", [[5, 2, 6], [1, 2, 6], [1, 2, 6]], input=([5, 2, 3],), params=tables(4, 1), has_biases=True, num_layers=1)
    for i in (1, 2):
        g.document["outputs"].append({**states, "result": i})
    for op, gates, count in (("lstm_cell", 4, 2), ("gru_cell", 3, 1), ("rnn_tanh_cell", 1, 1)):
        hx = [g.input([2, 6]) for _ in range(count)]
        g.op(op, [[2, 6]] * count, input=([2, 3],), hx=hx if count > 1 else hx[0], w_ih=g.stored(gates * 6, 3), w_hh=g.stored(gates * 6, 6),
             b_ih=g.stored(gates * 6), b_hh=g.stored(gates * 6))
    g.op("conv_transpose1d", [1, 6, 16], input=([1, 4, 8],), weight=g.stored(4, 6, 4), bias=g.stored(6), stride=[2], padding=[1])
    g.op("conv_transpose3d", [1, 6, 3, 5, 7], input=([1, 4, 2, 3, 4],), weight=g.stored(4, 3, 2, 3, 1), stride=[1, 2, 2], padding=[0, 1, 0], groups=2)
    g.op("instance_norm", IMAGE, input=(IMAGE,), weight=g.stored(4), bias=g.stored(4))
    g.op("linear", [4, 2], input=([4, 2, 3],), weight=g.stored(3))
    table = g.stored(9, 2)
    g.document["stored"][-1]["buffer"] = True
    g.op("linear", [9, 7], input=table, weight=g.stored(7, 2))
    g.op("embedding_bag", [4, 5], weight=g.stored(7, 5), indices=([12], "int64"), offsets=([4], "int64"))
    g.op("_grouped_mm", [6, 5], self=([6, 3],), mat2=g.stored(2, 3, 5), offs=([2], "int32"))
    g.op("grid_sampler", [1, 4, 3, 5], input=(IMAGE,), grid=([1, 3, 5, 2],), interpolation_mode=0)
    g.op("einsum", [2, 4, 5], equation="...ij,...jk->...ik", tensors=[g.input([2, 4, 3]), g.input([1, 3, 5])])
    g.op("adaptive_avg_pool2d", [1, 4, 3, 3], self=(IMAGE,), output_size=[3, 3])

    g.op("view", [1, 256], self=(IMAGE,), size=[1, 256])
    g.op("flatten", [1, 256], self=(IMAGE,), start_dim=1)
    g.op("expand", [4, 2, 3], self=([1, 3],), size=[4, 2, 3])
    g.op("permute", [1, 8, 8, 4], self=(IMAGE,), dims=[0, 2, 3, -3])
    g.op("transpose", [3, 2], self=(ROWS,), dim0=0, dim1=-1)
    g.op("swapaxes", [3, 2], self=(ROWS,), axis0=-2, axis1=-1)
    g.op("t", [3, 2], self=(ROWS,))
    g.op("expand_as", [4, 2, 3], self=([1, 3],), other=([4, 2, 3],))
    g.op("reshape_as", [3, 2], self=(ROWS,), other=([3, 2],))
    g.op("repeat_interleave", [2, 12], self=(ROWS,), repeats=4, dim=1)
    g.op("tile", [2, 2, 6], self=(ROWS,), dims=[2, 1, 2])
    g.op("pixel_shuffle", [1, 1, 16, 16], self=(IMAGE,), upscale_factor=2)
    g.op("index", [5, 3], self=(ROWS,), indices=[g.input([5], "int64")])
    g.op("index", [2, 5], self=(ROWS,), indices=[None, g.input([5], "int64")])
    g.op("squeeze", [5], self=([1, 5, 1],))
    g.op("squeeze", [1, 5], self=([1, 5, 1],), dim=[1, 2])
    g.op("unsqueeze", [2, 3, 1], self=(ROWS,), dim=-1)
    g.op("cat", [2, 3], tensors=[g.input([0]), g.input(ROWS)], dim=-2)
    g.op("cat", [2, 7], tensors=[g.input(ROWS), g.input([2, 4])], dim=-1)
    g.op("stack", [2, 2, 3], tensors=[g.input(ROWS), g.input(ROWS)], dim=1)
    g.op("tensor_split", [[2, 1], [2, 2]], self=(ROWS,), indices=[1], dim=1)
    g.op("split", [[2, 2], [2, 1]], self=(ROWS,), split_size=2, dim=1)
    g.op("unbind", [[3], [3]], self=(ROWS,), dim=0)
    g.op("slice", [2, 2], self=(ROWS,), dim=1, start=1, end=9223372036854775807, step=1)
    g.op("select", [2], self=(ROWS,), dim=1, index=-1)
    g.op("gather", [2, 2], self=(ROWS,), dim=1, index=([2, 2], "int64"))
    g.op("index_select", [2, 5], self=(ROWS,), dim=1, index=([5], "int64"))
    g.op("flip", ROWS, self=(ROWS,), dims=[0, 1])
    g.op("roll", IMAGE, self=(IMAGE,), shifts=[-3, 2], dims=[2, 3])
    g.op("repeat", [3, 4, 3], self=(ROWS,), repeats=[3, 2, 1])
    g.op("constant_pad_nd", [3, 6], self=(ROWS,), pad=[1, 2, 0, 1])
    g.op("upsample_nearest2d", [1, 4, 16, 16], self=(IMAGE,), output_size=[16, 16])
    g.op("upsample_nearest2d", [1, 4, 16, 16], input=(IMAGE,), scale_factors=[2.0, 2.0])
    g.op("upsample_bilinear2d", [1, 4, 16, 16], input=(IMAGE,), output_size=[16, 16], align_corners=False)
    g.op("upsample_bicubic2d", [1, 4, 12, 20], input=(IMAGE,), output_size=[12, 20])
    for op in "expm1 log1p".split():
        g.op(op, ROWS, self=(ROWS,))
    g.op("var_mean", [[2], [2]], self=(ROWS,), dim=[1])
    g.op("std", [2, 1], self=(ROWS,), dim=[1], keepdim=True)
    g.op("numpy_T", [3, 2], self=(ROWS,))
    g.op("mT", [4, 3, 2], self=([4, 2, 3],))
    g.op("_to_copy", ROWS, "float16", self=(ROWS,))
    g.op("add", ROWS, self=(ROWS,), other=g.op("full", [3], result=False, size=[3], fill_value=1))
    # Each element once.
    g.op("index", [5], self=(ROWS,), indices=[g.input([5], "int64"), g.input([5], "int64")])
    g.op("topk", [[2, 2], [2, 2]], self=(ROWS,), k=2)
    g.op("sort", [ROWS, ROWS], self=(ROWS,), dim=-1)
    g.op("index_put", ROWS, self=(ROWS,), indices=[g.input([5], "int64")], values=([5, 3],))
    g.op("scatter_add", ROWS, self=(ROWS,), dim=0, index=(ROWS, "int64"), src=(ROWS,))
    g.op("randn", ROWS, size=ROWS)
    # Costed by what they read and write, and listed.
    g.op("fft_rfft", [2, 2], self=(ROWS,), dim=-1)
    g.op("slice", [2, 1], self=(ROWS,), dim=1, end={"size": "sym"})
    g.write("every_op.pt.json")


def layer():
    """One layer of a language model with an open batch."""
    g = Graph()
    x = g.input(["batch", 16, 64])
    shape = lambda *rest: ["batch", 16, *rest]
    norm = g.op("rms_norm", shape(64), result=False, input=x, normalized_shape=[64], weight=g.stored(64))
    heads = []
    for count in (4, 2, 2):
        y = g.op("linear", shape(16 * count), result=False, input=norm, weight=g.stored(16 * count, 64))
        y = g.op("view", shape(count, 16), result=False, self=y, size=[])
        heads.append(g.op("transpose", ["batch", count, 16, 16], result=False, self=y, dim0=1, dim1=2))
    y = g.op("scaled_dot_product_attention", ["batch", 4, 16, 16], result=False, query=heads[0], key=heads[1], value=heads[2], is_causal=True)
    y = g.op("transpose", shape(4, 16), result=False, self=y, dim0=1, dim1=2)
    y = g.op("reshape", shape(64), result=False, self=y, shape=[])
    y = g.op("linear", shape(64), result=False, input=y, weight=g.stored(64, 64))
    g.op("add", shape(64), self=x, other=y)
    g.write("layer.pt.json")


def parts():
    """A layer in parts: what leaves a tensor as it is stands in between."""
    g = Graph()
    of = lambda op, extents, /, **arguments: g.op(op, extents, result=False, **arguments)
    x = of("to", [1, 16, 64], self=g.input([1, 16, 64]))
    mean = of("mean", [1, 16, 1], self=of("pow", [1, 16, 64], self=x, exponent=2), dim=[-1], keepdim=True)
    norm = of("mul", [1, 16, 64], self=x, other=of("rsqrt", [1, 16, 1], self=of("add", [1, 16, 1], self=mean, other=1e-6)))
    norm = of("mul", [1, 16, 64], self=g.stored(64), other=of("to", [1, 16, 64], self=norm))
    heads = [of("transpose", [1, 4, 16, 16], dim0=1, dim1=2,
                self=of("view", [1, 16, 4, 16], self=of("linear", [1, 16, 64], input=norm, weight=g.stored(64, 64)), size=[])) for _ in range(3)]
    scores = of("matmul", [1, 4, 16, 16], self=heads[0], other=of("transpose", [1, 4, 16, 16], self=heads[1], dim0=-1, dim1=-2))
    scores = of("softmax", [1, 4, 16, 16], self=of("div", [1, 4, 16, 16], self=scores, other=4), dim=-1)
    y = of("matmul", [1, 4, 16, 16], self=of("dropout", [1, 4, 16, 16], self=scores), other=heads[2])
    y = of("reshape", [1, 16, 64], self=of("transpose", [1, 16, 4, 16], self=y, dim0=1, dim1=2), shape=[])
    g.op("linear", [1, 16, 64], input=y, weight=g.stored(64, 64))
    g.write("parts.pt.json")


def written():
    """Sums are written into the last two columns of a product, which is read behind."""
    g = Graph()
    x = g.input([2, 4])
    y = g.op("mm", [2, 4], result=False, self=x, mat2=g.stored(4, 4))
    part = g.op("slice", [2, 2], result=False, self=y, dim=1, start=2, end=4, step=1)
    g.op("copy_", [2, 2], result=False, self=part, src=g.op("mm", [2, 2], result=False, self=x, mat2=g.stored(4, 2)))
    g.op("mm", [2, 3], self=y, mat2=g.stored(4, 3))
    g.write("written.pt.json")


def written_open():
    """A size that is computed of open ones."""
    g = Graph()
    x = g.input(["batch", "seq", 8])
    x = g.op("view", ["batch*seq", 8], result=False, self=x, size=[{"size": "s"}, 8])
    x = g.op("cat", ["2*batch*seq + 1", 8], result=False, tensors=[x, x, g.stored(1, 8)], dim=0)
    g.op("view", ["16*batch*seq + 8"], self=x, size=[-1])
    g.write("open.pt.json")


def experts():
    """Rows sorted by expert, by the two products of a layer of four experts."""
    g = Graph()
    x = g.op("_grouped_mm", [6, 32], result=False, self=([6, 16],), mat2=g.stored(4, 16, 32), offs=([4], "int32"))
    node = {"name": "down", "op": "transformers.grouped_mm_fallback.default", "arguments": {"input": x, "weight": g.stored(4, 32, 16), "offs": g.input([4], "int32")},
            "results": [{"shape": [6, 16], "dtype": "float32"}]}
    g.document["nodes"].append(node)
    g.document["outputs"].append({"node": "down"})
    g.write("experts.pt.json")


def weights():
    """What is made of weights: rows of a table of positions, which a list in a buffer says, a shifted scale, which is another form of one, and
    the weights of a convolution in groups, whose norms are computed in every run."""
    g = Graph()
    x = g.input([1, 16, 64])
    ids = g.tensor("stored", [1, 16], "int64")
    g.document["stored"][-1]["buffer"] = True
    rows = g.op("embedding", [1, 16, 64], result=False, weight=g.stored(512, 64), indices=ids)
    x = g.op("add", [1, 16, 64], result=False, self=x, other=rows)
    scale = g.op("add", [64], result=False, self=g.stored(64), other=1)
    x = g.op("rms_norm", [1, 16, 64], result=False, input=x, normalized_shape=[64], weight=scale)
    x = g.op("transpose", [1, 64, 16], result=False, self=x, dim0=1, dim1=2)
    kernel = g.op("_weight_norm", [64, 32, 3], result=False, v=g.stored(64, 32, 3), g=g.stored(64, 1, 1), dim=0)
    g.op("conv1d", [1, 64, 16], input=x, weight=kernel, stride=[1], padding=[1], dilation=[1], groups=2)
    g.write("weights.pt.json")


def hostile(perfc):
    g = Graph()
    g.op("relu", ROWS, self=(ROWS,))
    sound = g.document

    def changed(**more):
        return json.dumps({**sound, **more})

    node = sound["nodes"][0]
    files = {
        "text": "this is no model", "list": "[]", "deep": "[" * 100000, "format": changed(format="other"),
        "nodes": changed(nodes=7), "nothing": changed(nodes=[{}]), "cut": changed()[:-30],
        "shape": changed(inputs=[{"name": "i0", "shape": [2, -3], "dtype": "float32"}]),
        "large": changed(stored=[{"name": "w", "shape": [1 << 62, 4], "dtype": "float32"}]),
        "ranks": changed(inputs=[{"name": "i0", "shape": [1] * 40, "dtype": "float32"}]),
        "before": changed(nodes=[{**node, "arguments": {"self": {"node": "later"}}}]),
        "output": changed(outputs=[{"node": "nowhere"}]),
        "cycle": changed(nodes=[{**node, "arguments": {"self": {"node": node["name"]}}}]),
        "fit": changed(nodes=[{**node, "op": "aten.mm.default", "arguments": {"self": {"node": "i0"}, "mat2": {"node": "i0"}}}]),
        "letters": changed(nodes=[{**node, "op": "aten.einsum.default", "arguments": {"equation": "...ij,...jk->...ik",
                                                                                      "tensors": [{"node": "i0"}, {"node": "i0"}]}}]),
        "missing": changed(nodes=[{**node, "op": "aten.linear.default", "arguments": {}}]),
        "dim": changed(nodes=[{**node, "op": "aten.select.int", "arguments": {"self": {"node": "i0"}, "dim": 9, "index": 0}}]),
        "layers": changed(nodes=[{**node, "op": "aten.lstm.input", "arguments": {"input": {"node": "i0"}, "num_layers": 1 << 60}}]),
        "stride": changed(nodes=[{**node, "op": "aten.conv2d.default", "arguments": {"input": {"node": "x"}, "weight": {"node": "x"},
                                                                                    "stride": [0, -1]}}],
                          inputs=[{"name": "x", "shape": [1, 1, 3, 3], "dtype": "float32"}]),
        "nothing in": changed(inputs=[{"name": "i0", "shape": [2, 0], "dtype": "float32"}],
                              nodes=[{**node, "op": "aten.sum.default"}]),
        "nothing out": changed(inputs=[{"name": "i0", "shape": [2, 0], "dtype": "float32"}]),
        "bits": changed(inputs=[{"name": "i0", "shape": [1 << 60, 1], "dtype": "float32"}],
                        nodes=[{**node, "results": [{"shape": [1 << 60, 1], "dtype": "float32"}]}]),
        "program": changed(inputs=[{"name": "i0", "shape": [1, 4, 8, 8], "dtype": "float32"}],
                           stored=[{"name": name, "shape": [size], "dtype": "float32"} for name, size in zip("wbmv", [4, 2, 4, 4])],
                           nodes=[{**node, "op": "aten.batch_norm.default", "results": [{"shape": [1, 4, 8, 8], "dtype": "float32"}],
                                   "arguments": dict(zip("input weight bias running_mean running_var".split(), ({"node": n} for n in "i0 w b m v".split())),
                                                     training=False, eps=1e-5)}]),
    }
    for name, data in files.items():
        Path("bad.pt.json").write_text(data)
        done = subprocess.run([perfc, "import", "torch", "bad.pt.json"], capture_output=True, timeout=20)
        assert done.returncode in (0, 2), f"{name}: {done.returncode}"
        print(f"{name}: {done.stderr.decode().splitlines()[0] if done.returncode else 0}")


def mutate(value, rng):
    """VALUE with some of what it holds left out, doubled or replaced."""
    if isinstance(value, list):
        value = [mutate(one, rng) if rng.random() < 0.3 else one for one in value]
        return value[1:] if rng.random() < 0.2 else value + value[:1] if rng.random() < 0.1 else value
    if isinstance(value, dict) and "node" not in value:
        return {key: mutate(one, rng) if rng.random() < 0.3 else one for key, one in value.items() if rng.random() < 0.95}
    if isinstance(value, int) and not isinstance(value, bool):
        return rng.choice([0, 1, -1, 2, 7, 1 << 31, 1 << 62, -(1 << 62), value + 1, value * 2])
    return value


def mutated(perfc, count):
    """What is imported of graphs that are no longer sound has no mistake, whatever was changed."""
    sound, rng = json.loads(Path("every_op.pt.json").read_text()), random.Random(1)
    for number in range(count):
        nodes = rng.sample(sound["nodes"], 3)
        nodes = [{**node, "arguments": mutate(node["arguments"], rng), "results": mutate(node["results"], rng)} for node in nodes]
        tensors = {key: [{**one, "shape": mutate(one["shape"], rng) if rng.random() < 0.3 else one["shape"]} for one in sound[key]
                         if f'"{one["name"]}"' in json.dumps(nodes)] for key in ("inputs", "stored")}
        Path("bad.pt.json").write_text(json.dumps({**sound, **tensors, "nodes": nodes, "outputs": [{"node": node["name"]} for node in nodes]}))
        done = subprocess.run([perfc, "import", "torch", "bad.pt.json", "-o", "bad.perf"], capture_output=True, timeout=20)
        assert done.returncode in (0, 2), f"{number}: {done.returncode}"
        if done.returncode == 0:
            assert subprocess.run([perfc, "check", "bad.perf"], capture_output=True, timeout=20).returncode == 0, f"{number}: a mistake"
        else:
            assert b"bad.pt.json:byte" in done.stderr, f"{number}: {done.stderr.decode()}"


every_op()
layer()
parts()
written()
weights()
written_open()
experts()
if len(sys.argv) > 1:
    hostile(sys.argv[1])
    mutated(sys.argv[1], 60)
