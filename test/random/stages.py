# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training with weights that several parts of a model read, over pipeline stages.

Every stage holds the weights that its layers, the embedding or the output read, each once: parameters, gradients and optimizer
state are counted here by hand, as is the ring in which stages add up the gradients of what they share.
"""
import random

from case import Case

ELEMENT, MOMENTS, MASTER = 2, 8, 4


def case(rng: random.Random) -> Case:
    layers, stages = rng.randint(1, 3), rng.randint(1, 4)
    layers *= stages
    hidden, vocab, tokens = rng.choice([16, 32, 64]), rng.randint(8, 200), rng.choice([8, 16])
    isTied, isCommon, outer = rng.random() < 0.7, rng.random() < 0.5, rng.randint(0, 2)
    data = rng.choice([1, 1, 2])
    sharded = data > 1 and rng.random() < 0.5
    bandwidth, latency, microbatches = rng.randint(1, 100), rng.randint(0, 9), rng.randint(1, 5)
    table = vocab * hidden
    commonRead = " + matmul(x, common)" if isCommon else ""
    output = "table" if isTied else "weight[vocab, hidden]"
    # `late` stands at the top but only the output reads it; `early` is read by the embedding and the output.
    late, early = outer == 1, outer == 2
    text = f"""import std.ops.{{embedding, matmul}}
import std.networks
hardware chip {{ clock 1GHz; dtype fp16; memory M {{ off_chip; bandwidth 1TB/s }}; array A[64] {{ compute C {{ rate 1/cycle }} }} }}
workload net(batch = 1, T = {tokens}, hidden = {hidden}, vocab = {vocab}) -> y {{
  table = weight[vocab, hidden]
  {"common = weight[hidden, hidden]" if isCommon else ""}
  {"late = weight[hidden, hidden]" if late else ""}
  {"early = weight[hidden]" if early else ""}
  x = embedding(token[batch, T], table){" + early" if early else ""}
  repeat {layers} {{
    x = x + matmul(x, weight[hidden, hidden]){commonRead}
  }}
  {"x = matmul(x, late)" if late else ""}
  {"x = x + early" if early else ""}
  w = {output}
  y[b, t, v] += x[b, t, d] * w[v, d]
}}
system s {{ all = {stages * data} * chip over nvswitch {{ bandwidth {bandwidth}GB/s/chip; latency {latency}us }} }}
train net on s as t {{
  parallel pipeline = {stages}, data = {data}
  batch {microbatches * data}
  microbatch 1
  optimizer adam {{ master fp32 }}
  {"shard optimizer" if sharded else ""}
}}
"""
    square = hidden * hidden

    def elements(stage):
        """Weights of a stage."""
        count = layers // stages * square + (square if isCommon else 0)
        isFirst, isLast = stage == 0, stage == stages - 1
        if isFirst or (isLast and isTied):
            count += table
        if isLast:
            count += (0 if isTied else table) + (square if late else 0)
        return count + (hidden if early and (isFirst or isLast) else 0)

    def rings():
        """s and bytes of the sums among stages: over all of them, and over the first and the last."""
        ends = ((table if isTied else 0) + (hidden if early else 0)) * (stages > 1)
        common = square if isCommon and stages > 1 else 0
        sums = [(2, ends + common)] if stages == 2 else [(2, ends), (stages, common)]
        sums = [(k, size * ELEMENT / (data if sharded else 1)) for k, size in sums if size]
        return sum(2 * (k - 1) * (latency * 1e-6 + size / k / (bandwidth * 1e9)) for k, size in sums)

    def check(document):
        training, wrong = document["results"][0]["training"], []
        for index, stage in enumerate(training["stages"]):
            count = elements(index)
            expected = {"parameters": ELEMENT * count, "gradients": ELEMENT * count,
                        "optimizer": (MOMENTS + MASTER) * count / (data if sharded else 1)}
            wrong += [f"stage {index}: {part} {stage[part]} B, not {size}" for part, size in expected.items()
                      if abs(stage[part] - size) > 1]
        found = sum(entry["latency"] for entry in training["communication"] if entry["name"] == "all_reduce pipeline")
        whole = 2 * stages * 2 / (bandwidth * 1e9)  # messages have whole bytes
        if abs(found - rings()) > 1e-6 * rings() + whole:
            wrong.append(f"sums among stages take {found} s, not {rings()} s")
        whole = sum(elements(i) for i in range(stages))
        twice = (table * isTied + hidden * early) * (stages > 1) + square * isCommon * (stages - 1)
        if document["results"][0]["params"] != whole - twice:
            wrong.append(f"{document['results'][0]['params']} parameters, not {whole - twice}")
        return wrong

    return Case(text, check)
