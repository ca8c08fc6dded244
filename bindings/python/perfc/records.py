# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all values that libperfc returns can do: print themselves, and become plain dictionaries."""
from __future__ import annotations

from typing import Any


def to_dict(record: Any) -> dict[str, Any]:
    """The attributes of a value, and those of the values in it, as dictionaries, lists and numbers."""
    return {name: _plain(getattr(record, name)) for name in record.fields}


def _plain(value: Any) -> Any:
    if hasattr(value, "fields"):
        return to_dict(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def describe(record: Any) -> str:
    """`Metric(name='latency', value=0.001)`: the attributes that are numbers or texts."""
    shown = ((name, getattr(record, name)) for name in record.fields)
    parts = [f"{name}={value!r}" for name, value in shown if value and isinstance(value, (str, int, float))]
    return f"{type(record).__name__}({', '.join(parts)})"
