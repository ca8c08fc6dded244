# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libperfc's types as Python sees them; attributes are read only."""
from typing import Any, Callable, ClassVar, Optional, Union

import numpy
from numpy.typing import NDArray

class _Record:
    fields: ClassVar[list[str]]
    def to_dict(self) -> dict[str, Any]: ...

class Place(_Record):
    """A place in a text, line and column from 1."""
    file: str
    line: int
    column: int

class Problem(_Record):
    """A mistake or a warning, with the notes and helps below it."""
    severity: str
    code: int
    message: str
    place: Optional[Place]
    remarks: list[Problem]

class Traces(_Record):
    """Execution traces as text of the language; `declaration` is "" where a file is wrong."""
    declaration: str
    subject: str
    is_replayed: bool
    problems: list[Problem]
    text: str

class Findings(_Record):
    """The problems of a run, or of the run of one point; `text` is what a terminal shows of them."""
    point: dict[str, Union[float, str]]
    problems: list[Problem]
    text: str
    is_error: bool

class Parameter(_Record):
    """A `param` of a program; `values` are those that it may take, none where it is free."""
    name: str
    documentation: str
    value: str
    unit: str
    values: list[str]
    place: Optional[Place]

class Declaration(_Record):
    """What the library or a program declares; `module` is what to import for it."""
    name: str
    kind: str
    declaration: str
    module: str
    value: str
    documentation: str
    place: Optional[Place]

class Metric(_Record):
    """A figure with its unit and the half width of its 90 % interval; or a word, or why it is not given."""
    name: str
    unit: str
    value: Optional[float]
    half_width: float
    text: str
    not_given: str
    interval: Optional[tuple[float, float]]

class Memory(_Record):
    """What a memory moves (B), the time that takes alone (s) and its energy (J)."""
    name: str
    is_off_chip: bool
    read_bytes: float
    write_bytes: float
    latency: float
    energy: Optional[float]

class Search(_Record):
    """How a search came to its result; `mappings` are the best ones, as a program has them."""
    goal: str
    value: float
    bound: Optional[float]
    is_proven: bool
    evaluated: int
    mappings: str

class Member(_Record):
    """One of several providers that an ensemble has asked."""
    provider: str
    latency: float
    half_width: float
    weight: float

class Expectation(_Record):
    """The outcome of an `expect`."""
    text: str
    holds: bool
    probability: Optional[float]
    place: Optional[Place]

class Row(_Record):
    """A row of a table: a figure for each column."""
    label: str
    cells: list[Metric]

class Table(_Record):
    """What a `report` asks for: in the block of a statement a row for the result (`by` is ""), or for each of its parts; at
    file level a table for each of its columns, or for the parts of each result."""
    name: str
    by: str
    columns: list[str]
    rows: list[Row]

class Part(_Record):
    """What a part of a result takes, all its runs together (s, J); those of its parts are of one run."""
    label: str
    kind: str
    place: Optional[Place]
    count: int
    latency: float
    energy: Optional[float]
    macs: float
    flops: float
    bytes: float
    utilization: float
    bound: str
    provider: str
    mapping: str
    parts: list[Part]

class Result(_Record):
    """One evaluation, row of a comparison, or point of a sweep; `result["latency"]` is one of its metrics."""
    statement: str
    name: str
    label: str
    subject: str
    on: str
    point: dict[str, Union[float, str]]
    place: Optional[Place]
    metrics: dict[str, Metric]
    breakdown: Part
    memories: list[Memory]
    search: Optional[Search]
    ensemble: list[Member]
    expectations: list[Expectation]
    tables: list[Table]
    notes: list[str]
    provider: str
    mapping: str
    formula: str
    def __getitem__(self, metric: str) -> Metric: ...
    def _repr_html_(self) -> str: ...

class Of:
    METRIC: ClassVar[Of]
    HALF_WIDTH: ClassVar[Of]
    SETTING: ClassVar[Of]

class Results:
    is_interrupted: bool
    tables: list[Table]
    findings: list[Findings]
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
    what: str
    done: int
    total: int
    best: str

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
