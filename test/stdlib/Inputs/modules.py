# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prints the modules of the library in the folder given first, but std.validate, that the program given second does not import.
import pathlib, re, sys

library = pathlib.Path(sys.argv[1])
program = pathlib.Path(sys.argv[2]).read_text()
imported = set(re.findall(r"^import (std\.[\w.]+)$", program, re.M))
for folder, names in re.findall(r"^import (std[\w.]*)\.\{(.*?)\}", program, re.S | re.M):
    imported |= {f"{folder}.{name.strip()}" for name in names.split(",")}
for module in sorted(library.rglob("*.perf")):
    name = ".".join(["std", *module.relative_to(library).with_suffix("").parts])
    if name not in imported and not name.startswith("std.validate."):
        print("not imported:", name)
