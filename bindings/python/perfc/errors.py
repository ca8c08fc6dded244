# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with a program: exceptions whose text is what a terminal shows, with lines and carets."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ._native import Findings, Problem

if TYPE_CHECKING:
    from .results import Results

#: The code of an `expect` that does not hold.
_UNMET = 920


class Error(Exception):
    """A mistake in a program, or one that only a run finds."""

    def __init__(self, text: str, problems: Optional[list[Problem]] = None, results: Optional[Results] = None) -> None:
        super().__init__(text.rstrip("\n"))
        #: What is wrong, each with its code, place and remarks.
        self.problems = problems or []
        #: Of the statements that could be evaluated; None where nothing ran.
        self.results = results


class ExpectationError(Error, AssertionError):
    """Everything could be evaluated, but an `expect` does not hold."""


class Unreadable(Error):
    """A description of another tool that perfc does not read."""


def error_of(findings: Findings, results: Optional[Results] = None) -> Error:
    """The exception that stands for the errors in `findings`."""
    errors = [problem for problem in findings.problems if problem.severity == "error"]
    kind = ExpectationError if all(problem.code == _UNMET for problem in errors) else Error
    return kind(findings.text, findings.problems, results)
