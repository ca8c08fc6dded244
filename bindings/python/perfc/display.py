# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a notebook shows of results: their metrics and kernels as tables, a roofline and a timeline."""
from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Iterable

from . import charts
from ._native import Result
from .parts import kernels
from .units import metric_text, shown

if TYPE_CHECKING:
    from .results import Results

#: More rows than a page is for are only counted.
_MOST_ROWS = 40


def result_html(result: Result) -> str:
    """The metrics, then the parts in order, then the charts that there is something to draw for."""
    metrics = [(name, metric_text(metric)) for name, metric in result.metrics.items() if metric.value is not None or metric.text]
    parts = [(part.label, str(part.count * runs), shown(part.latency * runs, "s"),
              shown(None if part.energy is None else part.energy * runs, "J"), f"{part.utilization:.1%}", part.bound)
             for part, runs in kernels(result.breakdown)]
    pieces = [f"<h4>{escape(result.label)}</h4>", _table(("metric", "value"), metrics)]
    if parts:
        pieces.append(_table(("part", "count", "latency", "energy", "utilization", "bound"), parts))
    pieces += [chart for chart in (charts.roofline(result), charts.timeline(result)) if chart]
    return "".join(pieces)


def results_html(results: Results) -> str:
    """One result as a whole; of several a row each, with what sweeps have set and the metrics that differ."""
    missing = "".join(f"<p>{escape(what)}</p>" for what in results._what_is_missing())
    if len(results) == 1:
        return result_html(results[0]) + missing
    shown_metrics = [name for name in results.metrics if _differs(results, name)]
    rows = []
    for result in results[:_MOST_ROWS]:
        point = [str(result.point.get(name, "")) for name in results.settings]
        cells = [_cell(result, name) for name in shown_metrics]
        rows.append([result.label, *point, *cells])
    more = f"<p>{len(results) - _MOST_ROWS} more</p>" if len(results) > _MOST_ROWS else ""
    return _table(["result", *results.settings, *shown_metrics], rows) + more + missing


def _differs(results: Results, name: str) -> bool:
    """Whether the metric has more than one value; where no result has a number, its words count."""
    numbers = results.column(name).tolist()
    if any(number == number for number in numbers):
        return len({number for number in numbers if number == number}) > 1 or any(number != number for number in numbers)
    return len({result.metrics[name].text for result in results if name in result.metrics}) > 1


def _cell(result: Result, name: str) -> str:
    metric = result.metrics.get(name)
    return "" if metric is None or (metric.value is None and not metric.text) else metric_text(metric)


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
