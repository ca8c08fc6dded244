# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the kernels of evaluations, by what they are made of, with those that nn-Meter's detector found.

usage: fusion_counts.py RESULTS.json fusion_kernels.json
"""
import collections
import json
import re
import sys

# Norms are folded into convolutions there, and biases are part of them.
NAMES = {"conv2d_groups": "conv", "conv2d": "conv", "depthwise": "dwconv", "matmul_add": "fc", "matmul": "fc", "relu6": "relu", "relu": "relu", "add": "add",
         "max_pool": "maxpool", "global_avg_pool": "gap", "concat4_channels": "concat", "concat_channels": "concat", "batchnorm": "",
         "channel_bias": "", "elementwise": ""}


def kind(label):
    parts = re.findall("|".join(NAMES), re.sub(r"_\d+$", "", label))
    return "-".join(NAMES[part] for part in parts if NAMES[part])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)["results"]
    with open(sys.argv[2], encoding="utf-8") as file:
        models = json.load(file)["models"]
    equal = 0
    for result in results:
        counts = collections.Counter()
        for kernel in result["kernels"]:
            counts[kind(kernel["label"])] += kernel["count"]
        model, rules = result["name"].rsplit("_", 1)
        wanted = models[f"{model}/{rules}"]["counts"]
        equal += counts == wanted
        if counts != wanted:
            print(result["name"], dict(counts), wanted)
    print(f"{equal} of {len(results)} equal")


main()
