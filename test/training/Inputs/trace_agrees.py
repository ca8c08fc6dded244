# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of many strategies, and the runs of the traces that they write.

usage: trace_agrees.py PERFC FOLDER

Each strategy has a bound of how much longer (+) or shorter (-) the trace may take, in percent. What only the pipeline decides is as
long. Of the rest docs/astra_sim.md says why it is not."""
import json
import pathlib
import re
import subprocess
import sys

PROGRAM = """import std.workloads.gpt3
import std.hardware.a100
import std.{{networks, runtimes}}
system all {{ all = {chips} * a100_sxm_80gb over nvswitch {{ bandwidth {bandwidth}GB/s/chip; latency 1us }}{fault} }}
runtime here from megatron {{ step 0s }}           // what the host does once a step is not in a trace
runtime parts {{ split_sends }}
train gpt3(T = 512, layers = 8, hidden = 1024, heads = 16) on all as it {{
  batch 16
  {settings}
  emit chakra "{folder}/"
  emit astra_sim "{folder}/"
}}
"""
SCHEDULES = ["gpipe", "one_f_one_b", "interleaved(chunks = 2)", "interleaved(chunks = 2); runtime here"]
EXACT = (-0.05, 0.05)
# Sums of gradients run beside what the trace sends.
BESIDE = (-1.5, 0.05)
CASES = [(stages, f"parallel pipeline = {stages}; schedule {schedule}", bandwidth, BESIDE if "runtime" in schedule else EXACT)
         for stages in (2, 4) for schedule in SCHEDULES for bandwidth in (25, 2)]
CASES += [
    (4, "parallel pipeline = 4; schedule interleaved(chunks = 2); stages 3, 2, 2, 1", 25, EXACT),
    (2, "parallel pipeline = 2; schedule interleaved(chunks = 2); recompute full(layers = 1)", 25, EXACT),
    # Gradients of weights run when nothing else can, not where they fit, and no limit of memory brings them forward.
    (2, "parallel pipeline = 2; schedule zero_bubble", 25, (-0.5, 0.5)),
    (4, "parallel pipeline = 4; schedule zero_bubble", 25, (-1.5, 0.5)),
    # Sums of gradients wait for the last message and hide behind nothing.
    (4, "parallel pipeline = 2, data = 2; schedule one_f_one_b", 25, (-0.5, 2.5)),
    (4, "parallel pipeline = 2, data = 2; schedule one_f_one_b; shard optimizer", 25, (-0.5, 2.5)),
    # Exchanges of tensor-parallel ranks run beside gradients of weights.
    (4, "parallel pipeline = 2, tensor = 2; schedule one_f_one_b", 25, (-8, 0.5)),
    (4, "parallel pipeline = 2, tensor = 2; schedule interleaved(chunks = 2)", 25, (-8, 0.5)),
    # Ranks send parts, which those of the next stage gather.
    (4, "parallel pipeline = 2, tensor = 2; schedule one_f_one_b; runtime parts", 2, (-1.5, 0.5)),
]
# A chip at half its speed makes its stage slower in both (and in the inputs of ASTRA-sim the network).
SLOW = "; fault chip[1] { slowdown 2x }"


def run(perfc, folder, number, case):
    chips, settings, bandwidth, (low, high) = case[:4]
    is_slow = len(case) > 4
    name = f"case{number}"
    (folder / name).mkdir()
    text = PROGRAM.format(chips=chips, bandwidth=bandwidth, settings=settings.replace("; ", "\n  "), folder=name,
                          fault=SLOW if is_slow else "")
    (folder / f"{name}.perf").write_text(text)
    out = subprocess.run([perfc, "run", f"{name}.perf", "--json", "-q"], cwd=folder, check=True, capture_output=True, text=True)
    step = json.loads(out.stdout)["results"][0]["metrics"]["step_time"]
    out = subprocess.run([perfc, "run", f"{name}/trace", "--from", "chakra", "--network", f"{name}/network.yml", "--system",
                          f"{name}/system.json", "--groups", f"{name}/groups.json", "--mode", "astra_sim"],
                         cwd=folder, check=True, capture_output=True, text=True)
    trace = max(int(cycles) for cycles in re.findall(r"^ *[\d-]+ +(\d+) ", out.stdout, re.M)) * 1e-9
    percent = 100 * (trace / step - 1)
    good = low <= percent <= high
    print(f"{'good' if good else 'BAD'} {percent:+.3f} % in {low}..{high}: {chips} chips, {settings}, {bandwidth} GB/s{', slow' * is_slow}")
    return good


def main():
    perfc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True)
    cases = CASES + [(2, "parallel pipeline = 2; schedule one_f_one_b", 100000, EXACT, SLOW)]
    results = [run(perfc, folder, number, case) for number, case in enumerate(cases)]
    print(f"{sum(results)} of {len(results)} agree")


main()
