# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks the package that is installed below a folder, and no other, a question."""
import sys

import perfc

assert perfc.__file__.startswith(sys.argv[1]), perfc.__file__
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libperfc.so" in line}
assert loaded and all(path.startswith(sys.argv[1]) for path in loaded), loaded
result, = perfc.compile("import std.workloads.llama3\nimport std.hardware.h100\nevaluate llama3_8b.decode on h100_sxm\n").run()
print(f"{result.label}: {result['latency'].value:.4g} s")
