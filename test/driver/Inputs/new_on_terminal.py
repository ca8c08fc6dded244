# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers what `perfc new` asks on a terminal: new_on_terminal.py PERFC FOLDER, where FOLDER has KIND.perf of each kind."""
import os
import pty
import sys

perfc, folder = sys.argv[1:]


def answer(text, path):
    child, terminal = pty.fork()
    if child == 0:
        os.execv(perfc, [perfc, "new", path])
    os.write(terminal, text.encode())
    said = b""
    try:
        while piece := os.read(terminal, 4096):
            said += piece
    except OSError:  # the child is gone
        pass
    assert os.waitpid(child, 0)[1] == 0, said
    return said.decode().replace("\r", "")


def same(a, b):
    return open(os.path.join(folder, a)).read() == open(os.path.join(folder, b)).read()


print(answer("edge\n", os.path.join(folder, "asked.perf")))
answer("\n", os.path.join(folder, "default.perf"))
print("edge as edge" if same("asked.perf", "edge.perf") else "something else", end=", ")
print("nothing as accelerator" if same("default.perf", "accelerator.perf") else "something else")
