# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes stdlib/Embedded.cpp: the text of every standard library module as a C++ string.

usage: embed_stdlib.py FOLDER LISTING OUTPUT; LISTING names one module per line, relative to FOLDER, sorted.
"""
import sys
from pathlib import Path

# g++ and clang take literals far longer than the 64 KiB the standard promises; pieces keep the lines editable.
BYTES_PER_LINE = 100


def literal(data: bytes) -> str:
    """DATA as adjacent C++ string literals; octal escapes of three digits never run into the next character."""
    plain = {ord("\n"): "\\n", ord('"'): '\\"', ord("\\"): "\\\\", ord("?"): "\\?"}
    lines = []
    for start in range(0, len(data), BYTES_PER_LINE):
        piece = data[start : start + BYTES_PER_LINE]
        text = "".join(plain.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in piece)
        lines.append(f'    "{text}"')
    return "\n".join(lines) or '    ""'


def main(folder: str, listing: str, output: str) -> None:
    names = Path(listing).read_text().split()
    out = ['#include "stdlib/Embedded.h"', "", "namespace {"]
    for index, name in enumerate(names):
        out.append(f"// {name}\nconstexpr llvm::StringLiteral text{index} =\n{literal((Path(folder) / name).read_bytes())};")
    rows = "".join(f'    {{"{name}", text{index}}},\n' for index, name in enumerate(names))
    table = f"const perfc::EmbeddedFile files[] = {{\n{rows}}};" if names else ""
    out += [table, "} // namespace", ""]
    result = "files" if names else "{}"
    out.append(f"llvm::ArrayRef<perfc::EmbeddedFile> perfc::embeddedStdlib() {{ return {result}; }}")
    Path(output).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
