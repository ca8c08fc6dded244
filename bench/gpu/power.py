# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Power of kernels that run for most of a second, from the board's energy counter (NVML)."""

import threading
import time

import torch

import single_kernels as kernels
import timing
from timing import DEVICE, STACK

SETTLE_S = 0.3  # before the counter is read
RUN_S = 0.9


class Meter:
    """The first board's sensors. Power is the difference of two readings of its energy counter, each taken when the
    counter has just moved."""

    def __init__(self):
        import pynvml
        self.nvml = pynvml
        pynvml.nvmlInit()
        self.board = pynvml.nvmlDeviceGetHandleByIndex(0)

    def limit(self):
        return self.nvml.nvmlDeviceGetPowerManagementLimit(self.board) / 1000.0

    def energy_mj(self):
        return self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.board)

    def state(self):
        nvml, board = self.nvml, self.board
        found = {"sm_mhz": nvml.nvmlDeviceGetClockInfo(board, nvml.NVML_CLOCK_SM),
                 "mem_mhz": nvml.nvmlDeviceGetClockInfo(board, nvml.NVML_CLOCK_MEM),
                 "temperature_c": nvml.nvmlDeviceGetTemperature(board, nvml.NVML_TEMPERATURE_GPU)}
        try:
            found["limited_by"] = hex(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(board))
        except Exception:
            pass
        try:
            found["instant_w"] = nvml.nvmlDeviceGetFieldValues(board, [186])[0].value.uiVal / 1000.0
        except Exception:
            pass
        return found

    def watch(self, is_done, settle):
        """Power in W between the first and the last move of the counter after `settle` seconds, and means of states."""
        begin = time.monotonic()
        moves, states, last, look = [], [], self.energy_mj(), begin + settle
        while not is_done(time.monotonic() - begin):
            energy, now = self.energy_mj(), time.monotonic()
            if energy != last:
                if now - begin >= settle:
                    moves.append((now, energy))
                last = energy
            if now >= look and not is_done(now - begin):
                states.append(self.state())
                look = now + 0.06
            time.sleep(0.001)
        found = dict(states[-1]) if states else {}
        for key in ("sm_mhz", "mem_mhz", "instant_w"):
            values = [state[key] for state in states if key in state]
            if values:
                found[key] = sum(values) / len(values)
        if len(moves) > 1:
            found["seconds"] = moves[-1][0] - moves[0][0]
            found["power_w"] = (moves[-1][1] - moves[0][1]) / 1000.0 / found["seconds"]
        return found


def sustained(meter, calls):
    """Runs these calls in turns for RUN_S; what the meter saw, and the time of one call."""
    short = timing.graph(calls)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        rounds = max(1, int(20000.0 / short) // len(calls))
        captured = timing.capture(calls, min(rounds, 4000))
        count = min(rounds, 4000) * len(calls)
        replays = max(2, int(RUN_S * 1e6 / (short * count)))
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()

        def enqueue():
            with torch.cuda.stream(stream):
                start.record()
                for _ in range(replays):
                    captured.replay()
                end.record()

        feeder = threading.Thread(target=enqueue)  # replays wait where the device's queue is full; the meter must not
        feeder.start()
        found = meter.watch(lambda _: not feeder.is_alive() and end.query(), SETTLE_S)
        feeder.join()
        end.synchronize()
    found["latency_us"] = start.elapsed_time(end) * 1000.0 / (replays * count)
    found["short_latency_us"] = short
    return found


def products():
    """(dtype, m, n, k): large ones, layers with few tokens, and sizes between."""
    found = [("bfloat16", size, size, size) for size in (8192, 4096, 2048, 1024, 512)]
    found += [("bfloat16", m, 28672, 4096) for m in (1, 8, 32, 64, 128, 256, 512, 1024, 4096)]
    found += [("bfloat16", m, 4096, 4096) for m in (1, 16, 64, 256, 2048)]
    found += [("bfloat16", 16384, 6144, 4096), ("bfloat16", 4096, 128256, 2048), ("bfloat16", 8192, 8192, 256),
              ("bfloat16", 128, 128256, 4096)]
    found += [("fp8", size, size, size) for size in (8192, 4096, 2048)]
    found += [("fp8", m, 28672, 4096) for m in (1, 32, 128, 512, 4096)]
    found += [("fp16", 8192, 8192, 8192), ("fp16", 2048, 4096, 4096), ("fp32", 8192, 4096, 4096),
              ("fp32", 2048, 2048, 2048), ("fp32", 1024, 1024, 1024), ("tf32", 8192, 8192, 8192),
              ("tf32", 4096, 4096, 4096), ("tf32", 1024, 4096, 4096), ("tf32", 64, 16384, 4096)]
    return found


def plan(run):
    """(op, shape, calls that are made when their turn comes)."""
    for dtype, m, n, k in products():
        yield "gemm", "%s;m=%d;n=%d;k=%d" % (dtype, m, n, k), \
            lambda a=(run.operands, dtype, 1, m, n, k): kernels.gemm_calls(*a)[0]
    for op, dtype, rows, cols in [("copy", "bfloat16", 32768, 16384), ("add", "fp32", 16384, 8192),
                                  ("add", "bfloat16", 2048, 1024), ("mul", "fp32", 1024, 1024),
                                  ("gelu", "bfloat16", 16384, 8192), ("gelu", "fp32", 16384, 8192),
                                  ("exp", "fp32", 1024, 2048), ("softmax", "fp32", 32768, 4096),
                                  ("layernorm", "bfloat16", 32768, 4096), ("rmsnorm", "bfloat16", 8192, 8192),
                                  ("sum", "fp32", 16384, 16384), ("sum", "fp32", 1024, 4096),
                                  ("transpose", "bfloat16", 16384, 8192), ("cast", "fp32", 16384, 8192),
                                  ("fill", "fp32", 16384, 16384)]:
        yield "vector", "%s;%s;rows=%d;cols=%d" % (op, dtype, rows, cols), \
            lambda a=(run.operands, op, kernels.DTYPES[dtype], rows, cols): [kernels.vector_call(*a)]
    for backend, shape in [("flash", ("prefill", 4, 32, 8, 128, 4096, 4096)),
                           ("cudnn", ("prefill", 4, 32, 8, 128, 4096, 4096)),
                           ("cudnn", ("prefill", 8, 16, 16, 64, 2048, 2048)),
                           ("cudnn", ("encoder", 32, 16, 16, 64, 512, 512)),
                           ("flash", ("encoder", 8, 16, 16, 128, 4096, 4096)),
                           ("flash", ("decode", 64, 32, 8, 128, 1, 4096)),
                           ("cudnn", ("decode", 64, 32, 32, 128, 1, 2048))]:
        names = ("%s", "b=%d", "h=%d", "kvh=%d", "d=%d", "q=%d", "kv=%d")
        label = ";".join(name % value for name, value in zip(names, shape))
        yield "attention", "bfloat16;%s;sdpa_%s" % (label, backend), \
            lambda a=(run.operands, backend, shape): [kernels.attention_call(*a)]
    yield "gemm", "bfloat16;m=8192;n=8192;k=8192;zeros", zeros


def zeros():
    """The same work on zeros: what the switching of bits takes."""
    left = torch.zeros(8192, 8192, dtype=torch.bfloat16, device=DEVICE)
    out = torch.empty_like(left)
    return [lambda: torch.mm(left, left.t(), out=out)]


COLUMNS = ["device", "op", "shape", "latency_us", "power_w", "power_limit_w", "energy_mj", "stack", "instant_w", "sm_mhz",
           "mem_mhz", "temperature_c", "limited_by", "seconds", "short_latency_us"]


def asleep():
    """What the meter sees before this program uses the device."""
    try:
        return Meter().watch(lambda passed: passed > 1.5, 0.2)
    except Exception as error:
        print("no meter:", error)
        return {}


def idle_rows(run, before):
    """Power without work: before this program used the device, and with a context."""
    meter = Meter()
    torch.zeros(1, device=DEVICE)
    for what, found in (("before a context", before), ("context", None)):
        idle(run, meter, what, found)


def idle(run, meter, what, found=None):
    found = found or meter.watch(lambda passed: passed > 1.5, 0.2)
    run.power_table().add(device=run.device, op="idle", shape=what, power_limit_w=meter.limit(), stack=STACK, **found)


def power(run):
    meter = Meter()
    table = run.power_table()
    todo = list(plan(run))
    last = todo.pop()
    products_count = len(products())
    order = [last]  # large products first of each kind, kinds in turns, so that a short budget has some of all
    groups = [todo[:products_count], todo[products_count:]]
    while groups[0] or groups[1]:
        for group, share in zip(groups, (2, 1)):
            for _ in range(share):
                if group:
                    order.append(group.pop(0))
    for op, shape, make in order:
        if run.budget.left() < 2 * RUN_S:
            break
        try:
            kernels.set_tf32(shape.startswith("tf32"))
            found = sustained(meter, make())
            if "power_w" in found:
                found["energy_mj"] = found["power_w"] * found["latency_us"] / 1000.0
            table.add(device=run.device, op=op, shape=shape, power_limit_w=meter.limit(), stack=STACK, **found)
        except Exception as error:
            run.failed("power", (op, shape), error)
        timing.trim()
    kernels.set_tf32(False)
    try:
        idle(run, meter, "context, just after work")
    except Exception as error:
        run.failed("power", ("idle",), error)
