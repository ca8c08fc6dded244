# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One question for all kinds of models: what does this workload take on this hardware?

    query = PredictionQuery(Workload.from_onnx("model.onnx"), Hardware.from_name("A100-80GB"), target="latency", batch_size=8)
    prediction = UnifiedPredictor().predict(query)
    print(prediction.value, prediction.unit, prediction.confidence)

The interface that "High-Level Modeling and Simulation Methods for Modern Machine Learning Workloads" asks of tools.
"""
from __future__ import annotations

import json
import os
import pathlib
import re
import tempfile
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Union

from . import _native
from ._native import Declaration, Metric, Result
from .build import Attribute, Source, Use, hardware, library, memory, std, statement, unit
from .errors import Unreadable
from .parts import kernels
from .program import compile

#: Standard deviations in half a central interval of a normal distribution that holds 90 % and 95 % of it.
_HALF_OF_90, _HALF_OF_95 = 1.6448536, 1.9599640

#: The statement that answers each scenario.
_STATEMENTS = {"inference": "evaluate", "training": "train", "serving": "serve"}

#: Targets that are called otherwise here.
_METRICS = {"memory": "memory.peak", "time": "latency"}


#: How a file of ONNX names an extent `batch`: dim_param of TensorShapeProto.Dimension.
_BATCH = b"\x12\x05batch"


def _export(torch: Any, model: Any, inputs: tuple[Any, ...], path: pathlib.Path, given: dict[str, Any]) -> None:
    """Has PyTorch write `model`; without the names that are `given` where it cannot with them."""
    try:
        torch.onnx.export(model, inputs, str(path), **given)
    except ModuleNotFoundError as error:
        raise Unreadable(f"torch.onnx needs {error.name}, which is not installed") from error
    except Exception as error:
        if given:
            _export(torch, model, inputs, path, {})
        else:
            raise Unreadable(f"PyTorch does not export this module: {error}") from error


@dataclass(frozen=True)
class Workload:
    """What is computed."""

    source: Source
    #: What it came from, for the metadata of predictions.
    origin: str
    #: A folder that lasts as long as this.
    _folder: Optional[tempfile.TemporaryDirectory[str]] = None
    #: What answers a query about it; "" for what its scenario says.
    statement: str = ""

    @classmethod
    def from_onnx(cls, path: Union[str, os.PathLike[str]]) -> Workload:
        """A model of ONNX; sizes that it names are parameters, and one called `batch` is the batch size.

        Formats are those of the hardware, unless the arguments of the query have a `dtype`.
        """
        file = pathlib.Path(path).resolve()
        if not file.is_file():
            raise FileNotFoundError(f"there is no model {file}")
        if '"' in str(file) or "\n" in str(file):
            raise ValueError(f"a program has no way to name {file}")
        return cls(Source("model", f'import onnx "{file}" as model'), f"ONNX model {file.name}")

    @classmethod
    def from_pytorch(cls, model: Any, *inputs: Any) -> Workload:
        """A module of PyTorch as its exporter writes it to ONNX, traced with these inputs; PyTorch has to be installed.

        Where all inputs are tensors of one first extent, that is the batch size, `batch`: the batch size of a query, else that of the inputs.
        """
        try:
            import torch
        except ModuleNotFoundError as error:
            raise Unreadable("a module of PyTorch is read through torch.onnx, and torch is not installed") from error
        folder = tempfile.TemporaryDirectory(prefix="perfc")
        path = pathlib.Path(folder.name, "model.onnx")
        batches = {tuple(getattr(value, "shape", ()))[:1] for value in inputs}
        given: dict[str, Any] = {}
        if len(batches) == 1 and batches != {()}:
            names = [f"input_{i}" for i in range(len(inputs))]
            given = {"input_names": names, "dynamic_axes": {name: {0: "batch"} for name in names}}
        _export(torch, model, inputs, path, given)
        source = cls.from_onnx(path).source
        if given and _BATCH in path.read_bytes():
            (batch,), = batches
            source = Source("model", f'import onnx "{path}" as traced\nworkload model(batch = {int(batch)}) from traced(batch = batch)')
        return cls(source, f"PyTorch module {type(model).__name__}", folder)

    @classmethod
    def from_traces(cls, path: Union[str, os.PathLike[str]], *, format: str = "chakra") -> Workload:
        """Execution traces: a file, the part of several names before `.0.et`, or a folder; a rank for each file, by name.

        Those in the format "chakra" are replayed on the system of the query, which needs as many chips. "torch_trace" is what PyTorch's profiler
        recorded in one process, with shapes; its calls are evaluated one after the other. Nothing is divided or batched anew.
        """
        suffixes = dict(_native.trace_formats())
        if format not in suffixes:
            raise Unreadable(f"traces are read in {', '.join(suffixes)}, not in {format}")
        files = _trace_files(pathlib.Path(path), suffixes[format])
        read = _native.read_traces(format, [str(file) for file in files])
        if not read.declaration:
            raise Unreadable(read.text, read.problems)
        return cls(Source(read.subject, read.declaration), f"{format} traces {os.fspath(path)}",
                   statement="replay" if read.is_replayed else "evaluate")

    @classmethod
    def from_name(cls, name: str) -> Workload:
        """A workload of the library, or a phase of it: "resnet50", "llama3_8b.decode"."""
        model, _, phase = name.partition(".")
        found = std(model)
        return cls(Source(name, "", [found]) if phase else found, f"library workload {name}")

    @classmethod
    def from_source(cls, source: Source) -> Workload:
        """What perfc.workload or perfc.einsum has built."""
        return cls(source, f"workload {source.name}")


@dataclass(frozen=True)
class Hardware:
    """What it runs on: a chip or a system."""

    source: Source
    origin: str
    #: Other declarations that the name fits as well.
    alternatives: tuple[str, ...] = ()

    @classmethod
    def from_name(cls, name: str) -> Hardware:
        """A chip of the library, else a system, that has all parts of the name: "A100-80GB" is a100_sxm_80gb.

        Where several of one module have them it is the first, from which the others derive; several modules are an error.
        """
        found = ([entry for entry in library("hardware") if _fits(entry, name)]
                 or [entry for entry in library("system") if _fits(entry, name)])
        exact = [entry for entry in found if _squashed(entry.name) == _squashed(name)]
        found = exact or found
        if not found:
            near = _near(name)
            raise LookupError(f"the library has no hardware called {name}; "
                              + (f"it has {', '.join(near)}" if near else "perfc.library('hardware') lists what it has"))
        if len({entry.module for entry in found}) > 1:
            raise LookupError(f"{name} may be {', '.join(entry.name for entry in found)}")
        return cls(std(found[0].name), f"library {found[0].kind} {found[0].name}", tuple(entry.name for entry in found[1:]))

    @classmethod
    def from_spec(cls, spec: Union[Mapping[str, Any], str, os.PathLike[str]]) -> Hardware:
        """A chip from its data sheet, a dictionary or a file of JSON: rates over one memory.

        `peak_flops` (FLOP/s, or one for each format) and `memory_bandwidth` (B/s) are needed; `name`,
        `memory_capacity` (B), `memory_energy`, `compute_energy`, `clock`, `dtype`, `launch` and `tdp` may be left out.
        Values are numbers in these units or texts of the language: "312TFLOP/s".
        """
        given = dict(spec) if isinstance(spec, Mapping) else json.loads(pathlib.Path(spec).read_text(encoding="utf-8"))
        name = re.sub(r"\W", "_", str(given.pop("name", "chip")))
        for needed in ("peak_flops", "memory_bandwidth"):
            if needed not in given:
                raise ValueError(f"the specification of {name} says nothing of its `{needed}`")
        peak = given.pop("peak_flops")
        rates: Attribute
        if isinstance(peak, Mapping):
            rates = {dtype: _with(rate, "FLOP/s") for dtype, rate in peak.items()}
        else:
            rates = _with(peak, "FLOP/s")
        outer = _given(given, memory_bandwidth=("bandwidth", "B/s"), memory_capacity=("capacity", "B"), memory_energy=("energy", "J/B"))
        inner = _given(given, compute_energy=("energy", "J"))
        whole = _given(given, clock=("clock", "Hz"), dtype=("dtype", ""), launch=("launch", "s"), tdp=("tdp", "W"))
        if given:
            raise ValueError(f"the specification of {name} has what a data sheet has no word for here: {', '.join(given)}")
        if isinstance(peak, Mapping):
            whole.setdefault("dtype", next(iter(peak)))
        parts = memory("memory", off_chip=True, **outer), unit("units", rate=rates, **inner)
        return cls(hardware(name, *parts, **whole), f"specification of {name}")

    @classmethod
    def from_source(cls, source: Source) -> Hardware:
        """What perfc.hardware has built."""
        return cls(source, f"hardware {source.name}")


@dataclass(frozen=True)
class PredictionQuery:
    """A question. `target` is "latency", "energy", "power", "memory", "throughput", or any metric of the statement."""

    workload: Workload
    hardware: Hardware
    target: str = "latency"
    #: "inference", "training" or "serving".
    scenario: str = "inference"
    #: None leaves the batch as the workload has it.
    batch_size: Optional[int] = None
    #: Arguments of the workload: its other parameters, `dtype`.
    arguments: Mapping[str, Attribute] = field(default_factory=dict)
    #: Words of the statement: `parallel`, `arrivals`, `using`, …
    options: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True)
class Prediction:
    """An answer."""

    value: float
    unit: str
    #: The 95 % interval; None where the value is exact or no error is known.
    confidence: Optional[tuple[float, float]]
    #: s of each part, or J where energy was asked for, by label.
    breakdown: dict[str, float]
    #: Who computed it.
    backend_used: str
    metadata: dict[str, Any]
    #: All that was found.
    result: Result


class UnifiedPredictor:
    """Answers queries with the model that perfc has for them."""

    def predict(self, query: PredictionQuery) -> Prediction:
        """Raises Error, with the diagnostics, where the workload does not run so on the hardware."""
        results = compile(self.program(query)).run()
        result = results[0]
        value, unit_text, half = _figure(query, result)
        metadata = {"workload": query.workload.origin, "hardware": query.hardware.origin, "metric": _METRICS.get(query.target, query.target),
                    "formula": result.formula, "notes": result.notes, "warnings": [problem.message for problem in results.warnings]}
        if query.hardware.alternatives:
            metadata["hardware_alternatives"] = list(query.hardware.alternatives)
        confidence = None
        if half > 0:
            wider = half * _HALF_OF_95 / _HALF_OF_90
            confidence = (value - wider, value + wider)
            metadata["confidence"] = "95 %, from the 90 % interval as one of a normal distribution"
        return Prediction(value, unit_text, confidence, _breakdown(query, result), result.provider, metadata, result)

    @staticmethod
    def program(query: PredictionQuery) -> Source:
        """The program that answers the query."""
        if query.scenario not in _STATEMENTS:
            raise ValueError(f"a scenario is one of {', '.join(_STATEMENTS)}, not {query.scenario}")
        arguments, options = dict(query.arguments), dict(query.options)
        if query.workload.statement:
            if query.batch_size is not None or arguments:
                raise ValueError(f"{query.workload.origin} are what ran: they take no batch size and no arguments")
            return statement(query.workload.statement, Use(query.workload.source.name, (query.workload.source,)), query.hardware.source,
                             **options)
        if query.batch_size is not None:
            (options if query.scenario == "training" else arguments)["batch"] = query.batch_size
        subject = query.workload.source(**arguments)
        return statement(_STATEMENTS[query.scenario], subject, query.hardware.source, **options)


def _trace_files(path: pathlib.Path, suffix: str) -> list[pathlib.Path]:
    """The files of all ranks in their order."""
    if path.is_file():
        return [path]
    if path.is_dir():
        found = list(path.glob(f"*{suffix}"))
    else:
        name = re.escape(path.name) + r"\.\d+" + re.escape(suffix)
        found = [file for file in path.parent.glob(f"*{suffix}") if re.fullmatch(name, file.name)]
    if not found:
        raise FileNotFoundError(f"there are no traces {path}")
    return sorted(found, key=lambda file: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", file.name)])


def _figure(query: PredictionQuery, result: Result) -> tuple[float, str, float]:
    """The value of the target, its unit and half of its 90 % interval."""
    if query.target == "throughput":
        return _throughput(query, result)
    metric = result[_METRICS.get(query.target, query.target)]
    return _number(metric), metric.unit, metric.half_width


def _throughput(query: PredictionQuery, result: Result) -> tuple[float, str, float]:
    """Tokens per second of what has tokens; else samples of the batch per second."""
    tokens = result.metrics.get("tokens_per_s")
    if tokens is not None and tokens.value is not None:
        return tokens.value, tokens.unit, tokens.half_width
    latency = result["latency"]
    value = (query.batch_size or 1) / _number(latency)
    return value, "sample/s", value * latency.half_width / _number(latency)


def _number(metric: Metric) -> float:
    if metric.value is None:
        raise ValueError(f"{metric.name} is not given: {metric.not_given or metric.text}")
    return metric.value


def _breakdown(query: PredictionQuery, result: Result) -> dict[str, float]:
    totals: dict[str, float] = {}
    for part, runs in kernels(result.breakdown):
        amount = part.energy if query.target == "energy" else part.latency
        if amount is not None:
            totals[part.label] = totals.get(part.label, 0.0) + amount * runs
    return totals


def _parts(name: str) -> list[str]:
    makers = ("nvidia", "amd", "google", "aws", "gpu")
    return [part for part in re.split(r"[^a-z0-9]+", name.lower()) if part and part not in makers]


def _squashed(name: str) -> str:
    return "".join(_parts(name))


def _fits(entry: Declaration, name: str) -> bool:
    """Whether the declaration has all parts of the name, or begins with them written as one."""
    own = _parts(entry.name)
    return all(part in own for part in _parts(name)) or _squashed(entry.name).startswith(_squashed(name))


def _near(name: str) -> list[str]:
    """Chips and systems that share the most with the name, where some part of it says what is meant: `a100`, not `80gb`."""
    parts = [part for part in _parts(name) if not re.fullmatch(r"[a-z]+|\d+(gb)?", part)]
    shared = {entry.name: len(set(parts) & set(_parts(entry.name))) for entry in [*library("hardware"), *library("system")]}
    most = max(shared.values())
    return [entry for entry, count in shared.items() if count == most] if most else []


def _with(value: Any, unit_text: str) -> str:
    return value if isinstance(value, str) else f"{float(value)!r}{unit_text}"


def _given(given: dict[str, Any], **words: tuple[str, str]) -> dict[str, Attribute]:
    """Takes what a specification has of these keys, as attributes with their units."""
    return {word: _with(given.pop(key), unit_text) for key, (word, unit_text) in words.items() if key in given}
