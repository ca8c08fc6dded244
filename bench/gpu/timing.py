# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a kernel is timed on one GPU, and the tables that the times go to.

`eager_event`: one PyTorch call between two CUDA events, the mean of the five fastest of 25. It has the host's launch
    in it where the kernel is shorter than that.
`cuda_graph`: back-to-back calls in a captured graph, the median of three replays over the number of calls. No host.
"""

import csv
import json
import os
import random
import statistics
import tempfile
import time

import torch

DEVICE = "cuda"
STACK = "torch-" + torch.__version__.replace("+", "-")
LONG_US = 20000.0  # a call this long is timed alone: the host no longer matters
GRAPH_US = 3000.0  # work in one graph
GRAPH_CALLS = 60


def device_name():
    """The name that the tables and std.hardware have for this board."""
    name = torch.cuda.get_device_name(0)
    for part, known in (("H100 80GB HBM3", "H100-SXM"), ("H100 PCIe", "H100-PCIe"), ("H200", "H200-SXM"),
                        ("A100-SXM4-80GB", "A100-SXM-80G"), ("A100-SXM4-40GB", "A100-SXM-40G")):
        if part in name:
            return known
    return name.replace(" ", "-")


class Budget:
    """Seconds that a section may take."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()


class Table:
    """A CSV file that has each row as soon as it is measured."""

    def __init__(self, folder, name, columns):
        self.path = os.path.join(folder, name + ".csv")
        self.columns = columns
        self.rows = []
        self.write()

    def write(self):
        with open(self.path, "w", newline="") as file:
            writer = csv.DictWriter(file, self.columns, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)

    def add(self, **row):
        for key, value in row.items():
            if isinstance(value, float):
                row[key] = "%.5g" % value
        self.rows.append(row)
        with open(self.path, "a", newline="") as file:
            csv.DictWriter(file, self.columns, restval="", lineterminator="\n").writerow(row)
        return row


class Operands:
    """Random numbers in device memory. Operands are slices of it, one behind the other, so that no shape costs an
    allocation and copies of an operand are in different places."""

    def __init__(self, elements):
        self.elements = elements
        self.base = {}
        self.cursor = {}

    def take(self, dtype, *shape):
        if dtype not in self.base:
            self.base[dtype] = self.make(dtype)
            self.cursor[dtype] = 0
        size = 1
        for extent in shape:
            size *= extent
        if size > self.elements:
            raise MemoryError("an operand of %d elements" % size)
        at = self.cursor[dtype]
        if at + size > self.elements:
            at = 0
        self.cursor[dtype] = at + (size + 255) // 256 * 256
        return self.base[dtype][at:at + size].view(*shape)

    def make(self, dtype):
        base = torch.empty(self.elements, dtype=dtype, device=DEVICE)
        step = 1 << 26
        for at in range(0, self.elements, step):
            part = base[at:at + step]
            if torch.finfo(dtype).bits < 16:
                part.copy_(torch.randn(part.shape, device=DEVICE))
            else:
                part.normal_()
        return base

    def drop(self, dtype):
        self.base.pop(dtype, None)
        torch.cuda.empty_cache()


def once(call):
    """Microseconds of one call between two events, from an idle device."""
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    start.record()
    call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1000.0


def eager(call, runs=25, best=5):
    call()
    first = once(call)
    if first > LONG_US:
        runs, best = 3, 3
    elif first > LONG_US / 10:
        runs, best = 10, 3
    return statistics.mean(sorted(once(call) for _ in range(runs))[:best])


def capture(calls, rounds):
    """The graph of these calls, on the current stream."""
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin()
    try:
        for _ in range(rounds):
            for call in calls:
                call()
    finally:
        graph.capture_end()
    return graph


def graph(calls):
    """Microseconds of one call; several calls take turns, each with its own copies of what shall not stay cached."""
    calls = list(calls)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for call in calls:
            call()
        first = min(once(calls[0]), once(calls[-1]))
        if first > LONG_US:
            return statistics.median(once(calls[0]) for _ in range(3))
        rounds = max(1, min(GRAPH_CALLS, int(GRAPH_US / first)) // len(calls))
        captured = capture(calls, rounds)
        captured.replay()
        time_us = statistics.median(once(captured.replay) for _ in range(3))
    torch.cuda.current_stream().wait_stream(stream)
    return time_us / (rounds * len(calls))


def trim():
    """Gives cached memory back before it fills the device."""
    if torch.cuda.memory_reserved() > 30 << 30:
        torch.cuda.empty_cache()


def trace(run):
    """The events of a Chrome trace of `run`, with CUDA kernels only."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        run()
        torch.cuda.synchronize()
    handle, path = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    try:
        profile.export_chrome_trace(path)
        with open(path) as file:
            events = json.load(file)["traceEvents"]
    finally:
        os.unlink(path)
    kernels = [event for event in events if event.get("cat") in ("kernel", "gpu_memset", "gpu_memcpy")]
    return sorted(kernels, key=lambda event: event["ts"])


def kernels_of(calls):
    """For each call the kernels that it launches, as (name, grid, microseconds). A fill of a double marks the start
    of each."""
    mark = torch.zeros(1, dtype=torch.float64, device=DEVICE)

    def run():
        for call in calls:
            mark.fill_(1.0)
            call()

    found = []
    for event in trace(run):
        if "FillFunctor<double>" in event["name"]:
            found.append([])
        elif found:
            grid = event.get("args", {}).get("grid", [])
            found[-1].append((event["name"], "x".join(str(extent) for extent in grid), event["dur"]))
    return found if len(found) == len(calls) else []


def log_uniform(source: random.Random, low, high, multiple=1):
    value = int(round(low * (high / low) ** source.random()))
    return max(multiple, value // multiple * multiple)
