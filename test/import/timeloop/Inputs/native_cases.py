# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nests that were executed step by step, written as Timeloop inputs and counted by perfc in native mode: the counts must be
those of the execution. Left out are nests that Timeloop has no words for (a dimension twice at one place, an array in an array,
negative coefficients, a dimension of no tensor).

usage: native_cases.py PERFC FOLDER COUNT
"""
import json
import string
import subprocess
import sys
import tempfile
from pathlib import Path


def last_passes(case):
    """Per place and dimension, the iterations of the last pass."""
    order = [entry.get("memory", entry.get("array")) for entry in case["hierarchy"]]
    loops = [(place, dim, factor) for place in order for dim, factor in case["mapping"].get(place, [])]
    step, passes = {dim: 1 for dim in case["dims"]}, {}
    for place, dim, factor in reversed(loops):
        passes[place, dim] = ((case["dims"][dim] - 1) // step[dim]) % factor + 1
        step[dim] *= factor
    return passes


def levels_of(case):
    """Each memory with the array below it; nothing where two arrays follow each other."""
    levels = []
    for entry in case["hierarchy"]:
        if "memory" in entry:
            levels.append([entry, None])
        elif levels[-1][1] is None:
            levels[-1][1] = entry["array"]
        else:
            return None
    return levels


def translatable(case):
    for loops in case["mapping"].values():
        dims = [dim for dim, factor in loops if factor > 1]
        if len(set(dims)) != len(dims):
            return False
    used = {dim for ranks in case["tensors"].values() for rank in ranks for dim in rank}
    if not used >= {dim for dim, size in case["dims"].items() if size > 1}:
        return False
    coefficients = [c for ranks in case["tensors"].values() for rank in ranks for c in rank.values()]
    return levels_of(case) is not None and min(coefficients) >= 0


def architecture(case, levels):
    text, indent, mesh, actions = "architecture:\n  version: 0.4\n  subtree:\n", "  ", 1, []
    for number, (memory, array) in enumerate(levels):
        name = memory["memory"] + (f"[0..{mesh - 1}]" if mesh > 1 else "")
        kind = "class: SRAM, attributes: {depth: 1000000, " if number else "class: DRAM, attributes: {"
        text += f"{indent}- name: n{number}\n{indent}  local:\n{indent}  - {{name: '{name}', {kind}datawidth: 8, width: 8, meshX: {mesh}}}}}\n"
        actions.append(f"  - {{name: {memory['memory']}, actions: [" + ", ".join(f"{{name: {a}, energy: 1}}" for a in ("read", "write", "update", "leak")) + "]}\n")
        for _, factor in case["mapping"].get(array, []):
            mesh *= factor
        indent += "  "
        text += f"{indent}subtree:\n"
    name = "MACs" + (f"[0..{mesh - 1}]" if mesh > 1 else "")
    text += f"{indent}- name: lanes\n{indent}  local:\n{indent}  - {{name: '{name}', class: intmac, attributes: {{datawidth: 8, meshX: {mesh}}}}}\n"
    return text + "ERT:\n  version: 0.4\n  tables:\n" + "".join(actions) + "  - {name: MACs, actions: [{name: compute, energy: 1}, {name: leak, energy: 0}]}\n"


def problem(case, letters):
    coefficients, spaces = {}, ""
    for tensor in sorted(case["tensors"], key=lambda name: name == case["output"]):
        ranks = []
        for rank in case["tensors"][tensor]:
            terms = []
            for dim, factor in rank.items():
                if dim == "1":
                    continue
                if factor != 1:
                    coefficients[f"k{factor}"] = factor
                terms.append(f"[{letters[dim]}]" if factor == 1 else f"[{letters[dim]}, k{factor}]")
            if terms:
                ranks.append("[" + ", ".join(terms) + "]")
        spaces += f"    - {{name: {tensor}, projection: [{', '.join(ranks)}]" + (", read_write: true}\n" if tensor == case["output"] else "}\n")
    text = f"problem:\n  version: 0.4\n  shape:\n    name: Nest\n    dimensions: [{', '.join(letters.values())}]\n    data_spaces:\n{spaces}"
    if coefficients:
        text += "    coefficients:\n" + "".join(f"    - {{name: {name}, default: {value}}}\n" for name, value in coefficients.items())
    return text + "  instance: {" + ", ".join(f"{letters[dim]}: {size}" for dim, size in case["dims"].items()) + "}\n"


def mapping(case, levels, letters):
    text, passes = "mapping:\n", last_passes(case)
    for memory, array in levels:
        for place, kind in ((memory["memory"], "temporal"), (array, "spatial")):
            if place is None:
                continue
            loops = [(dim, factor) for dim, factor in case["mapping"].get(place, []) if factor > 1]
            factors = dict(loops)
            words = [f"{letters[dim]}={factors.get(dim, 1)}" + (f",{passes[place, dim]}" if passes.get((place, dim), 1) != factors.get(dim, 1) else "")
                     for dim in case["dims"]]
            order = [dim for dim, _ in reversed(loops)]
            order += [dim for dim in case["dims"] if dim not in order]
            split = f", split: {len(order)}" if kind == "spatial" else ""
            text += f"- {{target: {memory['memory']}, type: {kind}, factors: '{' '.join(words)}', permutation: {''.join(letters[dim] for dim in order)}{split}}}\n"
        passed = [tensor for tensor in case["tensors"] if tensor not in memory["keep"]]
        if passed:
            text += f"- {{target: {memory['memory']}, type: bypass, keep: [{', '.join(memory['keep'])}], bypass: [{', '.join(passed)}]}}\n"
    return text


COLUMNS = {"fills": "fills", "max_resident": "max_resident", "writebacks": "writebacks", "reads_multicast": "reads_shared",
           "reads_unicast": "reads_separate", "reads_reduced": "reads_shared", "reads_unreduced": "reads_separate",
           "updates_reduced": "updates_shared", "updates_unreduced": "updates_separate"}


def main():
    perfc, folder, most = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    equal = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "input.yaml"
        for file in sorted(folder.glob("*.json")):
            document = json.loads(file.read_text())
            case, expected = document["case"], document["expected"]
            if count == most or not translatable(case):
                continue
            count += 1
            free = iter(letter for letter in string.ascii_uppercase if letter not in case["tensors"])
            letters = {dim: next(free) for dim in case["dims"]}
            levels = levels_of(case)
            path.write_text(architecture(case, levels) + problem(case, letters) + mapping(case, levels, letters))
            done = subprocess.run([perfc, "run", path, "--from", "timeloop", "--json"], capture_output=True, text=True, timeout=60)
            if done.returncode:
                print(file.name, done.stderr)
                continue
            rows = {(row["memory"], row["tensor"]): row for row in json.loads(done.stdout)["results"][0]["accesses"]}
            wrong = [(memory, tensor, column) for memory, held in expected["memories"].items() for tensor, figures in held["tensors"].items()
                     for column, figure in figures.items() if rows[memory, tensor][COLUMNS[column]] != figure]
            equal += not wrong
            if wrong:
                print(file.name, wrong)
    print("all equal" if equal == count else f"{equal} of {count} equal", "of", count, "nests")


main()
