#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole runs of the compiler: run.py PERFC [--rounds N]

Each row is one command: the fastest and the median wall time of N runs after one to warm the file cache, and the largest
resident memory. The budget is what the project promises; a row above it is marked and makes the exit status 1. With 0 rounds each
command runs once to see that it does, and no row is above its budget."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import models

BLOCK = """op mm{i}(A[M, K], B[K, N]: weight, alpha = {i}) -> C[M, N] {{
  C[m, n] += A[m, k] * B[k, n]
}}

hardware chip{i} {{
  clock 1GHz
  dtype int8
  memory DRAM {{ bandwidth 16B/cycle; energy 100pJ }}
  memory L2   {{ capacity {capacity}MiB; bandwidth 64B/cycle; energy 18.6pJ }}
  array PE[x = 16, y = 16] {{
    network {{ multicast x, y; reduce y }}
    memory L1   {{ capacity 512B; energy 1.7pJ }}
    compute MAC {{ rate 1/cycle; energy 1pJ }}
  }}
}}

mapping map{i} for mm{i} on chip{i} {{
  at DRAM for m = 4, n = 4
  at PE.x parallel m = 16
  at PE.y parallel k = 16
  at L1   for n = 16, k = rest
}}

let size{i} = mm{i}(M = 64, N = 64, K = 64)
evaluate size{i} on chip{i} with map{i} {{
  expect latency < 5ms
}}
"""

RESNET = """import std.hardware.eyeriss
import std.workloads.resnet50

evaluate resnet50(batch = 1) on eyeriss with row_stationary
"""

LLAMA = """import std.hardware.h100
import std.workloads.llama2

evaluate llama2_70b.prefill(batch = 1, context = 4096) on h100_sxm using roofline
"""

CONFIG = """{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8192, "intermediate_size": 28672,
"num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8, "vocab_size": 32000, "torch_dtype": "float16"}
"""


SERVE = """import std.hardware.a100
import std.workloads.llama2

serve llama2_7b on a100_sxm_80gb {
  scheduler vllm_v1
  arrivals  poisson(any, seed = 1)
  lengths   fixed(512, 128)
  requests  2000
  maximize  requests_per_s
  require   ttft.p99 < 300ms and tpot.p99 < 50ms
}
"""


#: All networks of NAS-Bench-201.
SUPERNET = """import std.hardware.nasbench201_device
import std.runtimes
import std.workloads.nas_bench_201

let kinds = ["nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3", "skip_connect", "none"]
sweep e0 in kinds, e1 in kinds, e2 in kinds, e3 in kinds, e4 in kinds, e5 in kinds {
  evaluate nas_bench_201("|{e0}~0|+|{e1}~0|{e2}~1|+|{e3}~0|{e4}~1|{e5}~2|") on nasbench201_device(gpu = 1, images = 0) {
    runtime torch_eager
  }
  report latency, macs
  pareto latency, macs
  keep 10
  separable
}
"""


def program(lines: int) -> str:
    """A file of about `lines` lines: ops, chips, mappings and statements."""
    per_block = BLOCK.count("\n") + 1
    return "\n".join(BLOCK.format(i=i, capacity=i % 7 + 1) for i in range(-(-lines // per_block)))


def wall_seconds(command: list[str]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, stderr = process.communicate()
    wall = time.perf_counter() - start
    if process.returncode not in (0, 2):  # a result over memory is still a result
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}\n{stderr.decode()}")
    return wall


def peak_memory(command: list[str]) -> float:
    """Peak resident MB, measured in a child of its own, since the system keeps only the largest of all children."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
            "stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    out = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    return int(out.stdout) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("perfc")
    parser.add_argument("--rounds", type=int, default=11)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        def file(name: str, text: str) -> str:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
            return path

        rows = [
            ("start to first output (--version)", ["--version"], 20),
            ("check, 1,000 lines", ["check", file("small.perf", program(1000))], 40),
            ("check, 100,000 lines", ["check", file("large.perf", program(100000))], 3000),
            ("ResNet-50 on eyeriss, row stationary", ["run", file("resnet.perf", RESNET)], 200),
            ("Llama-2-70B prefill, roofline", ["run", file("llama.perf", LLAMA)], 50),
            ("Llama-2-70B from config.json", ["import", "hf", file("config.json", CONFIG)], 20),
            ("the same, prefill and decode", ["run", file("config.json", CONFIG), "--on", "h100_sxm"], 50),
            ("ResNet-50 from ONNX, on h100_sxm", ["run", models.resnet50(os.path.join(folder, "resnet50.onnx")), "--on", "h100_sxm"], 100),
            ("ONNX, 50,000 nodes and 100 MB", ["import", "onnx", models.large(os.path.join(folder, "large.onnx"))], 1000,
             400),  # the file is mapped, and counts
            ("sweep of 15,625 networks, sums", ["sweep", file("supernet.perf", SUPERNET)], 500),
            ("highest rate, 2,000 requests each", ["run", file("serve.perf", SERVE)], 2000),
        ]
        over = False
        print(f"{'command':40} {'fastest':>10} {'median':>10} {'memory':>9}  budget")
        for label, words, budget, *room in rows:
            most = room[0] if room else 200
            command = [args.perfc, *words]
            wall_seconds(command)
            rounds = args.rounds if budget < 1000 else min(args.rounds, 3)
            walls = sorted(wall_seconds(command) * 1e3 for _ in range(max(rounds, 1)))
            memory = peak_memory(command)
            bad = rounds > 0 and (statistics.median(walls) > budget or memory > most)
            over |= bad
            print(f"{label:40} {walls[0]:7.1f} ms {statistics.median(walls):7.1f} ms {memory:6.1f} MB"
                  f"  {budget} ms, {most} MB{'  OVER' if bad else ''}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
