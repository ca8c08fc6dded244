#!/usr/bin/env python3
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each declaration of FOLDER/list.json has a page, a line of the index and its text as written; FOLDER/imports.perf gets all examples."""
import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
entries = json.loads((folder / "list.json").read_text())["library"]
pages = {page for page in (folder / "docs/std").rglob("*.md") if page.name != "index.md"}
assert len(pages) == len(entries) > 1000, (len(pages), len(entries))
index = (folder / "docs/std/index.md").read_text()
linked = set(re.findall(r"\]\(([^)]*\.md)\)", index))
assert linked == {str(page.relative_to(folder / "docs/std")) for page in pages}
imports = []
for page in sorted(pages):
    text = page.read_text()
    name = page.stem
    [program] = re.findall(r"```perf\n(.*?)```", text, re.DOTALL)
    imports.append(program)
    assert re.search(rf"```text\n\w+ {re.escape(name)}\b", text), f"{page}: the declaration is not there"
(folder / "imports.perf").write_text("".join(imports))
