# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the generated parts of pages of docs/: what stands between `<!-- begin NAME -->` and `<!-- end NAME -->`.

usage: generate.py PERFC [--check] PAGE.md…     --check only says what is out of date, and ends with status 1 then

Everything comes from what perfc prints about itself (`perfc doc`, `perfc list`), so the pages say what the compiler does.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

PART = re.compile(r"<!-- begin (\w+) -->\n(.*?)<!-- end \1 -->", re.DOTALL)


def perfc(program: str, *arguments: str) -> str:
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE).stdout.decode()


def code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def first_sentence(doc: str) -> str:
    line = re.split(r"(?<=\.)(?<!et al\.) ", doc.strip().replace("\n", " "), maxsplit=1)[0]
    return line.rstrip(".").replace("|", "\\|")


def module_doc(module: str) -> str:
    """The comment that a module's file begins with."""
    path = Path(__file__).parent.parent.joinpath("stdlib", *module.split(".")[1:]).with_suffix(".perf")
    comment = re.match(r"(?://[^\n]*\n)+", path.read_text())
    return re.sub(r"^// ?", "", comment[0], flags=re.MULTILINE) if comment else ""


def grammar(program: str) -> str:
    return f"```antlr\n{perfc(program, 'doc', '--grammar').strip()}\n```\n"


def words(program: str) -> str:
    return perfc(program, "doc", "--words").strip() + "\n"


def metrics(program: str) -> str:
    return perfc(program, "doc", "--metrics").strip() + "\n"


def library(program: str) -> str:
    """A row per module; then, for each folder of stdlib/, a row per declaration."""
    modules: dict[str, list[str]] = {}
    folders: dict[str, list[str]] = {}
    for entry in json.loads(perfc(program, "list", "--json"))["library"]:
        modules.setdefault(entry["module"], []).append(code(entry["name"]))
        signature = re.sub(r"^\w+ ", "", entry["signature"])
        row = f"| {entry['kind']} | {code(signature)} | {first_sentence(entry['doc'])} |"
        folders.setdefault(entry["module"].split(".")[1], []).append(row)
    text = "## Modules\n\n| module | what it is | brings |\n|---|---|---|\n"
    for module, names in modules.items():
        text += f"| `{module}` | {first_sentence(module_doc(module))} | {', '.join(names)} |\n"
    for folder, rows in folders.items():
        text += f"\n## {folder.capitalize()}\n\n| | declaration | what it is |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    return text


def model_types(program: str) -> str:
    """A row per module of types of Hugging Face, with the types."""
    modules: dict[str, list[str]] = {}
    for entry in json.loads(perfc(program, "list", "--json"))["library"]:
        if entry["module"].startswith("std.families.hugging_face.") and entry["kind"] == "workload":
            modules.setdefault(entry["module"], []).append(entry["name"])
    text = f"{sum(map(len, modules.values()))} types are there; `-` in a name is `_` here.\n\n| module | what it has | types |\n|---|---|---|\n"
    for module, names in modules.items():
        what = re.split(r",? by the `model_type`", first_sentence(module_doc(module)))[0]
        text += f"| `{module.rsplit('.', 1)[1]}` | {what} | {', '.join(sorted(names))} |\n"
    return text


PARTS = {"grammar": grammar, "words": words, "metrics": metrics, "library": library, "model_types": model_types}


def main(program: str, pages: list[str], check: bool) -> int:
    stale = 0
    for page in map(Path, pages):
        text = page.read_text()

        def fresh(match: re.Match) -> str:
            return f"<!-- begin {match[1]} -->\n{PARTS[match[1]](program)}<!-- end {match[1]} -->"

        for match in PART.finditer(text) if check else ():
            if match[0] != fresh(match):
                stale += 1
                print(f"{page}: the part `{match[1]}` is out of date; run docs/generate.py")
        if not check:
            page.write_text(PART.sub(fresh, text))
    return 1 if stale else 0


if __name__ == "__main__":
    words_given = [word for word in sys.argv[1:] if word != "--check"]
    if len(words_given) < 2:
        raise SystemExit(__doc__)
    sys.exit(main(words_given[0], words_given[1:], "--check" in sys.argv))
