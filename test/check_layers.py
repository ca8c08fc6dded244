# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes point one way: a folder may include itself and what MAY_USE names, nothing else.

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
    "frontend/import": [*IR, "frontend/syntax"],
    "passes/analysis": IR,
    "passes": [*IR, "passes/analysis"],
    "backends/core": [*IR, *PASSES],
    "backends/mapper": [*IR, *PASSES, "backends/core", "backends/emit", "backends/loopnest", "backends/training"],
}
EVALUATOR = [*IR, *PASSES, "backends/core"]
MAY_USE["backends/emit"] = [*EVALUATOR, "backends/network"]
MAY_USE["backends/serving"] = [*EVALUATOR, "backends/training"]
BACKENDS = ["core", "roofline", "loopnest", "gpu", "network", "training", "serving", "emit", "mapper"]
MAY_USE["api"] = [*EVALUATOR, *(f"backends/{name}" for name in BACKENDS), "stdlib", "frontend/syntax", "frontend/sema",
                  "frontend/build", "frontend/import"]
MAY_USE["tools/driver"] = [*MAY_USE["api"], "api"]
MAY_USE["tools/perfc"] = ["tools/driver"]
# External headers that only these folders may include.
ONLY_IN = {"isl/": ("passes", "backends"), "antlr4": ("grammar", "frontend/syntax")}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
OURS = ("ir/", "grammar/", "stdlib/", "frontend/", "passes/", "backends/", "api/", "tools/")


def room(path: str) -> str:
    """The folder that a rule is about: two components, or one where the folder has no levels."""
    parts = path.split("/")
    if path.startswith("passes/analysis/"):
        return "passes/analysis"
    return parts[0] if parts[0] in ("stdlib", "passes", "grammar", "api") else "/".join(parts[:2])


def violations(root: Path):
    """Yields one message per forbidden include."""
    for folder in ("ir", "stdlib", "frontend", "passes", "backends", "api", "tools"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            name = file.relative_to(root).as_posix()
            own = room(name)
            allowed = {own, *MAY_USE.get(own, EVALUATOR)}
            for include in INCLUDE.findall(file.read_text()):
                if include.startswith(OURS) and room(include) not in allowed:
                    yield f"{name}: {own} may not include {include}"
                for prefix, rooms in ONLY_IN.items():
                    if include.startswith(prefix) and not name.startswith(rooms):
                        yield f"{name}: only {' and '.join(rooms)} may include {include}"


def main(root: str) -> int:
    messages = list(violations(Path(root)))
    print("\n".join(messages) or "every include points the right way")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
