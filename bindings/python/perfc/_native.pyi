# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libperfc's types as Python sees them; attributes are read only."""
from typing import Any, Callable, ClassVar, Final, Optional, Union

import numpy
from numpy.typing import NDArray

class _Record:
    fields: ClassVar[list[str]]
    def to_dict(self) -> dict[str, Any]: ...

class Place(_Record):
    """A place in a text, line and column from 1."""
    file: Final[str]
    line: Final[int]
    column: Final[int]

class Problem(_Record):
    """A mistake or a warning, with the notes and helps below it."""
    severity: Final[str]
    code: Final[int]
    message: Final[str]
    place: Final[Optional[Place]]
    remarks: Final[list[Problem]]

class Traces(_Record):
    """Execution traces as text of the language; `declaration` is "" where a file is wrong."""
    declaration: Final[str]
    subject: Final[str]
    is_replayed: Final[bool]
    problems: Final[list[Problem]]
    text: Final[str]

class Findings(_Record):
    """The problems of a run, or of the run of one point; `text` is what a terminal shows of them."""
    point: Final[dict[str, Union[float, str]]]
    problems: Final[list[Problem]]
    text: Final[str]
    is_error: Final[bool]

class Parameter(_Record):
    """A `param` of a program; `values` are those that it may take, none where it is free."""
    name: Final[str]
    documentation: Final[str]
    value: Final[str]
    unit: Final[str]
    values: Final[list[str]]
    place: Final[Optional[Place]]

class Declaration(_Record):
    """What the library or a program declares; `module` is what to import for it."""
    name: Final[str]
    kind: Final[str]
    declaration: Final[str]
    module: Final[str]
    value: Final[str]
    documentation: Final[str]
    place: Final[Optional[Place]]

class Metric(_Record):
    """A figure with its unit and the half width of its 90 % interval; or a word, or why it is not given."""
    name: Final[str]
    unit: Final[str]
    value: Final[Optional[float]]
    half_width: Final[float]
    text: Final[str]
    not_given: Final[str]
    interval: Final[Optional[tuple[float, float]]]

class Memory(_Record):
    """What a memory moves (B), the time that takes alone (s) and its energy (J)."""
    name: Final[str]
    is_off_chip: Final[bool]
    read_bytes: Final[float]
    write_bytes: Final[float]
    latency: Final[float]
    energy: Final[Optional[float]]

class Search(_Record):
    """How a search came to its result; `mappings` are the best ones, as a program has them."""
    goal: Final[str]
    value: Final[float]
    bound: Final[Optional[float]]
    is_proven: Final[bool]
    evaluated: Final[int]
    mappings: Final[str]

class Member(_Record):
    """One of several providers that an ensemble has asked."""
    provider: Final[str]
    latency: Final[float]
    half_width: Final[float]
    weight: Final[float]

class Expectation(_Record):
    """The outcome of an `expect`."""
    text: Final[str]
    holds: Final[bool]
    probability: Final[Optional[float]]
    place: Final[Optional[Place]]

class Row(_Record):
    """A row of a table: a figure for each column."""
    label: Final[str]
    cells: Final[list[Metric]]

class Table(_Record):
    """What a `report` asks for: in the block of a statement a row for the result (`by` is ""), or for each of its parts; at
    file level a table for each of its columns, or for the parts of each result."""
    name: Final[str]
    by: Final[str]
    columns: Final[list[str]]
    rows: Final[list[Row]]

class Part(_Record):
    """What a part of a result takes, all its runs together (s, J); those of its parts are of one run."""
    label: Final[str]
    kind: Final[str]
    place: Final[Optional[Place]]
    count: Final[int]
    latency: Final[float]
    energy: Final[Optional[float]]
    macs: Final[float]
    flops: Final[float]
    bytes: Final[float]
    utilization: Final[float]
    bound: Final[str]
    provider: Final[str]
    mapping: Final[str]
    parts: Final[list[Part]]

class Result(_Record):
    """One evaluation, row of a comparison, or point of a sweep; `result["latency"]` is one of its metrics."""
    statement: Final[str]
    name: Final[str]
    label: Final[str]
    subject: Final[str]
    on: Final[str]
    point: Final[dict[str, Union[float, str]]]
    place: Final[Optional[Place]]
    metrics: Final[dict[str, Metric]]
    breakdown: Final[Part]
    memories: Final[list[Memory]]
    search: Final[Optional[Search]]
    ensemble: Final[list[Member]]
    expectations: Final[list[Expectation]]
    tables: Final[list[Table]]
    notes: Final[list[str]]
    provider: Final[str]
    mapping: Final[str]
    formula: Final[str]
    def __getitem__(self, metric: str) -> Metric: ...
    def _repr_html_(self) -> str: ...

class Of:
    METRIC: ClassVar[Of]
    HALF_WIDTH: ClassVar[Of]
    SETTING: ClassVar[Of]

class Results:
    is_interrupted: Final[bool]
    tables: Final[list[Table]]
    findings: Final[list[Findings]]
    def __len__(self) -> int: ...
    def at(self, index: int) -> Result: ...
    def metric_names(self) -> list[str]: ...
    def setting_names(self) -> list[str]: ...
    def column(self, of: Of, name: str) -> NDArray[numpy.float64]: ...

class Statements:
    ALL: ClassVar[Statements]
    SEARCHES: ClassVar[Statements]
    SWEEPS: ClassVar[Statements]

class RunSettings:
    which: Statements
    threads: int
    seed: int
    within: Optional[float]
    writes_files: bool

class Progress:
    """How far a run is: points, or of a search what it looks through; 0 of 0 where that is not known."""
    what: Final[str]
    done: Final[int]
    total: Final[int]
    best: Final[str]

class Program:
    @staticmethod
    def load(text: str, name: str, defines: list[tuple[str, str]]) -> Program: ...
    @staticmethod
    def load_file(path: str, defines: list[tuple[str, str]]) -> Program: ...
    def findings(self) -> Findings: ...
    def check(self) -> Findings: ...
    def parameters(self) -> list[Parameter]: ...
    def sweep(self, axes: list[tuple[str, list[Union[float, str]]]], settings: RunSettings,
              ends_on_interrupt: bool, progress: Optional[Callable[[Progress], object]]) -> Results: ...
    def cancel(self) -> None: ...
    def format(self) -> Optional[str]: ...
    def ir(self, level: str) -> tuple[Optional[str], Findings]: ...

def trace_formats() -> list[tuple[str, str]]: ...
def read_traces(format: str, files: list[str]) -> Traces: ...
def library() -> list[Declaration]: ...
def version() -> str: ...
