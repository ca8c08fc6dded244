# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a sweep with SIGKILL after some of its points, again and again, and then lets it end.

After each kill the file of results must hold every point that was printed, but for the last one, which may be in flight;
and the table at the end must be that of a sweep that was never disturbed.

usage: kill_sweep.py FOLDER FILE.perf COMMAND…     (COMMAND is perfc, or mpirun … perfc)
"""
import os
import signal
import sqlite3
import subprocess
import sys
import time


def points(database):
    with sqlite3.connect(database) as connection:
        return {row for row in connection.execute("SELECT statement, point FROM points")}


def descendants(pid):
    """`pid` and the processes that it started, which mpirun puts into groups of their own."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as stat:
                parents.setdefault(int(stat.read().rsplit(")", 1)[1].split()[1]), []).append(int(entry))
        except OSError:
            continue  # ended meanwhile
    found = [pid]
    for process in found:
        found += parents.get(process, [])
    return found


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def kill(run):
    processes = descendants(run.pid)
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    run.wait()
    # One that is being killed may still hold the file of results.
    while any(is_alive(process) for process in processes):
        time.sleep(0.01)


def main():
    folder, program, *command = sys.argv[1:]
    os.makedirs(folder)
    database = os.path.join(folder, "results.db")
    # Standard output of an unkilled run: titles, rows, and the front from "pareto" on.
    whole = subprocess.run([command[-1], "sweep", program], capture_output=True, text=True, check=True).stdout
    rows = [line for line in whole.splitlines() if line.lstrip()[:1].isdigit()]
    before = set()
    for stop in (3, 5, 4):
        if len(rows) - len(before) <= stop:
            break  # so fast that there is nothing left to kill
        run = subprocess.Popen([*command, "sweep", program, "--db", database], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
        printed = 0
        for line in run.stdout:
            printed += line.lstrip()[:1].isdigit()
            if printed == stop:
                break
        kill(run)
        after = points(database)
        assert before <= after, "a point was lost that an earlier run had kept"
        assert len(after - before) >= printed - 1, f"{printed} points were printed, {len(after - before)} kept"
        before = after
    end = subprocess.run([*command, "sweep", program, "--db", database], capture_output=True, text=True, check=True)
    again = [line for line in end.stdout.splitlines() if line.lstrip()[:1].isdigit()]
    assert len(again) == len(rows) - len(before), "points that were done were evaluated again"
    assert again == [row for row in rows if row in again], "the rows are others"
    front = lambda text: text[text.index("pareto"):]
    assert front(end.stdout) == front(whole), "the front is another one"
    print(f"lost at most the points in flight: {len(before)} of {len(rows)} kept over three kills")


main()
