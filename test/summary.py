# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums the ctest run and the lit run of a build folder up in ctest's closing line; exits 1 if any failed or none passed.

usage: summary.py BUILD_DIR, which holds ctest.xml (JUnit) and lit.json as written by the last `./dev test`. The ctest entry
`lit` stands for the whole lit suite and is counted by its parts.
"""
import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_FAILED = {"FAIL", "XPASS", "UNRESOLVED", "TIMEOUT"}


def count(build: Path) -> tuple[int, int]:
    """Passed and failed tests; skipped and unsupported ones count as neither."""
    passed = failed = 0
    for case in ElementTree.parse(build / "ctest.xml").getroot().iter("testcase"):
        ok, ran = case.get("status") == "run", case.get("status") in ("run", "fail")
        lit_json = build / "lit.json"
        if case.get("name") == "lit" and lit_json.exists():
            codes = [test["code"] for test in json.loads(lit_json.read_text())["tests"]]
            lit_failed = sum(code in LIT_FAILED for code in codes)
            passed += sum(code in LIT_PASSED for code in codes)
            failed += lit_failed or (0 if ok else 1)
        elif ran or case.find("failure") is not None or case.find("error") is not None:
            passed, failed = passed + ok, failed + (not ok)
    return passed, failed


def main(build: str) -> int:
    try:
        passed, failed = count(Path(build))
    except (OSError, ElementTree.ParseError) as error:
        print(f"summary: {error}", file=sys.stderr)
        passed, failed = 0, 1
    total = passed + failed
    print(f"{100 * passed // total if total else 0}% tests passed, {failed} tests failed out of {total}")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
