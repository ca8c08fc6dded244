# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that waits 1.5 s for its input, with standard error on a terminal of its own, and prints what came there, escapes spelled out."""
import os
import pty
import subprocess
import sys
import time

reader, writer = pty.openpty()
command = subprocess.Popen(sys.argv[1:], stderr=writer, stdout=subprocess.DEVNULL, stdin=subprocess.PIPE)
os.close(writer)
time.sleep(1.5)
command.stdin.close()
text = b""
while True:
    try:
        piece = os.read(reader, 4096)
    except OSError:  # what Linux says when the last writer is gone
        break
    if not piece:
        break
    text += piece
command.wait()
print(text.decode().replace("\x1b", "ESC").replace("\r", "CR"))
