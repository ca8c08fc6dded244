#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what ./dev docs gives mkdocs: the pages of docs/, and a page for each declaration of the library.

usage: site_pages.py PERFC ROOT FOLDER

FOLDER gets mkdocs.yml and docs/; docs/std/index.md leads to docs/std/MODULE/NAME.md. The text of a page is that of `perfc list --json`,
with the declaration as the library's file has it.
"""
from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
from generate import first_sentence

#: In the order of the index; others follow by name.
KINDS = ["workload", "op", "hardware", "system", "network", "collective", "algorithm", "mapping", "runtime", "library", "generation"]


def declarations(perfc: str) -> list[dict[str, str]]:
    printed = subprocess.run([perfc, "list", "--json"], check=True, capture_output=True, text=True)
    return json.loads(printed.stdout)["library"]


def module_file(root: Path, module: str) -> Path:
    return root / "stdlib" / (module.removeprefix("std.").replace(".", "/") + ".perf")


def source_of(text: str, entry: dict[str, str]) -> str:
    """The declaration as it is written, from its head to the brace that closes it; "" where it is not found."""
    head = re.search(rf"^{entry['kind']} {re.escape(entry['name'])}\b", text, re.MULTILINE)
    if not head:
        return ""
    lines, depth = [], 0
    for line in text[head.start():].splitlines():
        lines.append(line)
        code = line.split("//")[0]
        depth += sum(code.count(c) for c in "{[(") - sum(code.count(c) for c in "}])")
        if depth <= 0:
            break
    return "\n".join(lines)


def page_path(entry: dict[str, str]) -> str:
    return entry["module"].removeprefix("std.").replace(".", "/") + f"/{entry['name']}.md"


def page(entry: dict[str, str], source: str) -> str:
    """What is known of a declaration; the first block of code is a program that imports it."""
    doc = entry["doc"].strip() or "No description."
    parts = [f"# {entry['name']}", f"*{entry['kind']}* of `{entry['module']}`", doc,
             f"```perf\nimport {entry['module']}.{entry['name']}\n```",
             f"```text\n{source or entry['signature']}\n```"]
    return "\n\n".join(parts) + "\n"


def index(entries: list[dict[str, str]]) -> str:
    kinds = sorted({entry["kind"] for entry in entries}, key=lambda kind: (KINDS.index(kind) if kind in KINDS else len(KINDS), kind))
    text = "# Declarations of the library\n\nA page each, with what `perfc list` says of it and the declaration itself.\n"
    for kind in kinds:
        own = sorted((entry for entry in entries if entry["kind"] == kind), key=lambda entry: (entry["module"], entry["name"]))
        text += f"\n## {kind}\n\n| name | module | |\n|---|---|---|\n"
        for entry in own:
            text += f"| [`{entry['name']}`]({page_path(entry)}) | `{entry['module']}` | {first_sentence(entry['doc'])} |\n"
    return text


def check_navigation(root: Path, configuration: str) -> None:
    """Every page of docs/ has a line in the navigation; those of declarations are found by the index and the search."""
    missing = [page.name for page in sorted((root / "docs").glob("*.md")) if f": {page.name}\n" not in configuration]
    if missing:
        sys.exit(f"the navigation of tools/docs/mkdocs.yml has no line for {', '.join(missing)}")


def main(perfc: str, root: Path, folder: Path) -> None:
    configuration = (root / "tools/docs/mkdocs.yml").read_text(encoding="utf-8")
    check_navigation(root, configuration)
    pages = folder / "docs"
    shutil.copytree(root / "docs", pages, ignore=shutil.ignore_patterns("generate.py", "__pycache__"))
    (folder / "mkdocs.yml").write_text(re.sub(r"^docs_dir: .*$", "docs_dir: docs", configuration, flags=re.MULTILINE), encoding="utf-8")
    entries = declarations(perfc)
    texts: dict[str, str] = {}
    for entry in entries:
        module = entry["module"]
        if module not in texts:
            texts[module] = module_file(root, module).read_text(encoding="utf-8")
        path = pages / "std" / page_path(entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(entry, source_of(texts[module], entry)), encoding="utf-8")
    (pages / "std/index.md").write_text(index(entries), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve())
