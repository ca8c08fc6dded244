# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the CPU time of a workload with that of one that is eight times as long.

usage: growth.py PERFC FILE.perf
"""
import os
import subprocess
import sys

FEW, MANY = 1000, 8000
LINE = "  x{0} = relu(x{1})\n"


def write(path, count):
    with open(path, "w") as file:
        file.write("import std.ops.relu\nimport std.hardware.h100\nworkload long -> x{0} {{\n  x0 = tensor[64]\n".format(count))
        for i in range(count):
            file.write(LINE.format(i + 1, i))
        file.write("}\nevaluate long on h100_sxm\n")


def cpu_seconds(command):
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    assert status == 0, f"{command} ended with {status}"
    return usage.ru_utime + usage.ru_stime


def main():
    perfc, path = sys.argv[1:]
    least = {}
    for count in (FEW, MANY):
        write(path, count)
        least[count] = min(cpu_seconds([perfc, "run", path]) for _ in range(3))
    ratio = least[MANY] / least[FEW]
    print(f"{least[FEW]:.3f} s, {least[MANY]:.3f} s: {ratio:.1f} times; in proportion {ratio < 20}")


main()
