# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Any program with `param … in` as an environment for agents that search its parameters.

    environment = Environment(perfc.compile("design.perf"), minimize="edp")
    observation, information = environment.reset(seed=1)
    observation, reward, terminated, truncated, information = environment.step(action)

The methods have the form of Gymnasium's, which need not be installed. An action is a number for each parameter: which of
its values it takes. An episode is so many steps; each step is one evaluation.
"""
from __future__ import annotations

import math
from typing import Any, Optional, Sequence

from .errors import Error
from .program import Program

#: What a point is worth that cannot be evaluated.
_FAILED = math.inf


class Environment:
    """The parameters of a program that have a list of values, searched for the least of one metric."""

    def __init__(self, program: Program, *, minimize: str = "edp", result: int = 0, steps: int = 100,
                 metrics: Sequence[str] = ("latency", "energy")) -> None:
        """`result` is the number of the result whose metrics count; `metrics` are what observations say besides."""
        self._program = program
        self._goal, self._result, self._metrics = minimize, result, tuple(metrics)
        self._values = {name: parameter.values for name, parameter in program.parameters.items() if parameter.values}
        if not self._values:
            raise ValueError("the program has no parameter with a list of values (`param n = 8 in [4, 8, 16]`)")
        self._defaults = [values.index(program.parameters[name].value) for name, values in self._values.items()]
        self._known: dict[tuple[int, ...], dict[str, Any]] = {}
        self.steps = steps
        self.reset()

    @property
    def parameters(self) -> list[str]:
        """The names of what an action sets."""
        return list(self._values)

    @property
    def sizes(self) -> list[int]:
        """How many values each of them may take: an action is a number below each."""
        return [len(values) for values in self._values.values()]

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[list[float], dict[str, Any]]:
        """Begins an episode at the defaults of the program, whose evaluation is the first observation."""
        self._step = 0
        #: The best step of the episode so far, as its information, and what it was worth after each step.
        self.best: dict[str, Any] = {}
        self.history: list[float] = []
        return self._look(self._defaults)

    def step(self, action: Sequence[int]) -> tuple[list[float], float, bool, bool, dict[str, Any]]:
        """Evaluates an action: observation, reward (minus the goal), and whether the episode ends here."""
        if len(action) != len(self._values) or not all(0 <= choice < size for choice, size in zip(action, self.sizes)):
            raise ValueError(f"an action is a number for each of {', '.join(self._values)}, below {self.sizes}, not {list(action)}")
        self._step += 1
        observation, information = self._look(action)
        if not self.history or information["value"] < self.best["value"]:
            self.best = information
        self.history.append(self.best["value"])
        return observation, -information["value"], False, self._step >= self.steps, information

    def _look(self, action: Sequence[int]) -> tuple[list[float], dict[str, Any]]:
        """The observation, the choices and the metrics after an action; equal actions are evaluated once."""
        choices = tuple(int(choice) for choice in action)
        if choices not in self._known:
            self._known[choices] = self._evaluate(choices)
        information = self._known[choices]
        return [*map(float, choices), *(information[metric] for metric in self._metrics)], information

    def _evaluate(self, choices: tuple[int, ...]) -> dict[str, Any]:
        point = {name: values[choice] for (name, values), choice in zip(self._values.items(), choices)}
        information: dict[str, Any] = {"point": point, "action": list(choices)}
        try:
            result = self._program.run(point)[self._result]
        except Error as error:  # a mapping that does not fit, say
            return {**information, "problem": str(error), "value": _FAILED, **dict.fromkeys(self._metrics, math.nan)}
        for name in (self._goal, *self._metrics):
            value = result[name].value
            information[name] = math.nan if value is None else value
        goal = information[self._goal]
        return {**information, "value": _FAILED if math.isnan(goal) else goal}
