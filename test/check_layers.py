# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes point one way: a folder may include itself and what MAY_USE names, nothing else. A folder and those below it
are one library; of the folders below it none may include one that includes it, by whatever way.

usage: check_layers.py ROOT. Linking catches most of it (see cmake/PerfcLibrary.cmake); this also sees header-only uses.
"""
import re
import sys
from pathlib import Path

LEVELS = ["ir/op", "ir/loopnest", "ir/tile", "ir/phase", "ir/collective", "ir/target"]
PASSES = ["passes", "passes/analysis"]
IR = ["ir/common", "ir/core", *LEVELS, "ir/study", "ir/timeloop"]
MAY_USE = {
    "ir/common": [],
    "ir/core": ["ir/common"],
    **{level: ["ir/common", "ir/core"] for level in LEVELS},
    "ir/study": ["ir/common", "ir/core", *LEVELS],
    "ir/timeloop": ["ir/common"],
    "stdlib": [],
    "frontend/syntax": ["ir/common", "grammar"],
    "frontend/sema": ["ir/common", "frontend/syntax", "frontend/import", "stdlib"],
    "frontend/build": [*IR, "frontend/syntax", "frontend/sema"],
    "frontend/import": [*IR, "frontend/syntax", "stdlib"],
    "passes/analysis": IR,
    "passes": [*IR, "passes/analysis"],
    "backends/core": [*IR, *PASSES],
    "backends/mapper": [*IR, *PASSES, "backends/core", "backends/emit", "backends/gpu", "backends/loopnest",
                        "backends/training"],
}
EVALUATOR = [*IR, *PASSES, "backends/core"]
for name in ("roofline", "edge", "loopnest", "gpu", "network", "training"):
    MAY_USE[f"backends/{name}"] = EVALUATOR
MAY_USE["backends/training"] = [*EVALUATOR, "backends/gpu"]
MAY_USE["backends/emit"] = [*EVALUATOR, "backends/network"]
MAY_USE["backends/serving"] = [*EVALUATOR, "backends/training"]
BACKENDS = [folder for folder in MAY_USE if folder.startswith("backends/")]
MAY_USE["api"] = [*IR, *PASSES, *BACKENDS, "stdlib", "frontend/syntax", "frontend/sema", "frontend/build", "frontend/import"]
MAY_USE["tools/driver"] = [*MAY_USE["api"], "api"]
MAY_USE["tools/perfc"] = ["tools/driver"]
MAY_USE["bindings/python"] = ["api"]
# External headers that only these folders may include.
ONLY_IN = {"isl/": ("passes", "backends"), "Eigen/": ("api/fit",), "antlr4": ("grammar", "frontend/syntax"),
           "pybind11/": ("bindings/python",)}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
OURS = ("ir/", "grammar/", "stdlib/", "frontend/", "passes/", "backends/", "api/", "bindings/", "tools/")


def room(path: str) -> str:
    """The folder that a rule is about: two components, or one where the folder has no levels."""
    parts = path.split("/")
    if path.startswith("passes/analysis/"):
        return "passes/analysis"
    return parts[0] if parts[0] in ("stdlib", "passes", "grammar", "api") else "/".join(parts[:2])


def part(path: str) -> str:
    """The folder right below its room that a file stands in, "" for the room itself."""
    rest = path[len(room(path)) + 1:].split("/")
    return rest[0] if len(rest) > 1 else ""


def reaches(edges: dict, start: str, goal: str) -> bool:
    seen, ways = set(), [start]
    while ways:
        at = ways.pop()
        if at == goal:
            return True
        ways += [] if at in seen else edges.get(at, ())
        seen.add(at)
    return False


def violations(root: Path):
    """Yields one message per forbidden include."""
    beside = {}  # includes between folders right below one room
    for folder in ("ir", "stdlib", "frontend", "passes", "backends", "api", "bindings", "tools"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            name = file.relative_to(root).as_posix()
            own = room(name)
            if own not in MAY_USE:
                yield f"{name}: no rule says what {own} may include"
                continue
            allowed = {own, *MAY_USE[own]}
            for include in INCLUDE.findall(file.read_text()):
                if include.startswith(OURS) and room(include) == own and part(name) and part(include) not in ("", part(name)):
                    beside.setdefault((own, part(name)), {}).setdefault((own, part(include)), (name, include))
                if include.startswith(OURS) and room(include) not in allowed:
                    yield f"{name}: {own} may not include {include}"
                for prefix, rooms in ONLY_IN.items():
                    if include.startswith(prefix) and not name.startswith(rooms):
                        yield f"{name}: only {' and '.join(rooms)} may include {include}"
    for (own, folder), includes in sorted(beside.items()):
        for other, (name, include) in includes.items():
            if reaches(beside, other, (own, folder)):
                yield f"{name}: {own}/{folder} may not include {include}, which leads back to it"


def main(root: str) -> int:
    messages = list(violations(Path(root)))
    print("\n".join(messages) or "every include points the right way")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
