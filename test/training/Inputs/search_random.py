# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches of random small models on random clusters, with random holes, with bounds and by trying all strategies: the best and
the front have to be the same. search_random.py PERFC SEED COUNT"""
import json
import random
import subprocess
import sys
import tempfile


def program(chance):
    pick = chance.choice
    model = pick(["dense", "dense", "dense", "experts"])
    layers = pick([2, 3, 4, 6, 8])
    chips = pick([4, 8, 8, 16])
    inner = pick([c for c in (2, 4, 8) if c <= chips])
    capacity = pick(["80GB", "80GB", "1GB", "300MB", "150MB"])
    schedule = pick(["one_f_one_b", "one_f_one_b", "gpipe", "zero_bubble", "interleaved(chunks = 2)"])
    shard = pick(["", "optimizer", "optimizer(ranks = any)", "optimizer, gradients", "parameters", "parameters(ranks = any)"])
    goal = pick(["minimize step_time", "minimize step_time", "maximize mfu", "minimize memory.peak", "minimize step_time * memory.peak"])
    axes = [a for a in ("tensor", "pipeline", "context") if chance.random() < 0.6]
    if model == "experts":
        axes.append("expert")
    parallel = ", ".join(f"{axis} = any" for axis in axes + ["data"])
    if "tensor" in axes and chance.random() < 0.6:
        parallel += ", sequence = any"
    lines = [f"  parallel {parallel}", f"  batch {pick([8, 12, 16])}", f"  schedule {schedule}", f"  {goal}", "  within 3600s"]
    for line, share in (("microbatch any", 0.7), ("recompute any", 0.7), ("order any", 0.4)):
        if chance.random() < share:
            lines.append("  " + line)
    if shard:
        lines.append("  shard " + shard)
    if chance.random() < 0.5:
        lines.append("  runtime " + pick(["megatron", "pytorch_fsdp"]))
    if chance.random() < 0.2:
        lines.append("  require mfu > 0.05%")
    if chance.random() < 0.3 and model == "experts":
        lines.append("  experts { routing uniform }")
    network = pick(["nvswitch", "nvswitch", "ring", "mesh"])
    links = {"nvswitch": "nvswitch { bandwidth 100GB/s/chip; latency 1us }",
             "ring": "net { topology ring }",
             "mesh": "net { topology fully_connected }"}[network]
    fault = "\n  fault chip[1] { slowdown 1.5x }" if chance.random() < 0.15 else ""
    other = "slow" if chance.random() < 0.15 else "chip"
    groups = chips // inner
    members = f"{groups} * node" if other == "chip" or groups < 2 else f"{groups - 1} * node + 1 * weak"
    dense = f"llama(layers = {layers}, hidden = 512, heads = 8, groups = {pick([2, 8])}, ffn = 1024, vocab = {pick([512, 32000])})"
    moe = f"qwen3_moe(layers = {layers}, hidden = 512, heads = 8, groups = 8, ffn = 512, experts = 8, chosen = 2, vocab = 512)"
    return f"""import std.workloads.{{llama, moe}}
import std.hardware.h100
import std.{{networks, runtimes}}
network net {{ bandwidth 50GB/s/chip; latency 1us }}
hardware chip from h100_sxm {{ memory HBM {{ capacity {capacity} }} }}
hardware slow from chip {{ memory HBM {{ bandwidth 1TB/s }} }}
workload small from {dense if model == "dense" else moe}
system c {{
  node = {inner} * chip over {links}
  weak = {inner} * {other} over {links}
  all = {members} over infiniband {{ bandwidth 25GB/s/chip; latency 3us }}{fault}
}}
train small(T = 256) on c as best {{
{chr(10).join(lines)}
}}
"""


def run(perfc, text, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".perf") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([perfc, "run", file.name, "--json", *options], capture_output=True, text=True)
    error = done.stderr.split("error[")[1].split("]: ")[1].split("\n")[0] if "error[" in done.stderr else ""
    if done.returncode == 2:
        return ("error", error)
    result = json.loads(done.stdout)["results"][0]
    # What the counts say, and what was left out for its memory, differs as far as all strategies have run.
    return (result["training"], result["metrics"] if "metrics" in result else None,
            [note.split("; ")[-1] for note in result["notes"] if "may be filled" not in note])


def main():
    perfc, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    kinds = {}
    for number in range(count):
        text = program(chance)
        pruned, all_run = run(perfc, text), run(perfc, text, "--strategy", "exhaustive")
        kind = pruned[1] if pruned[0] == "error" else "a best"
        kinds[kind] = kinds.get(kind, 0) + 1
        if pruned != all_run:
            print(f"differs in number {number}:\n{text}\n{pruned}\n{all_run}")
            return
    print(f"{count} searches, {kinds.get('a best', 0)} with a best: the same")
    if "-v" in sys.argv:
        print(kinds)


main()
