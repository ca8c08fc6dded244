# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three mistakes that types show."""
import perfc

results = perfc.compile("design.perf").run()
perfc.compile(3)
print(results[0].latencies)
results[0].label = "mine"
