# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what holds for every result of a serve with pools: each cache moves once, and batches of both pools are all."""
import json
import sys

good = True
for result in json.load(open(sys.argv[1]))["results"]:
    serving, metrics = result["serving"], result["metrics"]
    if "pools" not in serving:
        continue
    pools, requests = serving["pools"], serving["requests"]
    print(f"{result['name']}: {len(requests)} requests, {len(pools)} pools")
    good &= [pool["phase"] for pool in pools] == ["prefill", "decode"]
    good &= sum(pool["batches"] for pool in pools) == serving["batches"]
    good &= serving["transfers"] == sum(request["answer"] > 1 for request in requests) == metrics["transfers"]
    moved = sum(request["prompt"] for request in requests if request["answer"] > 1)
    # On two ranks each, which hold half of the cache of a token.
    good &= abs(serving["transfer_bytes"] - moved * 2 * pools[0]["cache_bytes_per_token"]) < 1
    good &= sum(request["answer"] for request in requests) == serving["output_tokens"]
    for request in requests:
        good &= request["arrival"] <= request["scheduled"] < request["first_token"] <= request["done"]
    for pool in pools:
        good &= pool["peak_blocks"] <= pool["blocks"] and 0 < pool["weight_bytes"] < 80e9
    lines = sum(kernel["latency"] for kernel in result["kernels"])
    good &= abs(lines / metrics["run_time"] - 1) < 1e-9
print("all hold" if good else "BROKEN")
