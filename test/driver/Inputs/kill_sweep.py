# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a sweep with SIGKILL after some of its points, again and again, and then lets it end.

After each kill the file of results must hold every point that was printed, but for the last one, which may be in flight;
and what the last run prints, kept and new, must be the table of a sweep that was never disturbed.

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


class Rows:
    """The rows that a sweep prints, line by line: those that the file of results has kept, and new ones."""

    def __init__(self):
        self.kept, self.new = [], []
        self.current = self.new

    def take(self, line):
        if line.rstrip().endswith(("[sweep, kept]", "[sweep]")):
            self.current = self.kept if line.rstrip().endswith("kept]") else self.new
        elif line.lstrip()[:1].isdigit():
            self.current.append(line.split())
        return self

    @staticmethod
    def of(text):
        rows = Rows()
        for line in text.splitlines():
            rows.take(line)
        return rows


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
    rows = Rows.of(whole).new
    before = set()
    for stop in (3, 5, 4):
        if len(rows) - len(before) <= stop:
            break  # so fast that there is nothing left to kill
        run = subprocess.Popen([*command, "sweep", program, "--db", database], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
        seen = Rows()
        for line in run.stdout:
            if len(seen.take(line).new) == stop:
                break
        kill(run)
        after = points(database)
        assert before <= after, "a point was lost that an earlier run had kept"
        assert len(seen.kept) == len(before), "what was kept is not printed"
        assert len(after - before) >= len(seen.new) - 1, f"{len(seen.new)} points were printed, {len(after - before)} kept"
        before = after
    end = subprocess.run([*command, "sweep", program, "--db", database], capture_output=True, text=True, check=True)
    again = Rows.of(end.stdout)
    assert len(again.new) == len(rows) - len(before), "points that were done were evaluated again"
    assert sorted(again.kept + again.new) == sorted(rows), "the rows are others"
    front = lambda text: text[text.index("pareto"):]
    assert front(end.stdout) == front(whole), "the front is another one"
    print(f"lost at most the points in flight: {len(before)} of {len(rows)} kept over three kills")


main()
