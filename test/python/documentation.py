# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %package_python %s %docs/python.md
"""The examples of docs/python.md, in order, print what stands below them."""
import doctest
import sys

text = "".join(line for line in open(sys.argv[1], encoding="utf-8") if not line.startswith("```"))
examples = doctest.DocTestParser().get_doctest(text.replace("…", "..."), {}, "python.md", sys.argv[1], 0)
runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
runner.run(examples)
assert runner.tries > 20 and not runner.failures, "an example prints something else"
