# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the code blocks of a page of docs/, in order, in an empty folder.

usage: run_blocks.py PERFC PAGE.md [--update]

    ```perf NAME.perf      becomes the file NAME.perf; without a name the block only has to pass `perfc check`
    ```text NAME           becomes the file NAME (without a name it is not touched); the models of examples/ beside the page,
                           which are no text, are there from the beginning
    ```console [status=N]  `$ command` lines run in a shell, with perfc in the PATH; what stands below a command is its output,
                           standard error included. N is the exit status of the last command, 0 unless given; the others end with 0.

In an expected output `…` on its own line stands for any number of lines, inside a line for any text. A command with nothing
below it may print nothing. --update writes what the commands print into the page, except below commands whose output has `…`.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(\w+)(?: +(.*))?$")
SECONDS = 120


@dataclass
class Block:
    language: str
    info: str
    line: int  # of the fence, from 1
    lines: list[str] = field(default_factory=list)


@dataclass
class Command:
    text: str
    line: int
    expected: list[str] = field(default_factory=list)


def blocks_of(page: str):
    """The fenced blocks of a page, from top to bottom."""
    block = None
    for number, line in enumerate(page.splitlines(), 1):
        if block is None:
            if match := FENCE.match(line):
                block = Block(match[1], (match[2] or "").strip(), number)
        elif line == "```":
            yield block
            block = None
        else:
            block.lines.append(line)
    if block is not None:
        raise SystemExit(f"line {block.line}: the block is never closed")


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block; one may go on over lines that end in a backslash."""
    commands = []
    for number, line in enumerate(block.lines, block.line + 1):
        if line.startswith("$ "):
            commands.append(Command(line[2:], number))
        elif commands and commands[-1].text.endswith("\\") and not commands[-1].expected:
            commands[-1].text += "\n" + line
        elif commands:
            commands[-1].expected.append(line)
        else:
            raise SystemExit(f"line {number}: output without a command")
    return commands


def matches(expected: list[str], actual: list[str]) -> bool:
    pattern = ""
    for line in expected:
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r"\n"
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


class Page:
    def __init__(self, perfc: str, path: Path, update: bool):
        self.path, self.update = path, update
        self.lines = path.read_text().splitlines()
        self.folder = Path(tempfile.mkdtemp(prefix="perfc-docs-"))
        for model in [*path.parent.glob("examples/*.onnx"), *path.parent.glob("examples/*.gguf"),
                      *path.parent.glob("examples/*.tflite"), *path.parent.glob("examples/*.pt.json")]:
            shutil.copy(model, self.folder)
        tools = Path(tempfile.mkdtemp(prefix="perfc-docs-bin-"))
        (tools / "perfc").symlink_to(Path(perfc).resolve())
        plain = {"COLUMNS": "100", "LC_ALL": "C.UTF-8", "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
        self.environment = {**os.environ, **plain}
        self.failures = 0
        self.ran = 0
        self.changes: list[tuple[int, int, list[str]]] = []  # first line, number of lines, new ones

    def fail(self, line: int, text: str) -> None:
        self.failures += 1
        print(f"{self.path.name}:{line}: {text}")

    def shell(self, command: str) -> tuple[int, list[str]]:
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode(errors="replace").splitlines()

    def file(self, block: Block) -> None:
        if not block.info and block.language != "perf":
            return
        name = block.info or "block.perf"
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text("\n".join(block.lines) + "\n")
        if block.info:
            return
        self.ran += 1
        status, output = self.shell(f"perfc check {name}")
        if status != 0:
            self.fail(block.line, "`perfc check` does not accept this block\n" + "\n".join(output))

    def console(self, block: Block) -> None:
        status = re.fullmatch(r"status=(\d+)", block.info)
        if block.info and not status:
            self.fail(block.line, f"what is `{block.info}`?")
        commands = commands_of(block)
        for command in commands:
            self.ran += 1
            wanted = int(status[1]) if status and command is commands[-1] else 0
            got, output = self.shell(command.text)
            if got != wanted:
                self.fail(command.line, f"`{command.text}` ends with status {got}, not {wanted}\n" + "\n".join(output))
            elif self.update and not any("…" in line for line in command.expected):
                first = command.line + command.text.count("\n")
                self.changes.append((first, len(command.expected), [line.rstrip() for line in output]))
            elif not matches(command.expected, output):
                wide = ["  expected:", *command.expected, "  printed:", *output]
                self.fail(command.line, f"`{command.text}` prints something else\n" + "\n".join(wide))

    def run(self) -> int:
        for block in blocks_of("\n".join(self.lines)):
            if block.language in ("perf", "text"):
                self.file(block)
            elif block.language == "console":
                self.console(block)
        for first, count, lines in reversed(self.changes):
            self.lines[first : first + count] = lines
        if self.changes:
            self.path.write_text("\n".join(self.lines) + "\n")
        print(f"{self.path.name}: {self.ran} blocks and commands ran, {self.failures} failed")
        return 1 if self.failures or not self.ran else 0


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    sys.exit(Page(arguments[0], Path(arguments[1]), "--update" in sys.argv).run())
