# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run has found: a list of results, and their metrics as columns."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union, overload

from ._native import Findings, Of, Problem, Result, Table
from ._native import Results as _Results

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    from numpy.typing import NDArray


class Results(Sequence[Result]):
    """The results of a run in the order of its statements, and in a sweep of its points."""

    def __init__(self, native: _Results) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, index: int) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Result, list[Result]]:
        if isinstance(index, slice):
            return [self._native.at(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} results")
        return self._native.at(index % len(self))

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C or `cancel` ended the run: the results are those so far, a search's the best so far."""
        return self._native.is_interrupted

    @property
    def tables(self) -> list[Table]:
        """What `report` at file level asks for: a table for each of its columns, or for the parts of each result."""
        return self._native.tables

    @property
    def failures(self) -> list[Findings]:
        """The points that have an error, with their problems; of a run without parameters a point without any."""
        return [findings for findings in self._native.findings if findings.is_error]

    @property
    def warnings(self) -> list[Problem]:
        """What is worth knowing besides."""
        return [problem for findings in self._native.findings for problem in findings.problems
                if problem.severity == "warning"]

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics that results have."""
        return self._native.metric_names()

    @property
    def settings(self) -> list[str]:
        """The names of what sweeps have set."""
        return self._native.setting_names()

    def column(self, metric: str) -> NDArray[numpy.float64]:
        """A metric of all results in its base unit, NaN where one has none. The array shows libperfc's own memory."""
        return self._column(Of.METRIC, metric)

    def half_widths(self, metric: str) -> NDArray[numpy.float64]:
        """Half of the 90 % interval of the metric; 0 where it is exact."""
        return self._column(Of.HALF_WIDTH, metric)

    def setting(self, name: str) -> NDArray[numpy.float64]:
        """What the sweep has set for each result; NaN where that is no number."""
        return self._column(Of.SETTING, name)

    def _column(self, of: Of, name: str) -> NDArray[numpy.float64]:
        """KeyError for a name that no result has; looked for only where there is no number, since that takes longer than the column."""
        numbers = self._native.column(of, name)
        if len(numbers) and (numbers != numbers).all():
            known = self.settings if of == Of.SETTING else self.metrics
            if name not in known:
                what = "setting" if of == Of.SETTING else "metric"
                raise KeyError(f"no result has a {what} `{name}`; they have {', '.join(known) or 'none'}")
        return numbers

    def columns(self) -> dict[str, Any]:
        """A table: the labels, what sweeps have set, and each metric, its words where it has no numbers."""
        table: dict[str, Any] = {name: [getattr(result, name) for result in self] for name in ("label", "statement")}
        for name in self.settings:
            numbers = self.setting(name)
            table[name] = numbers if not _has_nan(numbers) else [result.point.get(name) for result in self]
        for name in self.metrics:
            numbers = self.column(name)
            table[name] = numbers if not _has_nan(numbers) else [_cell(result, name) for result in self]
        return table

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a frame of pandas."""
        import pandas
        return pandas.DataFrame(self.columns())

    def to_polars(self) -> polars.DataFrame:
        """The columns as a frame of Polars, where that is installed."""
        import polars
        return polars.DataFrame(self.columns())

    def to_dict(self) -> list[dict[str, Any]]:
        """Each result as plain dictionaries, lists and numbers."""
        return [result.to_dict() for result in self]

    def __repr__(self) -> str:
        shown = [repr(result.label) for result in self[:3]] + ["…"] * (len(self) > 3) + self._what_is_missing()
        return f"Results({', '.join(shown)})"

    def _what_is_missing(self) -> list[str]:
        """What somebody who looks at the results has to know besides."""
        failed = len(self.failures)
        return ([f"{failed} failed: see failures"] if failed else []) + (["interrupted"] if self.is_interrupted else [])

    def _repr_html_(self) -> str:
        from .display import results_html
        return results_html(self)


def _has_nan(numbers: NDArray[numpy.float64]) -> bool:
    return bool((numbers != numbers).any())


def _cell(result: Result, name: str) -> Union[float, str, None]:
    metric = result.metrics.get(name)
    return None if metric is None else metric.text or metric.value
