# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/diagnostics.md against the compiler: each declared diagnostic has a section, whose
failing example has exactly that diagnostic and whose fixed example has none.

    ```perf     a program: `perfc check` rejects it, or `perfc run`
    ```ir       textual IR; its first line, `// perfc opt net.ir …`, is the command
    ```console  `$ perfc …` lines and what they print, `…` standing for any text; a command with nothing
                below it may print anything. design.perf is there, as `perfc new` writes it
    ```yaml     sections of a Timeloop input; the others are those of docs/examples/timeloop_gemm.yaml
    ```text     not run: the kind is in ELSEWHERE; a fixed example of files that are not here, of which
                the lines `perfc …` are tried without them

usage: examples.py [--failing] PERFC TABLES DIAGNOSTICS.MD; --failing runs the failing examples alone
"""
import concurrent.futures
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

# Kinds that no short example shows: why, and the test (in test/) that shows them instead.
ELSEWHERE = {
    1: ("bytes that a text page cannot hold", "syntax/hostile.test"),
    8: ("takes thousands of brackets", "syntax/hostile.test"),
    9: ("takes thousands of operators", "syntax/hostile.test"),
    10: ("takes a million words", "syntax/hostile.test"),
    11: ("takes a page of mistakes", "syntax/hostile.test"),
    127: ("takes hundreds of definitions", "diagnostics/deep.test"),
    517: ("takes thousands of parts", "sema/growth.test"),
    652: ("takes a pass with a defect", "unit/passes/PassManagerTest.cpp"),
    724: ("takes a pass with a defect", "unit/ir/core/VerifierTest.cpp"),
    802: ("takes IR that no pass makes", "unit/backends/core/EvaluateTest.cpp"),
    803: ("takes IR that no pass makes", "unit/backends/core/EvaluateTest.cpp"),
    806: ("takes IR that no pass makes", "unit/backends/loopnest/LoopNestTest.cpp"),
    837: ("takes a table", "calibrate/groups.test"),
    847: ("takes a table", "calibrate/groups.test"),
    1012: ("takes an input that no reader makes", "unit/backends/loopnest/timeloop/EvaluateTest.cpp"),
    1017: ("takes counts that no small input has", "unit/backends/loopnest/timeloop/TilesTest.cpp"),
    1020: ("takes an input without a mapping", "import/timeloop/nodes_constraints.test"),
    1050: ("takes a table", "driver/validate_scalesim.test"),
    1058: ("takes an analysis with a defect", "unit/backends/loopnest/exact/CountVerifierTest.cpp"),
    1065: ("takes two files", "import/scale_sim.test"),
    1069: ("takes a table", "driver/validate_program.test"),
    1083: ("takes a file of MAESTRO", "unit/frontend/import/maestro/MappingFileTest.cpp"),
    925: ("needs a machine without the tool", "driver/tool.test"),
    926: ("needs another tool", "driver/tool.test"),
    930: ("needs another tool", "driver/tool_astra_sim.test"),
    1136: ("takes a text of the IR", "driver/run_modules.test"),
    1219: ("takes half a million nodes", "driver/replay.test"),
    1224: ("takes files of several ranks", "import/chakra_ranks.test"),
    1265: ("writes a folder", "emit/chakra.test"),
    1266: ("writes a folder", "emit/not_simulated.test"),
    1305: ("takes a file of requests", "serving/checks.test"),
    **{code: ("takes a model", "import/onnx/hostile.test") for code in (1450, 1451, 1452, 1457)},
    **{code: ("takes a model", "import/onnx/unknown.test") for code in (1453, 1454)},
    **{code: ("takes a model", "import/onnx/cnn.test") for code in (1455,)},
    1456: ("takes a model", "import/onnx/shapes.test"),
    1458: ("takes a model", "import/onnx/encoder.test"),
    1460: ("takes a model", "import/onnx/shapes.test"),
    1580: ("takes a model", "import/config/heads.test"),
    1590: ("takes a pipeline", "import/config/pipeline.test"),
    1595: ("takes an adapter", "import/config/adapter.test"),
    **{code: ("takes a model", "import/config/hf.test") for code in (1505, 1515, 1535, 1545, 1555, 1575, 1585)},
    **{code: ("takes a model", "import/config/headers.test") for code in (1525, 1565)},
    1201: ("takes files of several formats", "driver/run_chakra.test"),
    1202: ("takes files of several formats", "driver/run_chakra.test"),
    1203: ("takes files of several formats", "driver/run_chakra.test"),
    1205: ("takes files of several formats", "driver/run_chakra.test"),
    1210: ("takes files of several formats", "driver/run_chakra.test"),
    1211: ("takes files of several formats", "driver/run_chakra.test"),
    1212: ("takes files of several formats", "driver/run_chakra.test"),
    1213: ("takes files of several formats", "driver/run_chakra.test"),
    1214: ("takes files of several formats", "driver/run_chakra.test"),
    1215: ("takes files of several formats", "driver/run_chakra.test"),
    1216: ("takes files of several formats", "driver/run_chakra.test"),
    1217: ("takes files of several formats", "driver/run_chakra.test"),
    1218: ("takes files of several formats", "driver/run_chakra.test"),
}
EXPECT_FAILED = 920
NOT_THERE = {"PERF0900", "PERF1555"}
RUN = ("perf", "ir", "yaml", "console", "maestro")


def declared(path):
    """[(code, name, severity, message)] of the tables in the folder `path`."""
    text = ""
    for name in sorted(glob.glob(os.path.join(path, "*.def"))):
        with open(name, encoding="utf-8") as file:
            text += file.read()
    return [(int(code), name, severity, message) for name, code, severity, message in re.findall(
        r'^DIAG\((\w+), (\d+), (\w+), "(.*)"\)$', text, re.M)]


def sections(path):
    """{code: (name, [(language, text), …])} of the manual."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = {}
    for part in re.split(r"(?m)^## (?=PERF)", text)[1:]:
        code, name = re.match(r"PERF(\d{4}) (\w+)\n", part).groups()
        assert int(code) not in found, f"two sections for PERF{code}"
        found[int(code)] = (name, re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", part))
    return found


def timeloop_input(text):
    """The example input of the manual with the sections that `text` has instead of its own."""
    base = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "examples", "timeloop_gemm.yaml")
    with open(base, encoding="utf-8") as file:
        parts = [re.split(r"(?m)^(?=\w+:)", whole) for whole in (file.read(), text)]
    own = {part.split(":")[0]: part for part in parts[1] if part}
    return "".join(own.pop(part.split(":")[0], part) for part in parts[0]) + "".join(own.values())


def check_message(code, message):
    if message[0].isupper() and not message.startswith("`"):
        yield f"PERF{code:04}: the message begins with a capital"
    if message.endswith("."):
        yield f"PERF{code:04}: the message ends with a full stop"
    automatic = "{}" in message.replace("{{}}", "")
    if automatic and re.search(r"\{\d+\}", message):
        yield f"PERF{code:04}: fmt allows either {{}} or {{0}} in one message"


class Example:
    """Runs a block in a folder of its own: `status`, the `codes` reported, and `problem`, if any."""

    def __init__(self, perfc, block, whole):
        self.perfc, self.status, self.codes, self.problem = perfc, 0, [], ""
        language, text = block
        with tempfile.TemporaryDirectory() as self.folder:
            if language == "perf":
                self.write("example.perf", text)
                self.program("check", "example.perf")
                if whole and self.status == 0:
                    self.program("run", "example.perf")
            elif language == "yaml":
                self.write("input.yaml", timeloop_input(text))
                self.program("run", "--from", "timeloop", "--mode", "timeloop", "input.yaml")
            elif language == "maestro":
                self.write("example.m", text)
                self.program("import", "maestro", "example.m")
            elif language == "text":
                self.commands(text)
            elif language == "ir":
                self.write("net.ir", text)
                self.program(*shlex.split(text.split("\n")[0].removeprefix("// perfc ")))
            else:
                self.perfc_prints("new", "design.perf")
                self.console(text)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def perfc_prints(self, *arguments):
        done = subprocess.run([self.perfc, *arguments], cwd=self.folder, encoding="utf-8", timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.status = done.returncode
        return done.stdout

    def program(self, *arguments):
        done = subprocess.run([self.perfc, *arguments, "--diagnostics=json"], cwd=self.folder,
                              capture_output=True, text=True, timeout=120)
        reported = json.loads(done.stderr)["diagnostics"] if done.stderr.strip() else []
        self.status, self.codes = done.returncode, [entry["code"] for entry in reported]

    def commands(self, text):
        """Commands that would work if their files were there: nothing else may be wrong with them."""
        for command in re.findall(r"(?m)^perfc (.*)$", text):
            self.program(*shlex.split(command))
            if self.status == 2 and self.codes and set(self.codes) <= NOT_THERE:
                self.status, self.codes = 0, []

    def console(self, text):
        """The status and codes are those of the last command; the others end with 0."""
        for part in re.split(r"(?m)^\$ perfc ", text)[1:]:
            command, _, expected = part.partition("\n")
            if self.status != 0:
                self.problem = f"a command before `perfc {command}` exits {self.status}"
            printed = self.perfc_prints(*shlex.split(command))
            pattern = ".*".join(map(re.escape, expected.rstrip().split("…")))
            if expected.strip() and not re.fullmatch(pattern, printed.rstrip(), re.S):
                self.problem = f"`perfc {command}` prints\n{printed}"
            self.codes = re.findall(r"(?:error|warning)\[(PERF\d{4})\]", printed)


def check_section(perfc, code, severity, blocks, failing_only):
    name = f"PERF{code:04}"
    if code not in ELSEWHERE:
        failing = Example(perfc, blocks[0], True)
        wanted = 0 if severity == "Warning" else 1 if code == EXPECT_FAILED else 2
        if failing.problem or failing.status != wanted or failing.codes != [name]:
            yield f"{name}: the failing example exits {failing.status} with {failing.codes} {failing.problem}"
    if failing_only:
        return
    # What only evaluation finds is fixed when evaluation finds nothing.
    fixed = Example(perfc, blocks[1], code >= 800)
    if fixed.problem or fixed.status != 0 or fixed.codes:
        yield f"{name}: the fixed example exits {fixed.status} with {fixed.codes} {fixed.problem}"


def check_elsewhere(code, name, tests):
    """The test that stands for an example exists and speaks of the kind."""
    try:
        with open(os.path.join(tests, ELSEWHERE[code][1]), encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        yield f"PERF{code:04}: {error}"
        return
    if not re.search(rf'PERF{code:04}|\b{name}\b|"{code}@', text):
        yield f"PERF{code:04}: {ELSEWHERE[code][1]} does not mention it"


def check_blocks(code, languages):
    if len(languages) != 2:
        yield f"PERF{code:04}: a section has a failing and a fixed example"
    elif languages[1] not in (*RUN, "text") or languages[0] not in (*RUN, "text"):
        yield f"PERF{code:04}: an example is one of {', '.join(RUN)}"
    elif (languages[0] == "text") != (code in ELSEWHERE):
        yield f"PERF{code:04} is shown by a failing example or listed in ELSEWHERE, not both"


def check(kinds, manual, tests):
    for code, name, _, message in kinds:
        yield from check_message(code, message)
        if code in ELSEWHERE:
            yield from check_elsewhere(code, name, tests)
        if code not in manual:
            yield f"PERF{code:04} {name} has no section"
        elif manual[code][0] != name:
            yield f"PERF{code:04} is {name}, not {manual[code][0]}"
        else:
            yield from check_blocks(code, [language for language, _ in manual[code][1]])
    known = {kind[0] for kind in kinds}
    yield from (f"PERF{code:04} is not declared" for code in [*manual, *ELSEWHERE] if code not in known)
    if list(manual) != sorted(manual):
        yield "the sections are not sorted by code"


def main():
    failing_only = sys.argv[1] == "--failing"
    perfc, declarations, page = sys.argv[1 + failing_only:]
    perfc = os.path.abspath(perfc)
    kinds, manual = declared(declarations), sections(page)
    problems = list(check(kinds, manual, os.path.join(os.path.dirname(declarations), "../../test")))

    def problems_of(kind):
        code, _, severity, _ = kind
        return list(check_section(perfc, code, severity, manual[code][1], failing_only))

    if not problems:
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            problems = [problem for found in pool.map(problems_of, kinds) for problem in found]
    print("\n".join(problems) or f"{len(manual)} diagnostics explained")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
