# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of the cache in ../memory.perf against a calculation by hand.

usage: memory.py RESULTS.json
"""
import json
import math
import sys

results = {r["name"]: r for r in json.load(open(sys.argv[1]))["results"]}
serving = {name: r["serving"] for name, r in results.items()}

# Of the model `small`: what a token of a batch takes in elements and one that comes out in bytes.
HIDDEN, FFN, VOCAB, LAYERS = 1024, 4096, 1000, 2
WEIGHTS = LAYERS * (4 * HIDDEN**2 + 3 * HIDDEN * FFN + 2 * HIDDEN) + HIDDEN
TABLES = 2 * VOCAB * HIDDEN * 2  # of words and the last product, in fp16 in any case
# x, its norm and the result beside the three tensors inside the feed-forward layer; the cosines and sines of a head's features stay
# over all layers, for each position, which the two prompts of the largest batch share.
HEAD, PROMPTS = 128, 2
ACTIVATION = 3 * HIDDEN + 3 * FFN + 2 * HEAD / PROMPTS


def blocks(share: float, weight_bytes: float, cache_bytes: float, bytes: float = 2) -> int:
    left = share * 2**30 - WEIGHTS * weight_bytes - TABLES - 1000 * ACTIVATION * bytes - 10 * VOCAB * (bytes + 3 * 4)
    return math.floor(left / (16 * LAYERS * 2 * HIDDEN * cache_bytes))


expected = {"plain": blocks(0.9, 2, 2), "narrow": blocks(0.9, 0.5, 1), "more": blocks(0.95, 2, 2),
            "mixed": blocks(0.9, 0.5, 2, bytes=1)}
for name, count in expected.items():
    assert serving[name]["blocks"] == count, (name, serving[name]["blocks"], count)
parts = serving["vllm24"]
held = parts["weight_bytes"] + parts["activation_bytes"] + parts["logit_bytes"] + parts["reserved_bytes"]
held += parts["peak_blocks"] * parts["block_tokens"] * parts["cache_bytes_per_token"]
assert abs(held / results["vllm24"]["metrics"]["memory.peak"] - 1) < 1e-9
