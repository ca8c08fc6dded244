# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the board's meter shows of a kernel that begins at rest and runs for some time, as benchmarks sample it."""

import threading
import time

import torch

import power
import single_kernels as kernels
import timing
from timing import STACK

REST_S = 2.5
SAMPLE_S = 0.1  # between two readings, as in aiconfigurator's collector
COLUMNS = ["device", "op", "shape", "seconds", "shown_w", "shown_last_w", "counter_w", "steady_w", "first_us", "last_us",
           "sm_mhz_last", "power_limit_w", "stack"]


def run_for(board, calls, seconds):
    """Runs `calls` in turns for that long after a rest: means of what the meter shows every SAMPLE_S and its last reading,
    the mean by the energy counter, and the time of a call in the first and in the last twentieth of a second."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        short = timing.graph(calls)
        rounds = max(1, int(10000.0 / short) // len(calls))
        captured = timing.capture(calls, rounds)
        replays = max(6, int(seconds * 1e6 / (short * rounds * len(calls))))
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(replays + 1)]
        torch.cuda.synchronize()
        time.sleep(REST_S)

        def enqueue():
            with torch.cuda.stream(stream):
                marks[0].record()
                for mark in marks[1:]:
                    captured.replay()
                    mark.record()

        energy, begin, shown = board.energy_mj(), time.monotonic(), []
        feeder = threading.Thread(target=enqueue)
        feeder.start()
        while feeder.is_alive() or not marks[-1].query():
            time.sleep(SAMPLE_S)
            shown.append(board.nvml.nvmlDeviceGetPowerUsage(board.board) / 1000.0)
        state = board.state()
        energy, took = board.energy_mj() - energy, time.monotonic() - begin
        feeder.join()
    times = [marks[i].elapsed_time(marks[i + 1]) * 1000.0 / (rounds * len(calls)) for i in range(replays)]
    few = max(1, min(5, replays // 2))
    return {"seconds": marks[0].elapsed_time(marks[-1]) / 1000.0, "shown_w": sum(shown) / len(shown), "shown_last_w": shown[-1],
            "counter_w": energy / 1000.0 / took, "first_us": sum(times[:few]) / few, "last_us": sum(times[-few:]) / few,
            "sm_mhz_last": state["sm_mhz"]}


def meter(run):
    board = power.Meter()
    table = run.table("meter", COLUMNS)
    work = [("gemm", "bfloat16;m=8192;n=8192;k=8192", lambda: kernels.gemm_calls(run.operands, "bfloat16", 1, 8192, 8192, 8192)[0]),
            ("gemm", "fp8;m=8192;n=8192;k=8192", lambda: kernels.gemm_calls(run.operands, "fp8", 1, 8192, 8192, 8192)[0]),
            ("gemm", "bfloat16;m=1;n=28672;k=4096", lambda: kernels.gemm_calls(run.operands, "bfloat16", 1, 1, 28672, 4096)[0]),
            ("vector", "copy;bfloat16;rows=32768;cols=16384",
             lambda: [kernels.vector_call(run.operands, "copy", torch.bfloat16, 32768, 16384)])]
    for op, shape, make in work:
        steady = None  # by the counter, of the longest run
        for seconds in (5, 2.5, 1.5, 1, 0.7, 0.4, 0.2, 0.1):
            if run.budget.left() < REST_S + seconds + 1:
                return
            try:
                ran = run_for(board, make(), seconds)
                steady = steady or ran["counter_w"]
                table.add(device=run.device, op=op, shape=shape, steady_w=steady, power_limit_w=board.limit(), stack=STACK, **ran)
            except Exception as error:
                run.failed("meter", (op, shape, seconds), error)
        timing.trim()
