# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures for people: four digits, with a prefix."""
from __future__ import annotations

from typing import Optional

from ._native import Metric

_PREFIXES = {-15: "f", -12: "p", -9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
#: Units that take no prefix.
_BARE = ("m2", "chip", "USD", "token", "req", "cycle")


def shown(value: Optional[float], unit: str) -> str:
    """`1.277 ms`; a dash for what is not known."""
    if value is None or value != value:
        return "-"
    if unit == "m2":
        return f"{value * 1e6:.4g} mm2"
    if not unit or unit.startswith(_BARE):
        return (f"{value:,.0f} {unit}" if value == int(value) or value >= 1000 else f"{value:.4g} {unit}").strip()
    power = 0
    while abs(value) >= 999.95 and power < 18:
        value, power = value / 1000, power + 3
    while 0 < abs(value) < 0.99995 and power > -15:
        value, power = value * 1000, power - 3
    return f"{value:.4g} {_PREFIXES[power]}{unit}"


def metric_text(metric: Metric) -> str:
    """A metric with its interval, as a word, or why it is not given."""
    if metric.value is None:
        return metric.text or f"not given: {metric.not_given}"
    text = shown(metric.value, metric.unit)
    return f"{text} ± {shown(metric.half_width, metric.unit)}" if metric.half_width else text
