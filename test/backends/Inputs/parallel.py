# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Relations between the results of parallel.perf."""
import json
import sys

results = {result["name"]: result for result in json.load(open(sys.argv[1]))["results"]}


def metric(name: str, which: str) -> float:
    value = results[name]["metrics"][which]
    return value["value"] if isinstance(value, dict) else value


def same(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * abs(a)


tokens = {"one": 1024, "halves": 1024, "samples": 1024, "both": 1024, "one_group": 512, "context": 512, "stages": 512, "grid": 512, "uneven": 512}
rate = {name: metric(name, "tokens_per_s") * metric(name, "latency") for name in tokens}
print("all read as many tokens as their samples have:", all(same(rate[name], tokens[name]) for name in tokens))
print("ranks multiply as often in all as one chip:",
      all(same(metric(name, "macs") / tokens[name], metric("one", "macs") / 1024) for name in ("halves", "samples", "both")))
print("tensor and data: as long as a group with one sample:", same(metric("both", "latency"), metric("one_group", "latency")),
      end=", ")
print("twice its energy:", same(metric("both", "energy"), 2 * metric("one_group", "energy")))
print("tensor: kernels faster than on one chip:",
      metric("halves", "latency") - metric("halves", "exposed") < metric("one", "latency"), end=", ")
print("with exchanges:", metric("halves", "exposed") > 0)
print("data: has none:", metric("samples", "exposed") == 0)
print("context: has exchanges:", metric("context", "exposed") > 0)
kernels = lambda name: metric(name, "latency") - metric(name, "exposed")
print("stages: as many multiplications as one chip with a sample:", same(metric("stages", "macs"), metric("samples", "macs") / 2), end=", ")
print("kernels one after the other:", same(kernels("stages"), kernels("samples")), end=", ")
print("with a message:", metric("stages", "exposed") > 0)
print("stages: one of two chips works at a time:", same(metric("stages", "utilization") * metric("stages", "latency") * 2, metric("samples", "utilization") * metric("samples", "latency")), end=", ")
print("each with less in its memory:", metric("stages", "memory.peak") < 0.75 * metric("samples", "memory.peak"))
print("tensor and pipeline: the kernels and exchanges of tensor:", same(kernels("grid"), kernels("one_group")), end=", ")
print("and messages:", metric("grid", "exposed") > metric("one_group", "exposed"))
