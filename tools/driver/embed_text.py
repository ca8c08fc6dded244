# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes EmbeddedText.cpp: texts of the manual that the command prints.

usage: embed_text.py HELPERS OUTPUT NAME=FILE…; HELPERS is the folder of embed_stdlib.py.
"""
import sys
from pathlib import Path


def main(helpers: str, output: str, *texts: str) -> None:
    sys.path.insert(0, helpers)
    from embed_stdlib import literal

    out = ['#include "tools/driver/EmbeddedText.h"', "", "llvm::StringRef perfc::driver::embeddedText(llvm::StringRef name) {"]
    for text in texts:
        name, path = text.split("=", 1)
        out.append(f'  if (name == "{name}") {{\n    static constexpr llvm::StringLiteral text =\n{literal(Path(path).read_bytes())};\n    return text;\n  }}')
    out += ['  return "";', "}"]
    Path(output).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
