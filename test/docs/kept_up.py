# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what README.md, CONTRIBUTING.md and docs/ leave out, or name though it is not there: folders, verbs of ./dev, commands, pages, headings."""
import os
import re
import subprocess
import sys

perfc, root = sys.argv[1:]


def read(path):
    return open(os.path.join(root, path)).read()


def differ(what, named, there):
    for name in sorted(there - named):
        print(f"{what}: `{name}` is left out")
    for name in sorted(named - there):
        print(f"{what}: there is no `{name}`")


def folders():
    files = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    names = files.stdout.split() if files.returncode == 0 else []
    return {name.split("/")[0] for name in names if "/" in name and not name.startswith(".")}


table = re.findall(r"^\| (`[^|]*) \|", read("README.md"), re.M)
named = {name.split("/")[0] for cell in table for name in re.findall(r"`([^`]+)`", cell)}
if folders():
    differ("README.md", named | {"cmake"}, folders())
verbs = set(re.findall(r"^#: (\w+)", read("dev"), re.M))
differ("CONTRIBUTING.md", set(re.findall(r"^    \./dev (\w+)", read("CONTRIBUTING.md"), re.M)), verbs)
help_text = subprocess.run([perfc, "--help"], capture_output=True, text=True).stdout
commands = set(re.findall(r"^  ([a-z]+)  ", help_text, re.M))
pages = {name for name in os.listdir(os.path.join(root, "docs")) if name.endswith(".md")}
text = "".join(read("docs/" + page) for page in sorted(pages))
differ("docs/", {name for name in commands if re.search(rf"perfc {name}\b", text)}, commands)
differ("docs/index.md", set(re.findall(r"\]\((\w[\w-]*\.md)", read("docs/index.md"))) | {"index.md"}, pages)
differ("README.md", set(re.findall(r"\]\(docs/([\w-]+\.md)", read("README.md"))), pages)
# Pages with programs and commands are run by a test.
shown = {page for page in pages if re.search(r"^```(perf|console|pycon)", read("docs/" + page), re.M)}
ran = {"diagnostics.md"} # by test/diagnostics
for test in ("test/docs/" + name for name in os.listdir(os.path.join(root, "test/docs")) if name.endswith(".test")):
    ran |= set(re.findall(r"run_blocks.py %perfc %docs/([\w-]+\.md)", read(test)))
ran |= set(re.findall(r"%docs/([\w-]+\.md)", read("test/python/documentation.py")))
differ("test/docs", ran & shown, shown)


def anchors(page):
    """What headings outside of code are called in a link, as GitHub and the site make it."""
    titles = re.findall(r"^#+ (.*)", re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()).replace(" ", "-") for title in titles}


for page in ["README.md", "CONTRIBUTING.md", *("docs/" + page for page in sorted(pages))]:
    for target, anchor in set(re.findall(r"\]\((?![a-z]+:)([^)#\s]*)#?([^)\s]*)\)", re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S))):
        path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
        if not os.path.exists(os.path.join(root, path)) or anchor and path.endswith(".md") and anchor not in anchors(path):
            print(f"{page}: there is no `{target}#{anchor}`")
print(len(verbs), "verbs,", len(commands), "commands")
