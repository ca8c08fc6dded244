# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""perfc: from what is computed, what it runs on and how it is placed to latency, energy and the reasons why.

    results = perfc.compile("design.perf", batch=8).run()
    print(results[0]["latency"].value)
"""
from ._native import (Declaration, Expectation, Findings, Member, Memory, Metric, Parameter, Part, Place, Problem, Progress,
                      Result, Row, Search, Table)
from ._native import version as _version
from .build import (Source, Use, array, einsum, evaluate, hardware, join, library, memory, network, statement, std,
                    unit, workload)
from .errors import Error, ExpectationError, Unreadable
from .program import Program, check, compile
from .results import Results

__version__ = _version()
__all__ = [
    "Declaration", "Error", "Expectation", "ExpectationError", "Findings", "Member", "Memory", "Metric", "Parameter", "Part",
    "Place", "Problem", "Program", "Progress", "Result", "Results", "Row", "Search", "Source", "Table", "Unreadable", "Use",
    "array", "check", "compile", "einsum", "evaluate", "hardware", "join", "library", "memory", "network", "statement", "std",
    "unit", "workload",
]
