# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts as SVG, without a library: a roofline, a timeline, and curves."""
from __future__ import annotations

import math
from html import escape
from typing import Mapping, Optional, Sequence

from ._native import Result
from .parts import kernels
from .units import shown

_WIDTH, _HEIGHT, _MARGIN = 640, 300, 60
_COLORS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")


class _Axis:
    """Places values of a range on a line of pixels, evenly or by their logarithms."""

    def __init__(self, low: float, high: float, first: float, last: float, is_log: bool) -> None:
        self._is_log = is_log
        self.low, self.high = low, high if high > low else low + 1
        self._first, self._last = first, last

    def at(self, value: float) -> float:
        low, high = self._scaled(self.low), self._scaled(self.high)
        return self._first + (self._last - self._first) * (self._scaled(value) - low) / (high - low)

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self._is_log else value


def _frame(body: str, x: _Axis, y: _Axis, x_title: str, y_title: str, x_unit: str, y_unit: str) -> str:
    left, right, bottom, top = _MARGIN, _WIDTH - 20, _HEIGHT - _MARGIN, 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" '
            f'font-family="sans-serif" font-size="11"><title>{escape(y_title)} by {escape(x_title)}</title>'
            f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="currentColor"/>{body}'
            + _text(left, bottom + 15, shown(x.low, x_unit)) + _text(right, bottom + 15, shown(x.high, x_unit), "end")
            + _text((left + right) / 2, bottom + 32, x_title, "middle")
            + _text(left - 4, bottom, shown(y.low, y_unit), "end") + _text(left - 4, top + 4, shown(y.high, y_unit), "end")
            + _text(left + 6, top + 4, y_title) + "</svg>")


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{escape(text)}</text>'


def _line(points: Sequence[tuple[float, float]], color: str) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="1.5"/>'


def _axes(xs: Sequence[float], ys: Sequence[float], is_log: bool) -> tuple[_Axis, _Axis]:
    return (_Axis(min(xs), max(xs), _MARGIN, _WIDTH - 20, is_log), _Axis(min(ys), max(ys), _HEIGHT - _MARGIN, 20, is_log))


def roofline(result: Result) -> Optional[str]:
    """Kernels over the memory farthest out: FLOP/s by FLOP/B, below what memory and units admit.

    The slope is that of the memory's own time, the top that of the kernels' utilization; None where one is not known.
    """
    memory = next((memory for memory in result.memories if memory.latency > 0), None)
    parts = [part for part, _ in kernels(result.breakdown)]
    peaks = [2 * part.macs / part.utilization / part.latency for part in parts
             if part.utilization > 0 and part.latency > 0 and part.macs > 0]
    if memory is None or not peaks:
        return None
    peak, bandwidth = max(peaks), (memory.read_bytes + memory.write_bytes) / memory.latency
    points = []
    for part in parts:
        seconds = sum(inner.latency for inner in part.parts if inner.kind == "memory" and inner.label == memory.name)
        if part.flops > 0 and part.latency > 0 and seconds > 0:
            points.append((part.flops / (seconds * part.count * bandwidth), part.flops / part.latency, part.label))
    if not points:
        return None
    ridge = peak / bandwidth
    xs = [point[0] for point in points] + [ridge / 10, ridge * 10]
    ys = [point[1] for point in points] + [peak, min(xs) * bandwidth]
    x, y = _axes(xs, ys, is_log=True)
    roof = [(x.at(x.low), y.at(x.low * bandwidth)), (x.at(ridge), y.at(peak)), (x.at(x.high), y.at(peak))]
    dots = "".join(f'<circle cx="{x.at(at):.1f}" cy="{y.at(rate):.1f}" r="4" fill="{_COLORS[0]}"><title>{escape(label)}: '
                   f"{shown(at, 'FLOP/B')}, {shown(rate, 'FLOP/s')}</title></circle>" for at, rate, label in points)
    return _frame(_line(roof, "currentColor") + dots, x, y, f"FLOP per byte of {memory.name}", "FLOP/s", "FLOP/B", "FLOP/s")


def timeline(result: Result) -> Optional[str]:
    """The parts of a result one after the other, all runs of one together; None where they overlap and do not add up."""
    parts = [(part, part.latency * runs) for part, runs in kernels(result.breakdown) if part.latency > 0]
    total = result.breakdown.latency
    if not parts or abs(sum(seconds for _, seconds in parts) - total) > 1e-6 * total:
        return None
    kinds = list(dict.fromkeys(part.bound or part.kind for part, _ in parts))
    left, width, begin, bars = 4, _WIDTH - 8, 0.0, []
    for part, seconds in parts:
        color = _COLORS[kinds.index(part.bound or part.kind) % len(_COLORS)]
        bars.append(f'<rect x="{left + width * begin / total:.2f}" y="24" width="{width * seconds / total:.2f}" height="28" '
                    f'fill="{color}" stroke="white" stroke-width="0.5"><title>{escape(part.label)}: {shown(seconds, "s")}, {escape(part.bound)}</title></rect>')
        begin += seconds
    keys = "".join(f'<rect x="{left + i * 150}" y="60" width="10" height="10" fill="{_COLORS[i % len(_COLORS)]}"/>'
                   + _text(left + 14 + i * 150, 69, kind) for i, kind in enumerate(kinds[:4]))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} 76" width="{_WIDTH}" role="img" font-family="sans-serif" '
            f'font-size="11"><title>Timeline</title>' + _text(left, 16, f"{shown(total, 's')} in order, by what limits")
            + f"{''.join(bars)}{keys}</svg>")


def curves(series: Mapping[str, Sequence[float]], x_title: str, y_title: str, unit: str = "") -> str:
    """A line for each series, whose values stand at 1, 2, 3, …; infinite ones are left out."""
    finite = {name: [(i + 1, value) for i, value in enumerate(values) if math.isfinite(value)] for name, values in series.items()}
    everything = [point for points in finite.values() for point in points]
    x, y = _axes([1, *(point[0] for point in everything)], [point[1] for point in everything], is_log=False)
    body = ""
    for i, (name, points) in enumerate(finite.items()):
        color = _COLORS[i % len(_COLORS)]
        body += _line([(x.at(at), y.at(value)) for at, value in points], color)
        body += f'<rect x="{_WIDTH - 170}" y="{24 + 15 * i}" width="10" height="10" fill="{color}"/>' + _text(_WIDTH - 155, 33 + 15 * i, name)
    return _frame(body, x, y, x_title, y_title, "", unit)
