# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Search spaces whose points are sums over their choices.

    space = Separable(perfc.compile("supernet.perf"), metrics=("latency", "macs"))
    for point in space.best(10):
        print(point.settings, point.values)

Where kernels run one after the other and choices of one block leave the kernels of the others alone, a metric of a network
is that of one network and, for each block, what another choice adds. So one evaluation of each choice tells all points.
"""
from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Iterator, Sequence

import numpy
from numpy.typing import NDArray

from .program import Program

#: How many points are added up at a time.
_CHUNK = 1 << 16
#: How far a sum may be from an evaluation, as a share of it: what rounding leaves.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Point:
    """A point of a space: its number in the order of a sweep, its parameters, and its metrics."""
    number: int
    settings: dict[str, str]
    values: dict[str, float]


class Separable:
    """The parameters of a program that have a list of values, of which metrics are sums."""

    def __init__(self, program: Program, *, metrics: Sequence[str] = ("latency",), result: int = 0, checks: int = 32,
                 seed: int = 1) -> None:
        """Evaluates the program's defaults, and each other value of each parameter by itself.

        Then `checks` points drawn with `seed`: ValueError is raised where one is no such sum, which says nothing for
        certain of those that were not drawn. `result` is the number of the result whose metrics count.
        """
        self.metrics = tuple(metrics)
        self._program, self._result = program, result
        self._values = {name: parameter.values for name, parameter in program.parameters.items() if parameter.values}
        if not self._values:
            raise ValueError("the program has no parameter with a list of values (`param n = 8 in [4, 8, 16]`)")
        self._base = self._evaluate({})
        self._parts = [numpy.array([self._evaluate({name: value}) - self._base for value in values])
                       for name, values in self._values.items()]
        self._check(checks, seed)

    @property
    def sizes(self) -> list[int]:
        """How many values each parameter may take."""
        return [len(values) for values in self._values.values()]

    def __len__(self) -> int:
        return math.prod(self.sizes)

    def chunks(self) -> Iterator[tuple[int, NDArray[numpy.float64]]]:
        """The metrics of all points, in the order of a sweep: the number of a first point, and a row for each from there on."""
        inner = 1
        while inner < len(self._parts) and math.prod(self.sizes[-inner - 1:]) <= _CHUNK:
            inner += 1
        block = _sums(self._parts[-inner:], self._base)
        outer = _sums(self._parts[:-inner], numpy.zeros_like(self._base))
        for i, more in enumerate(outer):
            yield i * len(block), block + more

    def point(self, number: int) -> Point:
        """The point of this number, by its sum."""
        choices = self._choices(number)
        total = self._base + sum(part[choice] for part, choice in zip(self._parts, choices))
        return Point(number, self._settings(choices), dict(zip(self.metrics, total.tolist())))

    def best(self, count: int = 1, metric: int = 0) -> list[Point]:
        """The points with the least of a metric, by its number, the least first; of equal ones the first."""
        kept, numbers = numpy.empty(0), numpy.empty(0, dtype=numpy.int64)
        for first, rows in self.chunks():
            kept = numpy.concatenate([kept, rows[:, metric]])
            numbers = numpy.concatenate([numbers, numpy.arange(first, first + len(rows))])
            order = numpy.lexsort((numbers, kept))[:count] if len(kept) <= 4 * count else _least(kept, numbers, count)
            kept, numbers = kept[order], numbers[order]
        return [self.point(int(number)) for number in numbers]

    def front(self) -> list[Point]:
        """The points that none beats in one of the first two metrics without being worse in the other, by the first."""
        kept, numbers = numpy.empty((0, 2)), numpy.empty(0, dtype=numpy.int64)
        for first, rows in self.chunks():
            kept = numpy.concatenate([kept, rows[:, :2]])
            numbers = numpy.concatenate([numbers, numpy.arange(first, first + len(rows))])
            order = numpy.lexsort((numbers, kept[:, 1], kept[:, 0]))
            least = numpy.minimum.accumulate(kept[order, 1])
            order = order[numpy.concatenate([[True], kept[order[1:], 1] < least[:-1]])]
            kept, numbers = kept[order], numbers[order]
        return [self.point(int(number)) for number in numbers]

    def _evaluate(self, settings: dict[str, str]) -> NDArray[numpy.float64]:
        result = self._program.run(settings)[self._result]
        values = [result[metric].value for metric in self.metrics]
        for metric, value in zip(self.metrics, values):
            if value is None:
                raise ValueError(f"{metric} has no value at {settings or 'the defaults'}")
        return numpy.array(values, dtype=numpy.float64)

    def _check(self, count: int, seed: int) -> None:
        draw = random.Random(seed)
        for number in (draw.randrange(len(self)) for _ in range(count)):
            point = self.point(number)
            found = dict(zip(self.metrics, self._evaluate(point.settings).tolist()))
            for metric, value in found.items():
                if abs(point.values[metric] - value) > _ROUNDING * abs(value):
                    raise ValueError(f"{metric} is no sum over the parameters: {value:g} at {point.settings}, "
                                     f"where the choices add up to {point.values[metric]:g}")

    def _choices(self, number: int) -> list[int]:
        if not 0 <= number < len(self):
            raise IndexError(f"the space has {len(self)} points, and none of number {number}")
        choices = []
        for size in reversed(self.sizes):
            number, choice = divmod(number, size)
            choices.append(choice)
        return choices[::-1]

    def _settings(self, choices: Sequence[int]) -> dict[str, str]:
        return {name: values[choice] for (name, values), choice in zip(self._values.items(), choices)}


def _sums(parts: Sequence[NDArray[numpy.float64]], base: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """A row for each combination of rows of the parts, the last part running fastest."""
    rows = base[numpy.newaxis]
    for part in parts:
        rows = (rows[:, numpy.newaxis] + part[numpy.newaxis]).reshape(-1, len(base))
    return rows


def _least(kept: NDArray[numpy.float64], numbers: NDArray[numpy.int64],
           count: int) -> NDArray[numpy.int64]:
    """Where the least are, in their order, without sorting all."""
    most = numpy.partition(kept, count - 1)[count - 1]
    where = numpy.flatnonzero(kept <= most)
    return where[numpy.lexsort((numbers[where], kept[where]))[:count]]
