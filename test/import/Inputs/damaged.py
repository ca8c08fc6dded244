# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has perfc import files that are damaged or made to do harm: it reads or refuses each, soon."""
import random
import subprocess
import sys
from pathlib import Path


def run(name, data):
    """What perfc, the first argument of the program, says of the file."""
    Path(name).write_bytes(data)
    done = subprocess.run([sys.argv[1], "import", Path(name).suffix[1:], name], capture_output=True, timeout=20)
    assert done.returncode in (0, 2), f"{name}: {done.returncode}"
    return done


def check(files, sound, count):
    """Prints the first line of what is said of each file; then tries the sound one, cut off or with other bytes here and there."""
    for name, data in files.items():
        done = run(name, data)
        print(f"{name}: {done.stderr.decode().splitlines()[0] if done.returncode else 0}")
    suffix = Path(next(iter(files))).suffix
    random.seed(1)
    for i in range(count):
        data = bytearray(sound[:random.randrange(len(sound))] if i % 3 == 0 else sound)
        for _ in range(random.randrange(1, 4)):
            if data:
                data[random.randrange(len(data))] = random.randrange(256)
        run("damaged" + suffix, bytes(data))
    print(f"{count} damaged files, all refused or read")
