# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single kernels: products, attention, convolutions, elementwise kernels, experts."""

import random

import torch
import torch.nn.functional as F

import timing
from timing import DEVICE, STACK, log_uniform

DTYPES = {"bfloat16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32, "tf32": torch.float32,
          "fp8": getattr(torch, "float8_e4m3fn", None)}
COPIES = 6  # weights that take turns

# Layers of models as (n, k) of y = x W^T: queries, keys and values together, output, both of the gated pair together,
# back, the head; the 70B ones as eight ranks of tensor parallelism have them.
LAYERS = [(6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336), (128256, 4096),
          (1280, 8192), (8192, 1024), (7168, 8192), (8192, 3584), (3072, 2048), (2048, 2048), (16384, 2048),
          (2048, 8192), (2304, 768), (768, 768), (3072, 768), (768, 3072), (50257, 768), (3072, 1024), (4096, 1024),
          (1024, 4096), (8192, 2048), (10240, 5120), (5120, 5120), (27648, 5120)]


def gemm_shapes(source, count):
    """(batch, m, n, k), log-uniform, and layers of models with 1 to 8192 tokens, in a random order."""
    shapes = []
    while len(shapes) < count:
        multiple = 1 if source.random() < 0.15 else 8
        m = log_uniform(source, 1, 16384, 1 if source.random() < 0.3 else multiple)
        n, k = log_uniform(source, 64, 16384, multiple), log_uniform(source, 64, 16384, multiple)
        if m * n * k < 1.5e12:
            shapes.append((1, m, n, k))
    tokens = [1 << power for power in range(14)]
    pairs = [(1, m, n, k) for n, k in LAYERS for m in tokens if m * n * k < 1.5e12]
    shapes += source.sample(pairs, min(count * 2 // 3, len(pairs)))
    for _ in range(count // 5):
        batch = log_uniform(source, 2, 512)
        m, n, k = (log_uniform(source, 32, 2048, 8) for _ in range(3))
        if batch * m * n * k < 1e12 and batch * max(m * n, m * k, n * k) < 2.5e8:
            shapes.append((batch, m, n, k))
    source.shuffle(shapes)
    return shapes


def gemm_calls(operands, dtype, batch, m, n, k):
    """One call for each copy of the right operand, and what kind of kernel it is."""
    kind = DTYPES[dtype]
    if batch > 1:
        left, out = operands.take(kind, batch, m, k), torch.empty(batch, m, n, dtype=kind, device=DEVICE)
        rights = [operands.take(kind, batch, k, n) for _ in range(COPIES)]
        return [lambda right=right: torch.bmm(left, right, out=out) for right in rights], "bmm"
    left = operands.take(kind, m, k)
    rights = [operands.take(kind, n, k).t() for _ in range(COPIES)]
    if dtype == "fp8":
        one = torch.ones((), device=DEVICE)
        return [lambda right=right: torch._scaled_mm(left, right, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
                for right in rights], "scaled_mm"
    out = torch.empty(m, n, dtype=kind, device=DEVICE)
    return [lambda right=right: torch.mm(left, right, out=out) for right in rights], "mm"


def set_tf32(on):
    torch.backends.cuda.matmul.allow_tf32 = on
    torch.backends.cudnn.allow_tf32 = on


def annotate(table, rows, calls, columns=("kernel", "grid")):
    """Writes the names of the kernels of these rows into the table; without them the rows stay as they are."""
    try:
        for row, kernels in zip(rows, timing.kernels_of(calls)):
            if kernels:
                row[columns[0]] = " + ".join(dict.fromkeys(name[:110] for name, _, _ in kernels))
                row[columns[1]] = kernels[0][1]
                row["profiler_us"] = "%.5g" % sum(time_us for _, _, time_us in kernels)
        table.write()
    except Exception as error:
        print("no names of kernels:", error)


def gemm(run):
    source = random.Random(run.seed)
    table = run.table("gemm", ["device", "dtype", "batch", "m", "n", "k", "latency_us", "timing", "stack", "kernel",
                               "tile", "grid", "source", "call", "profiler_us"])
    shapes = gemm_shapes(source, run.scaled(300))
    plan = [("bfloat16", 1.0, 0.34), ("fp8", 0.7, 0.22), ("fp32", 0.4, 0.24), ("fp16", 0.25, 0.1), ("tf32", 0.25, 0.1)]
    whole = run.budget.left()
    for dtype, share, seconds in plan:
        budget = timing.Budget(min(whole * seconds, run.budget.left()))
        set_tf32(dtype == "tf32")
        rows, calls = [], []
        for batch, m, n, k in source.sample(shapes, int(len(shapes) * share)):
            if budget.left() < 0:
                break
            if dtype == "fp8" and (batch > 1 or n % 16 or k % 16):
                continue
            if dtype in ("fp32", "tf32") and batch * m * n * k > 2.5e11:
                continue
            try:
                turns, call = gemm_calls(run.operands, dtype, batch, m, n, k)
                shape = dict(device=run.device, dtype=dtype, batch=batch, m=m, n=n, k=k, stack=STACK, call=call,
                             source="bench/gpu")
                rows.append(table.add(latency_us=timing.graph(turns), timing="cuda_graph", **shape))
                calls.append(turns[0])
                if dtype == "fp32":
                    table.add(latency_us=timing.eager(turns[0]), timing="eager_event", **shape)
            except Exception as error:
                run.failed("gemm", (dtype, batch, m, n, k), error)
            if len(calls) >= 80:
                annotate(table, rows, calls)
                rows, calls = [], []
                timing.trim()
        annotate(table, rows, calls)
        del calls
        set_tf32(False)
        if dtype in ("fp8", "tf32"):
            run.operands.drop(DTYPES[dtype])


def attention_shapes(source, count):
    """(phase, batch, heads, kv_heads, head_dim, q_len, kv_len) in a random order."""
    shapes = []
    while len(shapes) < count:
        phase = source.choice(["prefill", "prefill", "encoder", "decode", "decode"])
        kv_heads = source.choice([1, 2, 4, 8, 8, 16, 32])
        heads = kv_heads * source.choice([1, 1, 4, 8] if phase != "encoder" else [1])
        dim = source.choice([64, 128, 128, 96, 80] if phase == "encoder" else [64, 128, 128, 256])
        batch = log_uniform(source, 1, 256 if phase == "decode" else 64)
        kv_len = log_uniform(source, 128, 32768 if phase == "decode" else 16384, source.choice([1, 64, 64]))
        q_len = 1 if phase == "decode" else kv_len
        if 8 <= heads <= 64 and batch * kv_len * kv_heads * dim < 3e8 and batch * heads * q_len * kv_len * dim < 3e12 \
                and batch * heads * q_len * dim < 3e8:
            shapes.append((phase, batch, heads, kv_heads, dim, q_len, kv_len))
    return shapes


def attention_call(operands, backend, shape, dtype=torch.bfloat16):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    phase, batch, heads, kv_heads, dim, q_len, kv_len = shape
    query = operands.take(dtype, batch, q_len, heads, dim).transpose(1, 2)
    key = operands.take(dtype, batch, kv_len, kv_heads, dim).transpose(1, 2)
    value = operands.take(dtype, batch, kv_len, kv_heads, dim).transpose(1, 2)
    chosen = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}[backend]

    def call():
        with sdpa_kernel(chosen):
            return F.scaled_dot_product_attention(query, key, value, is_causal=phase == "prefill",
                                                  enable_gqa=heads != kv_heads)
    return call


def attention(run):
    table = run.table("attention", ["device", "phase", "dtype", "kv_dtype", "batch", "heads", "kv_heads", "head_dim",
                                    "q_len", "kv_len", "window", "latency_us", "stack", "kernel", "timing",
                                    "kernel_name", "grid", "profiler_us"])
    rows, calls = [], []
    for shape in attention_shapes(random.Random(run.seed + 1), run.scaled(150)):
        for backend in ("flash", "cudnn"):
            if run.budget.left() < 2:
                break
            try:
                call = attention_call(run.operands, backend, shape)
                phase, batch, heads, kv_heads, dim, q_len, kv_len = shape
                rows.append(table.add(device=run.device, phase=phase, dtype="bfloat16", kv_dtype="bfloat16",
                                      batch=batch, heads=heads, kv_heads=kv_heads, head_dim=dim, q_len=q_len,
                                      kv_len=kv_len, window=0, latency_us=timing.graph([call]), stack=STACK,
                                      kernel="sdpa_" + backend, timing="cuda_graph"))
                calls.append(call)
            except Exception as error:
                run.failed("attention", (backend,) + shape, error)
        if len(calls) >= 100:
            annotate(table, rows, calls, ("kernel_name", "grid"))
            rows, calls = [], []
            timing.trim()
    annotate(table, rows, calls, ("kernel_name", "grid"))


def vector_call(operands, op, kind, rows, cols):
    """The call, with tensors of rows x cols. Names ending in u have a number as their second operand."""
    x, y = operands.take(kind, rows, cols), operands.take(kind, rows, cols)
    weight, bias = operands.take(kind, cols), operands.take(kind, cols)
    binary = {"add": torch.add, "mul": torch.mul, "div": torch.div}
    number = {"addu": torch.add, "mulu": torch.mul, "divu": torch.div, "powu": torch.pow}
    unary = {"relu": torch.relu, "gelu": F.gelu, "silu": F.silu, "tanh": torch.tanh, "exp": torch.exp,
             "sigmoid": torch.sigmoid, "sqrt": torch.sqrt, "copy": torch.clone}
    if op in binary:
        return lambda: binary[op](x, y)
    if op in number:
        return lambda: number[op](x, 2.5)
    if op in unary:
        return lambda: unary[op](x)
    if op == "embedding":
        table = operands.take(kind, 50257, cols)
        index = torch.randint(0, 50257, (rows,), device=DEVICE)
        return lambda: F.embedding(index, table)
    if op == "gather":
        index = torch.randperm(rows, device=DEVICE)
        return lambda: torch.index_select(x, 0, index)
    if op == "cross_entropy":
        index = torch.randint(0, cols, (rows,), device=DEVICE)
        return lambda: F.cross_entropy(x, index)
    if op == "cast":
        other = torch.float32 if kind != torch.float32 else torch.bfloat16
        return lambda: x.to(other)
    return {"softmax": lambda: torch.softmax(x, -1),
            "layernorm": lambda: F.layer_norm(x, (cols,), weight, bias),
            "rmsnorm": lambda: F.rms_norm(x, (cols,), weight, 1e-5),
            "silu_mul": lambda: F.silu(x) * y,
            "fill": lambda: x.new_full((rows, cols), 1.0),
            "sum": lambda: torch.sum(x, -1), "sum_cols": lambda: torch.sum(x, 0), "amax": lambda: torch.amax(x, -1),
            "transpose": lambda: x.t().contiguous(),
            "dropout": lambda: F.dropout(x, 0.1, True)}[op]


VECTOR_OPS = ["add", "mul", "div", "addu", "mulu", "powu", "relu", "gelu", "silu", "tanh", "exp", "copy", "cast",
              "softmax", "softmax", "layernorm", "layernorm", "rmsnorm", "rmsnorm", "silu_mul", "sum", "sum_cols", "amax",
              "transpose", "embedding", "gather", "cross_entropy", "dropout", "fill"]


def vector(run):
    source = random.Random(run.seed + 2)
    table = run.table("vector", ["device", "op", "dtype", "rows", "cols", "latency_us", "timing", "stack", "source",
                                 "kernel", "grid", "profiler_us"])
    plan = []
    for op in VECTOR_OPS:
        for _ in range(run.scaled(9)):
            dtype = source.choice(["fp32", "fp16", "bfloat16"])
            cols = log_uniform(source, 64, 16384, source.choice([1, 8, 64]))
            if op == "cross_entropy":
                cols = source.choice([32000, 50257, 128256])
            rows = max(1, int(log_uniform(source, 1 << 12, 1 << 28) // cols))
            plan.append((op, dtype, rows, cols))
    source.shuffle(plan)
    rows, calls = [], []
    for op, dtype, height, width in plan:
        if run.budget.left() < 2:
            break
        try:
            call = vector_call(run.operands, op, DTYPES[dtype], height, width)
            row = dict(device=run.device, op=op, dtype=dtype, rows=height, cols=width, stack=STACK, source="bench/gpu")
            rows.append(table.add(latency_us=timing.eager(call), timing="eager_event", **row))
            calls.append(call)
            rows.append(table.add(latency_us=timing.graph([call]), timing="cuda_graph", **row))
            calls.append(call)
        except Exception as error:
            run.failed("vector", (op, dtype, height, width), error)
        if len(calls) >= 160:
            annotate(table, rows, calls)
            rows, calls = [], []
            timing.trim()
    annotate(table, rows, calls)


# cin, cout, kernel, input height, stride, padding, groups: ResNet-50, VGG-16, MobileNetV2, ConvNeXt, YOLO.
CONV_LAYERS = [(3, 64, 7, 224, 2, 3, 1), (64, 64, 1, 56, 1, 0, 1), (64, 64, 3, 56, 1, 1, 1), (64, 256, 1, 56, 1, 0, 1),
               (256, 64, 1, 56, 1, 0, 1), (256, 128, 1, 56, 1, 0, 1), (128, 128, 3, 56, 2, 1, 1),
               (128, 512, 1, 28, 1, 0, 1), (256, 512, 1, 56, 2, 0, 1), (128, 128, 3, 28, 1, 1, 1),
               (512, 256, 1, 28, 1, 0, 1), (256, 256, 3, 14, 1, 1, 1), (256, 1024, 1, 14, 1, 0, 1),
               (1024, 512, 1, 14, 1, 0, 1), (512, 512, 3, 7, 1, 1, 1), (512, 2048, 1, 7, 1, 0, 1),
               (3, 64, 3, 224, 1, 1, 1), (64, 64, 3, 224, 1, 1, 1), (128, 128, 3, 112, 1, 1, 1),
               (256, 256, 3, 56, 1, 1, 1), (256, 512, 3, 28, 1, 1, 1), (512, 512, 3, 14, 1, 1, 1),
               (32, 32, 3, 112, 1, 1, 32), (96, 96, 3, 112, 2, 1, 96), (144, 144, 3, 56, 1, 1, 144),
               (384, 384, 3, 14, 1, 1, 384), (960, 160, 1, 7, 1, 0, 1), (96, 576, 1, 14, 1, 0, 1),
               (96, 96, 7, 56, 1, 3, 96), (3, 96, 4, 224, 4, 0, 1), (32, 64, 3, 320, 2, 1, 1), (64, 128, 3, 160, 2, 1, 1),
               (192, 384, 5, 17, 1, 2, 1), (128, 256, 5, 28, 2, 2, 1), (3, 768, 16, 224, 16, 0, 1)]


def conv(run):
    source = random.Random(run.seed + 3)
    table = run.table("conv", ["device", "dtype", "batch", "cin", "cout", "kernel", "hw", "stride", "pad", "latency_us",
                               "timing", "stack", "kernel_name", "source", "groups", "layout", "grid", "profiler_us"])
    plan = []
    for layer in CONV_LAYERS:
        for dtype, layout in (("fp32", "nchw"), ("fp16", "nhwc"), source.choice([("fp16", "nchw"), ("tf32", "nchw"),
                                                                             ("fp32", "nhwc"), ("bfloat16", "nhwc")])):
            plan.append((dtype, layout, source.choice([1, 4, 16, 32, 64]), layer))
    source.shuffle(plan)
    rows, calls = [], []
    for dtype, layout, batch, layer in plan[:run.scaled(len(plan))]:
        if run.budget.left() < 2:
            break
        cin, cout, kernel, hw, stride, pad, groups = layer
        try:
            set_tf32(dtype == "tf32")
            kind = DTYPES[dtype]
            image = run.operands.take(kind, batch, cin, hw, hw)
            weight = run.operands.take(kind, cout, cin // groups, kernel, kernel)
            if layout == "nhwc":
                image = image.contiguous(memory_format=torch.channels_last)
                weight = weight.contiguous(memory_format=torch.channels_last)

            def call(image=image, weight=weight, stride=stride, pad=pad, groups=groups, tf32=dtype == "tf32"):
                torch.backends.cudnn.allow_tf32 = tf32
                return F.conv2d(image, weight, None, stride, pad, 1, groups)

            row = dict(device=run.device, dtype=dtype, batch=batch, cin=cin, cout=cout, kernel=kernel, hw=hw,
                       stride=stride, pad=pad, stack=STACK, source="bench/gpu", groups=groups, layout=layout)
            rows.append(table.add(latency_us=timing.eager(call), timing="eager_event", **row))
            calls.append(call)
            rows.append(table.add(latency_us=timing.graph([call]), timing="cuda_graph", **row))
            calls.append(call)
        except Exception as error:
            run.failed("conv", (dtype, layout, batch) + layer, error)
        if len(calls) >= 60:
            annotate(table, rows, calls, ("kernel_name", "grid"))
            rows, calls = [], []
            timing.trim()
    annotate(table, rows, calls, ("kernel_name", "grid"))
    set_tf32(False)


# hidden, inter, topk, experts held by this rank
EXPERTS = [(4096, 14336, 2, 8), (2048, 1408, 6, 64), (2048, 768, 8, 128), (7168, 2048, 8, 32), (4096, 1536, 8, 128),
           (2880, 2880, 4, 32)]


def expert_counts(source, tokens, topk, experts, routing):
    """Tokens of each expert: even, or as 1/rank."""
    total = tokens * topk
    weights = [1.0 if routing == "balanced" else 1.0 / (rank + 1) for rank in range(experts)]
    counts = [int(total * weight / sum(weights)) for weight in weights]
    for at in source.sample(range(experts), experts):
        if sum(counts) < total:
            counts[at] += 1
    counts[0] += total - sum(counts)
    source.shuffle(counts)
    return counts


def moe(run):
    source = random.Random(run.seed + 4)
    table = run.table("moe", ["device", "dtype", "tokens", "hidden", "inter", "topk", "experts", "tp", "ep", "routing",
                              "latency_us", "stack", "kernel", "gather_us", "up_us", "act_us", "down_us", "scatter_us"])
    kind = torch.bfloat16
    plan = [(layer, tokens, routing) for layer in EXPERTS for tokens in (1, 8, 64, 256, 1024, 4096, 16384)
            for routing in ("balanced", "power_law_1.0")]
    source.shuffle(plan)
    for (hidden, inter, topk, experts), tokens, routing in plan[:run.scaled(56)]:
        if run.budget.left() < 2:
            break
        try:
            counts = expert_counts(source, tokens, topk, experts, routing)
            offsets = torch.tensor(counts, device=DEVICE).cumsum(0).to(torch.int32)
            total = tokens * topk
            x = run.operands.take(kind, tokens, hidden)
            index = torch.arange(tokens, device=DEVICE).repeat_interleave(topk)[torch.randperm(total, device=DEVICE)]
            up = run.operands.take(kind, experts, 2 * inter, hidden).transpose(1, 2)
            down = run.operands.take(kind, experts, hidden, inter).transpose(1, 2)
            rows, middle = run.operands.take(kind, total, hidden), run.operands.take(kind, total, 2 * inter)
            narrow, result = run.operands.take(kind, total, inter), torch.zeros(tokens, hidden, dtype=kind, device=DEVICE)
            parts = {"gather_us": lambda: torch.index_select(x, 0, index),
                     "up_us": lambda: torch._grouped_mm(rows, up, offs=offsets),
                     "act_us": lambda: F.silu(middle[:, :inter]) * middle[:, inter:],
                     "down_us": lambda: torch._grouped_mm(narrow, down, offs=offsets),
                     "scatter_us": lambda: result.index_add_(0, index, rows)}
            times = {name: timing.graph([call]) for name, call in parts.items()}
            table.add(device=run.device, dtype="bfloat16", tokens=tokens, hidden=hidden, inter=inter, topk=topk,
                      experts=experts, tp=1, ep=1, routing=routing, latency_us=sum(times.values()), stack=STACK,
                      kernel="grouped_mm", **times)
        except Exception as error:
            run.failed("moe", (hidden, inter, topk, experts, tokens, routing), error)
        timing.trim()
