# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models with random weights: inference, steps of decoding, training steps."""

import gc
import statistics

import torch

import timing
from timing import DEVICE, STACK

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}

# family, layers, hidden, heads, kv_heads, ffn, vocab
MODELS = {
    "gpt2": ("gpt2", 12, 768, 12, 12, 3072, 50257),
    "gpt2_medium": ("gpt2", 24, 1024, 16, 16, 4096, 50257),
    "bert_base": ("bert", 12, 768, 12, 12, 3072, 30522),
    "bert_large": ("bert", 24, 1024, 16, 16, 4096, 30522),
    "opt_1.3b": ("opt", 24, 2048, 32, 32, 8192, 50272),
    "llama_1b": ("llama", 16, 2048, 32, 8, 8192, 128256),
    "llama_8b_4_layers": ("llama", 4, 4096, 32, 8, 14336, 32000),
    "llama_8b": ("llama", 32, 4096, 32, 8, 14336, 128256),
    "qwen_0.5b": ("llama", 24, 896, 14, 2, 4864, 151936),
    "llama_300m": ("llama", 12, 1024, 16, 8, 4096, 32000),
    "resnet50": ("resnet50", 50, "", "", "", "", 1000),
    "vit_b_16": ("vit_b_16", 12, 768, 12, 12, 3072, 1000),
}

# model, dtypes, (batch, seq) pairs; seq of images is their side
INFERENCE = [
    ("gpt2", ("bf16", "fp32", "fp16"), ((8, 1024), (1, 512))),
    ("bert_base", ("bf16", "fp32", "fp16"), ((32, 128), (8, 512))),
    ("llama_1b", ("bf16", "fp16"), ((1, 2048), (8, 1024), (1, 128))),
    ("resnet50", ("fp32", "fp16", "bf16"), ((32, 224), (1, 224), (128, 224))),
    ("vit_b_16", ("fp32", "bf16"), ((32, 224), (1, 224))),
    ("opt_1.3b", ("bf16", "fp32"), ((4, 1024), (1, 2048))),
    ("llama_8b_4_layers", ("bf16",), ((1, 4096), (4, 2048), (16, 512))),
    ("bert_large", ("bf16", "fp32"), ((16, 512), (1, 128))),
    ("gpt2_medium", ("bf16", "fp16"), ((8, 1024), (2, 1024))),
    ("llama_8b", ("bf16",), ((1, 2048), (4, 2048), (1, 512), (8, 128))),
    ("qwen_0.5b", ("bf16", "fp32"), ((4, 1024), (1, 256))),
]
DECODE = [("llama_1b", "bf16", 1, 1024), ("llama_1b", "bf16", 32, 1024), ("gpt2", "fp16", 8, 512),
          ("llama_8b", "bf16", 1, 1024), ("llama_8b", "bf16", 16, 2048), ("llama_8b", "bf16", 64, 1024),
          ("opt_1.3b", "fp16", 16, 1024)]
TRAINING = [("gpt2", 8, 1024), ("llama_300m", 4, 2048), ("bert_base", 16, 512), ("gpt2_medium", 4, 1024), ("gpt2", 16, 512),
            ("llama_300m", 8, 1024), ("bert_base", 32, 128), ("gpt2", 4, 1024), ("llama_1b", 2, 2048),
            ("gpt2_medium", 8, 512), ("llama_300m", 16, 512), ("bert_base", 64, 256)]


def build(name, dtype=None):
    """The model on the device, its weights made in this format."""
    torch.set_default_dtype(dtype or torch.float32)
    try:
        return make(name)
    finally:
        torch.set_default_dtype(torch.float32)


def make(name):
    family, layers, hidden, heads, kv_heads, ffn, vocab = MODELS[name]
    with torch.device(DEVICE):
        if family in ("resnet50", "vit_b_16"):
            import torchvision
            return getattr(torchvision.models, family)(weights=None)
        import transformers as t
        if family == "gpt2":
            return t.GPT2LMHeadModel(t.GPT2Config(n_layer=layers, n_embd=hidden, n_head=heads, n_positions=2048,
                                                  vocab_size=vocab))
        if family == "bert":
            return t.BertForMaskedLM(t.BertConfig(num_hidden_layers=layers, hidden_size=hidden, vocab_size=vocab,
                                                  num_attention_heads=heads, intermediate_size=ffn))
        if family == "opt":
            return t.OPTForCausalLM(t.OPTConfig(num_hidden_layers=layers, hidden_size=hidden, ffn_dim=ffn,
                                                num_attention_heads=heads, word_embed_proj_dim=hidden, vocab_size=vocab))
        return t.LlamaForCausalLM(t.LlamaConfig(
            num_hidden_layers=layers, hidden_size=hidden, intermediate_size=ffn, num_attention_heads=heads,
            num_key_value_heads=kv_heads, vocab_size=vocab, tie_word_embeddings=hidden < 4096 and vocab > 100000,
            max_position_embeddings=8192))


def inputs(name, batch, seq, dtype):
    family, vocab = MODELS[name][0], MODELS[name][6]
    if family in ("resnet50", "vit_b_16"):
        return (torch.randn(batch, 3, seq, seq, dtype=DTYPES[dtype], device=DEVICE),), {}
    tokens = torch.randint(0, vocab, (batch, seq), device=DEVICE)
    return (), {"input_ids": tokens} if family == "bert" else {"input_ids": tokens, "use_cache": False}


def shape(name):
    _, layers, hidden, heads, kv_heads, ffn, vocab = MODELS[name]
    return dict(model=name, layers=layers, hidden=hidden, heads=heads, kv_heads=kv_heads, ffn=ffn, vocab=vocab)


def drop():
    gc.collect()
    torch.cuda.empty_cache()


def whole_ms(call, runs=7):
    """The median of some runs; the first two load kernels."""
    call()
    call()
    return statistics.median(timing.once(call) for _ in range(runs)) / 1000.0


def graph_ms(call):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call()
        call()
        torch.cuda.synchronize()
        captured = timing.capture([call], 1)
        captured.replay()
        return statistics.median(timing.once(captured.replay) for _ in range(7)) / 1000.0


def kernels_ms(run, call, **labels):
    """The sum of the kernels' own times in one run; the kernels go to a table."""
    table = run.table_once("e2e_kernels", ["device", "model", "mode", "option", "dtype", "batch", "seq", "kernel", "grid",
                                           "count", "total_us"])
    sums = {}
    for event in timing.trace(call):
        grid = "x".join(str(extent) for extent in event.get("args", {}).get("grid", []))
        count, total = sums.get((event["name"], grid), (0, 0.0))
        sums[event["name"], grid] = (count + 1, total + event["dur"])
    for (name, grid), (count, total) in sorted(sums.items(), key=lambda item: -item[1][1]):
        table.rows.append(dict(device=run.device, kernel=name[:120], grid=grid, count=count, total_us="%.5g" % total,
                               **labels))
    table.write()
    return sum(total for _, total in sums.values()) / 1000.0


def e2e_table(run):
    return run.table_once("e2e", ["device", "model", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "mode",
                                  "option", "dtype", "seq", "batch", "latency_ms", "fw_ms", "bw_ms", "opt_ms",
                                  "sum_of_kernels_ms", "peak_gb", "stack"])


def inference(run):
    table = e2e_table(run)
    profiled = set()
    for name, dtypes, sizes in INFERENCE:
        for dtype in dtypes:
            if run.budget.left() < 3:
                return
            try:
                model = build(name, DTYPES[dtype]).to(DTYPES[dtype]).eval()
                if name == "resnet50" and dtype != "fp32":
                    model = model.to(memory_format=torch.channels_last)
            except Exception as error:
                run.failed("inference", (name, dtype), error)
                continue
            for batch, seq in sizes:
                infer(run, table, profiled, name, model, dtype, batch, seq)
            del model
            drop()


def infer(run, table, profiled, name, model, dtype, batch, seq):
    try:
        args, kwargs = inputs(name, batch, seq, dtype)
        if name == "resnet50" and dtype != "fp32":
            args = tuple(arg.contiguous(memory_format=torch.channels_last) for arg in args)
        row = dict(device=run.device, mode="inf", dtype=dtype, seq=seq, batch=batch, stack=STACK, **shape(name))

        def call():
            with torch.no_grad():
                return model(*args, **kwargs)

        time_ms = whole_ms(call)
        labels = dict(model=name, mode="inf", option="eager", dtype=dtype, batch=batch, seq=seq)
        sum_ms = ""
        if (name, dtype) not in profiled:
            profiled.add((name, dtype))
            try:
                sum_ms = kernels_ms(run, call, **labels)
            except Exception as error:
                run.failed("inference", (name, dtype, "kernels"), error)
        table.add(option="eager", latency_ms=time_ms, fw_ms=time_ms, sum_of_kernels_ms=sum_ms, **row)
        table.add(option="graph", latency_ms=graph_ms(call), **row)
    except Exception as error:
        run.failed("inference", (name, dtype, batch, seq), error)


def decode(run):
    """Steps with one new token each, the cache grown by PyTorch as transformers does it."""
    table = e2e_table(run)
    for name, dtype, batch, seq in DECODE:
        if run.budget.left() < 3:
            return
        try:
            model = build(name, DTYPES[dtype]).to(DTYPES[dtype]).eval()
            tokens = torch.randint(0, MODELS[name][6], (batch, seq), device=DEVICE)
            with torch.no_grad():
                cache = model(input_ids=tokens, use_cache=True, logits_to_keep=1).past_key_values
                step = tokens[:, :1].contiguous()

                def call():
                    return model(input_ids=step, past_key_values=cache, use_cache=True)

                time_ms = whole_ms(call, 15)
                sum_ms = kernels_ms(run, call, model=name, mode="decode", option="eager", dtype=dtype, batch=batch, seq=seq)
            table.add(device=run.device, mode="decode", option="eager", dtype=dtype, seq=seq, batch=batch, stack=STACK,
                      latency_ms=time_ms, sum_of_kernels_ms=sum_ms, **shape(name))
            del model, cache
        except Exception as error:
            run.failed("decode", (name, dtype, batch, seq), error)
        drop()


def training(run):
    """Forward, backward and AdamW in bf16 autocast, weights in fp32."""
    table = e2e_table(run)
    for name, batch, seq in TRAINING:
        if run.budget.left() < 4:
            return
        try:
            torch.cuda.reset_peak_memory_stats()
            model = build(name).train()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
            tokens = torch.randint(0, MODELS[name][6], (batch, seq), device=DEVICE)
            extra = {} if MODELS[name][0] == "bert" else {"use_cache": False}

            def forward():
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    return model(input_ids=tokens, labels=tokens, **extra).loss

            times = []
            for turn in range(6):
                events = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
                torch.cuda.synchronize()
                events[0].record()
                loss = forward()
                events[1].record()
                loss.backward()
                events[2].record()
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                events[3].record()
                torch.cuda.synchronize()
                if turn > 1:
                    times.append([events[at].elapsed_time(events[at + 1]) for at in range(3)])
            fw_ms, bw_ms, opt_ms = (statistics.median(part) for part in zip(*times))
            peak = torch.cuda.max_memory_allocated() / 1e9

            def whole():
                forward().backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)

            sum_ms = ""
            try:
                sum_ms = kernels_ms(run, whole, model=name, mode="train", option="eager", dtype="bf16_autocast",
                                    batch=batch, seq=seq)
            except Exception as error:
                run.failed("training", (name, "kernels"), error)
            table.add(device=run.device, mode="train", option="eager", dtype="bf16_autocast", seq=seq, batch=batch,
                      latency_ms=fw_ms + bw_ms + opt_ms, fw_ms=fw_ms, bw_ms=bw_ms, opt_ms=opt_ms,
                      sum_of_kernels_ms=sum_ms, peak_gb=peak, stack=STACK, **shape(name))
            del model, optimizer, loss
        except Exception as error:
            run.failed("training", (name, batch, seq), error)
        drop()


def compiled(run):
    """torch.compile: fused kernels of Inductor."""
    table = e2e_table(run)
    for name, dtype, batch, seq in [("gpt2", "bf16", 8, 1024), ("resnet50", "fp16", 32, 224), ("bert_base", "fp16", 32, 128),
                                    ("llama_8b_4_layers", "bf16", 1, 4096)]:
        if run.budget.left() < 25:
            return
        try:
            model = build(name, DTYPES[dtype]).to(DTYPES[dtype]).eval()
            args, kwargs = inputs(name, batch, seq, dtype)
            if name == "resnet50":
                model = model.to(memory_format=torch.channels_last)
                args = tuple(arg.contiguous(memory_format=torch.channels_last) for arg in args)
            fast = torch.compile(model)

            def call():
                with torch.no_grad():
                    return fast(*args, **kwargs)

            time_ms = whole_ms(call)
            row = dict(device=run.device, mode="inf", dtype=dtype, seq=seq, batch=batch, stack=STACK, **shape(name))
            labels = dict(model=name, mode="inf", option="compile", dtype=dtype, batch=batch, seq=seq)
            table.add(option="compile", latency_ms=time_ms, sum_of_kernels_ms=kernels_ms(run, call, **labels), **row)
            table.add(option="compile_graph", latency_ms=graph_ms(call), **row)
            del model, fast
        except Exception as error:
            run.failed("compiled", (name, dtype, batch, seq), error)
        drop()
