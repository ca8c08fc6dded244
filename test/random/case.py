# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kind of random programs makes: a program and what has to hold of its results."""
from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Case:
    """One random program.

    text       the program, in the language
    check      takes the document that `perfc run --json` prints and says what is wrong with it, a line for each
               mistake: by a calculation of its own, or by what holds for every program of the kind
    arguments  further arguments of `perfc run`, such as `--verify`
    files      other files of the program, by name relative to it
    status     the exit statuses that are right; the document is checked with status 0 and, where it is among these, 1
               (an `expect` that fails)
    """

    text: str
    check: Callable[[dict], list[str]]
    arguments: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    status: tuple[int, ...] = (0,)
