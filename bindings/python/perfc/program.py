# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: compiled once, run as often as one likes."""
from __future__ import annotations

import numbers
import os
import signal
import threading
from collections.abc import Iterable, Mapping
from typing import Callable, Optional, Union

from ._native import Parameter, Problem, Progress, RunSettings, Statements
from ._native import Program as _Program
from .build import Source
from .errors import error_of
from .results import Results

#: A value of a parameter: a number in base units (s, B, Hz, …), or a text as a program has it ("2TB/s", "fp16").
Value = Union[float, str]
#: Is told how far a run is.
ProgressFunction = Callable[[Progress], object]


def compile(source: Union[str, os.PathLike[str], Source], *, name: str = "program.perf", **params: Value) -> Program:
    """Parses and checks a program: a text of the language, the path of a file, or what perfc.evaluate and the like build.

    A string without a line break that ends in `.perf` or `.ir` is a path. `name` is what messages call a text, and
    where its relative imports start from; `params` set its parameters. Raises Error where declarations have mistakes;
    those of statements are found by `check` and `run`.
    """
    native = _load(source, name, params)
    findings = native.findings()
    if findings.is_error:
        raise error_of(findings)
    return Program(native)


def check(source: Union[str, os.PathLike[str], Source], *, name: str = "program.perf", **params: Value) -> list[Problem]:
    """The mistakes and warnings of a program, none where it is fine."""
    return _load(source, name, params).check().problems


class Program:
    """A program whose declarations are sound. Threads that share one run it one after the other; Python goes on meanwhile."""

    def __init__(self, native: _Program) -> None:
        self._native = native
        self._names = [parameter.name for parameter in native.parameters()]

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name, each with its value, its unit and the values that it may take."""
        return {parameter.name: parameter for parameter in self._native.parameters()}

    def run(self, params: Mapping[str, Value] = {}, /, *, threads: int = 0, seed: int = 1, within: Optional[float] = None,
            writes_files: bool = False, progress: Optional[ProgressFunction] = None, **more: Value) -> Results:
        """Evaluates all statements, with these parameters for this run, given in a dictionary or by name.

        Searches take `threads` threads (0: as many as there are cores) and at most `within` seconds each; `emit` writes
        its files if `writes_files`. Raises Error, or ExpectationError for an `expect` that does not hold, whose
        `results` are those that there are. `progress` is called with how far it is (`what`, `done`, `total`, `best`),
        ten times a second at most; what it raises ends the run, and it may call nothing of this program but `cancel`. Ctrl-C ends a search with the best so far, and the run with what it has.
        """
        return self._run(_settings(Statements.ALL, threads, seed, within, writes_files), {**params, **more}, progress)

    def search(self, params: Mapping[str, Value] = {}, /, *, threads: int = 0, seed: int = 1, within: Optional[float] = None,
               progress: Optional[ProgressFunction] = None, **more: Value) -> Results:
        """The same for the searches of the program alone; `search` of each result says how far it got."""
        return self._run(_settings(Statements.SEARCHES, threads, seed, within), {**params, **more}, progress)

    def sweep(self, axes: Mapping[str, Iterable[Value]] = {}, /, *, threads: int = 0, seed: int = 1,
              within: Optional[float] = None, progress: Optional[ProgressFunction] = None,
              **more: Iterable[Value]) -> Results:
        """A run for each combination of the values of these parameters, the last one running fastest.

        Without any, the sweeps that the program has. Points that cannot be evaluated are among the `failures` of the
        results; Error is raised where all of them fail. Ctrl-C ends the sweep with the points so far.
        """
        axes = {**axes, **more}
        for name, choices in axes.items():
            if isinstance(choices, str) or not isinstance(choices, Iterable):
                raise TypeError(f"a sweep takes several values of `{name}`, such as [{choices!r}], not {choices!r}")
        if not axes:
            return self._run(_settings(Statements.SWEEPS, threads, seed, within), {}, progress)
        results = self._evaluate(_settings(Statements.ALL, threads, seed, within), axes, progress)
        if results.failures and not results:
            raise error_of(results.failures[0], results)
        return results

    def check(self) -> list[Problem]:
        """The mistakes and warnings that can be known without evaluating, none where all is fine."""
        return self._native.check().problems

    def __repr__(self) -> str:
        return f"Program({', '.join(self._names) or 'without parameters'})"  # whose values a run in another thread may change

    def cancel(self) -> None:
        """Ends a run that another thread is in, as Ctrl-C does."""
        self._native.cancel()

    def format(self) -> Optional[str]:
        """The text in the one style of the language."""
        return self._native.format()

    def ir(self, level: str) -> str:
        """The intermediate representation at "op", "loopnest", "tile", "phase" or "collective"."""
        text, findings = self._native.ir(level)
        if text is None:
            raise error_of(findings)
        return text

    def _run(self, settings: RunSettings, params: Mapping[str, Value],
             progress: Optional[ProgressFunction] = None) -> Results:
        results = self._evaluate(settings, {name: [value] for name, value in params.items()}, progress)
        if results.failures and not results.is_interrupted:
            raise error_of(results.failures[0], results)
        return results

    def _evaluate(self, settings: RunSettings, axes: Mapping[str, Iterable[Value]],
                  progress: Optional[ProgressFunction] = None) -> Results:
        for name in axes:
            if name not in self._names:
                raise TypeError(f"the program has no parameter `{name}`, but {', '.join(self._names) or 'none'}")
        values = [(name, [_given(value) for value in choices]) for name, choices in axes.items()]
        return Results(self._native.sweep(values, settings, _ctrl_c_is_ours(), progress))


def _settings(which: Statements, threads: int, seed: int, within: Optional[float],
              writes_files: bool = False) -> RunSettings:
    settings = RunSettings()
    settings.which, settings.threads, settings.seed = which, threads, seed
    settings.within, settings.writes_files = within, writes_files
    return settings


def _load(source: Union[str, os.PathLike[str], Source], name: str, params: Mapping[str, Value]) -> _Program:
    defines = [(parameter, str(_given(value))) for parameter, value in params.items()]
    if isinstance(source, Source):
        return _Program.load(str(source), name, defines)
    if isinstance(source, str) and ("\n" in source or not source.endswith((".perf", ".ir"))):
        return _Program.load(source, name, defines)
    return _Program.load_file(os.fspath(source), defines)


def _given(value: Value) -> Value:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"a parameter takes a number or a text, not {value!r}")


def _ctrl_c_is_ours() -> bool:
    """Whether Ctrl-C would raise KeyboardInterrupt here, and nobody else waits for it."""
    return (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
