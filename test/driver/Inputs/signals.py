# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is left when a search is interrupted and when a sweep is killed.

usage: signals.py interrupt PERFC FILE          sends SIGINT to a search and prints its last lines
       signals.py kill PERFC FILE DATABASE      kills a sweep with SIGKILL and goes on with it
"""
import signal
import sqlite3
import subprocess
import sys
import time


def interrupt(perfc: str, file: str) -> None:
    run = subprocess.Popen([perfc, "search", file, "--stats"], stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    begin = time.monotonic()
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    print(out)
    print("exit status", run.returncode, "soon", time.monotonic() - begin < 10)


def points(database: str) -> int:
    """Points that another process finds in the file."""
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT COUNT(*) FROM points").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # not made yet


def kill(perfc: str, file: str, database: str) -> None:
    command = [perfc, "sweep", file, "--db", database]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while points(database) < 3 and time.monotonic() < end:
        time.sleep(0.005)
    seen = points(database)
    run.kill()
    run.wait()
    kept = points(database)
    print("killed", run.returncode == -signal.SIGKILL, "kept what was seen", kept >= seen >= 3)
    again = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    shown = again.stdout.count("  grid ")
    computed = again.stdout.split("[sweep]")[1].count("  grid ")
    total = points(database)
    print("went on", 0 < kept < total, "computed the rest only", computed == total - kept, "printed all", shown == total)


if __name__ == "__main__":
    {"interrupt": interrupt, "kill": kill}[sys.argv[1]](*sys.argv[2:])
