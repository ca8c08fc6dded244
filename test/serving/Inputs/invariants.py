# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what holds for every result of a serve in the JSON of a run: times in order, tokens counted once, means of the lists."""
import json
import sys

good = True
for result in json.load(open(sys.argv[1]))["results"]:
    serving, metrics = result["serving"], result["metrics"]
    requests = serving["requests"]
    print(result["name"], len(requests), "requests")
    for request in requests:
        good &= request["arrival"] <= request["scheduled"] < request["first_token"] <= request["done"]
    good &= sum(r["prompt"] for r in requests) == serving["prompt_tokens"]
    good &= sum(r["answer"] for r in requests) == serving["output_tokens"]
    good &= sum(r["restarts"] for r in requests) == metrics["preemptions"]
    good &= max(r["done"] for r in requests) == metrics["run_time"]
    good &= abs(sum(r["first_token"] - r["arrival"] for r in requests) / len(requests) / metrics["ttft"] - 1) < 1e-9
    good &= abs(serving["output_tokens"] / metrics["run_time"] / metrics["tokens_per_s"] - 1) < 1e-9
    good &= serving["peak_blocks"] <= serving["blocks"]
    lines = sum(kernel["latency"] for kernel in result["kernels"])
    waiting = sum(kernel["latency"] for kernel in result["kernels"] if kernel["kind"] == "phase")
    good &= abs(lines / metrics["run_time"] - 1) < 1e-9
    good &= abs((lines - waiting) / (metrics["run_time"] * metrics["busy"]) - 1) < 1e-9
print("all hold" if good else "BROKEN")
