# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds each model of hf_configs.json from the keys of its config.json and compares parameters and MACs.

usage: check_configs.py PERFC hf_configs.json PROGRAM.perf; PROGRAM.perf is written. A key that the model's workload does
not have says nothing about its size and is left out.
"""
import json
import re
import subprocess
import sys

MODULES = ["std.families.hugging_face", "std.families.hugging_face_encoders"]
CHIP = """hardware counter {
  clock 1GHz
  dtype fp16
  memory DRAM { off_chip; bandwidth 1B/cycle }
  array lanes[1] { compute MAC { rate 1/cycle } }
}
"""
CONTEXT = 512


def parameters(perfc: str) -> dict[str, list[str]]:
    """The keys that the workload of each model type takes."""
    texts = [subprocess.run([perfc, "doc", module], capture_output=True, text=True).stdout for module in MODULES]
    heads = re.findall(r"^workload (\w+)\((.*?)\) from ", "\n".join(texts), re.M)
    return {name: re.findall(r"(?:^|,)\s*(\w+)", head) for name, head in heads}


def text(value) -> str:
    return json.dumps(value)  # numbers, strings and truth values are written alike


def main(perfc: str, table: str, program: str) -> int:
    models, lines, expected = json.load(open(table)), [], []
    known = parameters(perfc)
    for model in models:
        keys, expect = dict(model["config"]), model["expect"]
        kind = keys.pop("model_type")
        arguments = [f"{key} = {text(value)}" for key, value in keys.items() if key in known[kind]]
        linear, pair = expect["linear_macs_per_token"], expect["attn_macs_per_token_per_context_token"]
        # The published figure leaves out the sums of a token's experts, weighted by the router.
        chosen = keys.get("num_experts_per_tok", 0)
        linear += chosen * keys.get("hidden_size", 0) * (keys.get("num_hidden_layers", 0) - keys.get("first_k_dense_replace", 0))
        if kind == "bert":  # both directions, and the pooler on the first token
            hidden = keys["hidden_size"]
            cases = {"": CONTEXT * (linear + CONTEXT * pair) + hidden * hidden}
        else:
            cases = {".prefill": CONTEXT * linear + pair * CONTEXT * (CONTEXT + 1) // 2}
            if kind != "deepseek_v3":  # decodes with other products: attend_absorbed
                cases[".decode"] = linear + pair * CONTEXT
        for phase, macs in cases.items():
            call = ", ".join([f"context = {CONTEXT}"] + arguments)
            lines.append(f"evaluate {kind}{phase}({call}) on counter using roofline\n")
            expected.append((model["name"] + phase, expect["params_total"], macs))
    with open(program, "w") as file:
        file.write("".join(f"import {module}\n" for module in MODULES) + CHIP + "".join(lines))
    run = subprocess.run([perfc, "run", program, "--json"], capture_output=True, text=True)
    if run.stderr or run.returncode:
        print(run.stderr)
        return 1
    results = json.loads(run.stdout)["results"]
    wrong = abs(len(results) - len(expected))
    for (name, params, macs), result in zip(expected, results):
        for metric, is_, want in (("params", result["params"], params), ("macs", result["metrics"]["macs"], macs)):
            if is_ != want:
                print(f"{name}: {metric} is {is_}, not {want}")
                wrong += 1
    print(f"{len(models)} models, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
