#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures kernels and models on one NVIDIA GPU and writes tables that `perfc validate` reads.

    python3 bench/gpu/measure.py OUT [--sections gemm,vector] [--seconds 300] [--scale 1.0] [--seed 1]

Needs PyTorch 2.9 or later; power needs nvidia-ml-py, models need transformers and torchvision. Each section has its
share of the seconds and writes rows as it goes; what fails is a line of failures.txt and costs its row alone.
"""

import argparse
import gc
import os
import platform
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch

import launches
import meter
import power
import single_kernels as kernels
import timing
import whole_models as models

# In order: what the host's speed decides first, what needs long loops later. Shares of the seconds.
SECTIONS = [("launch", launches.launch, 1), ("vector", kernels.vector, 8), ("conv", kernels.conv, 6),
            ("gemm", kernels.gemm, 22), ("attention", kernels.attention, 11), ("moe", kernels.moe, 5),
            ("inference", models.inference, 15), ("decode", models.decode, 5), ("training", models.training, 9),
            ("power", power.power, 19), ("meter", meter.meter, 12),
            ("compiled", models.compiled, 12)]


class Run:
    """What the sections share."""

    def __init__(self, folder, seed, scale):
        self.folder, self.seed, self.scale = folder, seed, scale
        self.device = timing.device_name()
        self.operands = timing.Operands(1_700_000_000)
        self.budget = timing.Budget(0)
        self.tables = {}

    def scaled(self, count):
        return max(1, int(count * self.scale))

    def table(self, name, columns):
        self.tables[name] = timing.Table(self.folder, name, columns)
        return self.tables[name]

    def table_once(self, name, columns):
        return self.tables.get(name) or self.table(name, columns)

    def power_table(self):
        return self.table_once("power", power.COLUMNS)

    def failed(self, section, what, error):
        text = "%s %s: %s: %s" % (section, what, type(error).__name__, str(error).split("\n")[0][:300])
        with open(os.path.join(self.folder, "failures.txt"), "a") as file:
            file.write(text + "\n")


def describe(folder):
    """The machine and the versions."""
    lines = [time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()), platform.platform(), "torch " + torch.__version__,
             "cuda %s, cudnn %s" % (torch.version.cuda, torch.backends.cudnn.version())]
    for package in ("transformers", "torchvision", "triton"):
        try:
            lines.append(package + " " + __import__(package).__version__)
        except Exception:
            lines.append(package + " none")
    for command in (["nvidia-smi"], ["nvidia-smi", "-q", "-d", "CLOCK,POWER"], ["lscpu"]):
        try:
            lines.append(subprocess.run(command, capture_output=True, text=True, timeout=20).stdout)
        except Exception as error:
            lines.append(str(error))
    with open(os.path.join(folder, "machine.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--sections", default=",".join(name for name, _, _ in SECTIONS))
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the numbers of shapes")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begin = time.monotonic()
    os.makedirs(options.out, exist_ok=True)
    chosen = options.sections.split(",")
    unknown = [name for name in chosen if name not in [section for section, _, _ in SECTIONS]]
    if unknown:
        parser.error("no section " + ", ".join(unknown))
    asleep = power.asleep() if "power" in chosen else {}
    run = Run(options.out, options.seed, options.scale)
    describe(options.out)
    if asleep:
        power.idle_rows(run, asleep)
    gc.disable()  # a collection in the middle of a launch would count as the host's time
    gc.freeze()
    kernels.set_tf32(False)
    todo = [section for section in SECTIONS if section[0] in chosen]
    for at, (name, section, share) in enumerate(todo):
        left = options.seconds - (time.monotonic() - begin)
        seconds = left * share / sum(later[2] for later in todo[at:])
        if left < 3:
            break
        run.budget = timing.Budget(seconds)
        start = time.monotonic()
        try:
            section(run)
        except Exception:
            run.failed(name, (), RuntimeError(traceback.format_exc().replace("\n", " | ")[-1500:]))
        if name == "gemm":
            run.operands.base = {key: base for key, base in run.operands.base.items() if torch.finfo(key).bits < 32}
        gc.collect()
        torch.cuda.empty_cache()
        print("%-10s %5.1f of %5.1f s" % (name, time.monotonic() - start, seconds), flush=True)


if __name__ == "__main__":
    main()
