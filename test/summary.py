# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums the ctest run and what it ran up in ctest's closing line; exits 1 if any failed or none passed.

usage: summary.py BUILD_DIR, which holds ctest.xml (JUnit) and the reports of the last `./dev test`: lit.json, and a
unit/NAME.json of GoogleTest for each entry unit.NAME. An entry with a report is counted by its parts.
"""
import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_FAILED = {"FAIL", "XPASS", "UNRESOLVED", "TIMEOUT"}


def parts(build: Path, name: str) -> tuple[int, int] | None:
    """Passed and failed tests of the report of entry NAME; None if it has none, as when it died."""
    if name == "lit" and (report := build / "lit.json").exists():
        codes = [test["code"] for test in json.loads(report.read_text())["tests"]]
        return sum(code in LIT_PASSED for code in codes), sum(code in LIT_FAILED for code in codes)
    if name.startswith("unit.") and (report := build / "unit" / f"{name.removeprefix('unit.')}.json").exists():
        result = json.loads(report.read_text())
        failed = result["failures"] + result["errors"]
        return result["tests"] - result["disabled"] - failed, failed
    return None


def count(build: Path) -> tuple[int, int]:
    """Passed and failed tests; skipped and unsupported ones count as neither."""
    passed = failed = 0
    for case in ElementTree.parse(build / "ctest.xml").getroot().iter("testcase"):
        ok = case.get("status") == "run"
        if not ok and case.get("status") != "fail" and case.find("failure") is None and case.find("error") is None:
            continue
        good, bad = parts(build, case.get("name")) or (int(ok), 0)
        passed, failed = passed + good, failed + (bad or int(not ok))
    return passed, failed


def main(build: str) -> int:
    try:
        passed, failed = count(Path(build))
    except (OSError, KeyError, ValueError, ElementTree.ParseError) as error:
        print(f"summary: {error}", file=sys.stderr)
        passed, failed = 0, 1
    total = passed + failed
    print(f"{100 * passed // total if total else 0}% tests passed, {failed} tests failed out of {total}")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
