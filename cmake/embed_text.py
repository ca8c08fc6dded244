# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a C++ file with texts that are embedded in the binary, and the function that finds them by name.

usage: embed_text.py HEADER FUNCTION OUTPUT NAME=FILE…; HEADER declares FUNCTION, "llvm::StringRef perfc::FUNCTION(llvm::StringRef name)".
"""
import sys
from pathlib import Path

from embed_stdlib import literal


def main(header: str, function: str, output: str, *texts: str) -> None:
    out = [f'#include "{header}"', "", f"llvm::StringRef perfc::{function}(llvm::StringRef name) {{"]
    for text in texts:
        name, path = text.split("=", 1)
        out.append(f'  if (name == "{name}") {{\n    static constexpr llvm::StringLiteral text =\n{literal(Path(path).read_bytes())};\n    return text;\n  }}')
    out += ['  return "";', "}"]
    Path(output).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
