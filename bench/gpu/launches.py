# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What starting a kernel costs the host and the device."""

import statistics
import time

import torch

import timing
from timing import DEVICE, STACK


def launch(run):
    """What starting a kernel costs the host and the device, in microseconds."""
    table = run.table("launch", ["device", "what", "value_us", "stack"])
    tiny = torch.zeros(1, device=DEVICE)
    calls = {"sleep_0": lambda: torch.cuda._sleep(0), "add_inplace": lambda: tiny.add_(1.0),
             "add": lambda: tiny + 1.0, "mm_16": None}
    square = run.operands.take(torch.float32, 16, 16)
    calls["mm_16"] = lambda: torch.mm(square, square)
    for name, call in calls.items():
        try:
            for _ in range(50):
                call()
            torch.cuda.synchronize()
            table.add(device=run.device, what=name + " eager, one between events", value_us=timing.eager(call, 200, 100),
                      stack=STACK)
            start = time.perf_counter()
            for _ in range(5000):
                call()
            host = time.perf_counter() - start
            torch.cuda.synchronize()
            whole = time.perf_counter() - start
            table.add(device=run.device, what=name + " eager, host per call", value_us=host * 200, stack=STACK)
            table.add(device=run.device, what=name + " eager, back to back", value_us=whole * 200, stack=STACK)
            start = time.perf_counter()
            for _ in range(200):
                call()
                torch.cuda.synchronize()
            table.add(device=run.device, what=name + " eager, call and synchronise",
                      value_us=(time.perf_counter() - start) * 5000, stack=STACK)
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                call()
                torch.cuda.synchronize()
                for nodes in (1, 10, 100, 1000):
                    captured = timing.capture([call], nodes)
                    captured.replay()
                    value = statistics.median(timing.once(captured.replay) for _ in range(21))
                    table.add(device=run.device, what="%s graph of %d, whole" % (name, nodes), value_us=value,
                              stack=STACK)
        except Exception as error:
            run.failed("launch", (name,), error)
