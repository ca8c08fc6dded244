# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of a result in the order in which they run."""
from __future__ import annotations

from typing import Iterator

from ._native import Part


def kernels(whole: Part, runs: int = 1) -> Iterator[tuple[Part, int]]:
    """What runs, kernels and all else that takes time, and how often: figures of a part are those of its runs in one round."""
    for part in whole.parts:
        if part.kind == "repeat":
            yield from kernels(part, runs * part.count)
        else:
            yield part, runs
