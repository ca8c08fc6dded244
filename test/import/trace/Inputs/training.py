# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A profile of operators of training: each call with one kernel."""
import json
import sys

BF16, FP32, INT = "c10::BFloat16", "float", "long int"
Q, KV = [2, 8, 64, 32], [2, 2, 64, 32]


def calls():
    x, w = [2, 8, 14, 14], [16, 8, 3, 3]
    conv = (["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"], [x, w, [], [], [], [], []])
    yield "conv2d", [FP32] * 2, *conv, "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32"
    yield "conv2d", [FP32] * 2, *conv, "implicit_convolve_sgemm"
    batch = [x, [8], [8], [8], [8], [], [], [], []]
    yield "batch_norm", [BF16] * 5, ["", "", "", "", "", "True", "0.1", "1e-5", "True"], batch, "collect_statistics"
    yield "batch_norm", [BF16] * 5, ["", "", "", "", "", "False", "0.1", "1e-5", "True"], batch, "transform_input"
    yield "native_batch_norm_backward", [BF16] * 4, [], [x, x, [8], [8]], "reduce"
    yield ("_scaled_dot_product_cudnn_attention_backward", [BF16] * 5, [""] * 14 + ["True"], [Q, Q, KV, KV, Q], "bprop")
    yield ("_scaled_dot_product_flash_attention_backward", [BF16] * 5, [""] * 11 + ["False"], [Q, Q, Q, Q, Q], "bwd")
    one = [1, 6, 64, 32]
    yield ("_scaled_dot_product_efficient_attention_backward", [BF16] * 4, [""] * 11 + ["False"], [one] * 4, "bwd_one")
    yield "nll_loss_forward", [BF16, INT], [], [[128, 1000], [128]], "nll"
    yield "nll_loss_backward", [BF16, BF16, INT], [], [[], [128, 1000], [128]], "nll_back"
    yield "embedding_dense_backward", [BF16, INT], ["", "", "1000"], [[128, 32], [128], []], "scatter"
    conv = ["", "", "", "[16]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[False, True, True]"]
    yield "convolution_backward", [FP32] * 3, conv, [[2, 16, 14, 14], x, w], "wgrad"
    volume = [[1, 4, 5, 6, 7], [6, 2, 3, 3, 1]]
    yield "conv3d", [FP32] * 2, ["", "", "", "[1, 2, 2]", "[1, 1, 0]", "[1, 1, 1]", "2"], volume, "conv3d_kernel"
    row = [[2, 8, 10], [8, 4, 4]]
    yield "convolution", [FP32] * 2, ["", "", "", "[2]", "[1]", "[1]", "True", "[0]", "1"], row, "dgrad"
    tables = [[24, 3], [24, 6], [24], [24]]
    yield "_cudnn_rnn_backward", [FP32, "TensorList"], [], [[5, 2, 3], tables, [], [1000]], "rnn"
    yield "batch_norm", [BF16] * 5, ["", "", "", "", "", "False", "0.1", "1e-5", "True"], [[2, 8, 3, 4, 5], *batch[1:]], "transform_volume"
    yield "_grouped_mm", [BF16, BF16, "int"], [], [[100, 32], [8, 32, 16], [8]], "grouped"


events = []
for i, (op, types, texts, dims, kernel) in enumerate(calls(), 1):
    count = max(len(types), len(texts), len(dims))
    types, texts, dims = ([*given, *[none] * (count - len(given))] for given, none in ((types, ""), (texts, ""), (dims, [])))
    events.append({"ph": "X", "cat": "cpu_op", "name": "aten::" + op, "pid": 1, "tid": 1, "ts": 100 * i, "dur": 50,
                   "args": {"External id": i, "Input type": types, "Concrete Inputs": texts, "Input Dims": dims}})
    events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": 100 * i, "dur": 10,
                   "args": {"External id": i}})
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
