# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares programs that `import maestro` wrote, run with --mode maestro, with a table of the tool's figures.

usage: maestro_mode.py PERFC TABLE.csv WORK
"""
import csv
import json
import subprocess
import sys
from pathlib import Path

program, table, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
work.mkdir(exist_ok=True)
KEYS = {"num_pes": "num_pes", "noc_bw_cstr": "noc_bw", "noc_hops": "noc_hops", "noc_hop_latency": "noc_hop_latency",
        "offchip_bw_cstr": "offchip_bw", "num_simd_lanes": "simd"}
WORDS = {"fills": "write", "reads": "read", "updates": "write"}
equal, total = 0, 0
for row in csv.DictReader(table.open()):
    if row["valid"] != "1":
        continue
    name = "random_mappings" if row["dataflow"] == "random" else row["dataflow"]
    hardware, layer = work / "hardware.m", work / "layer.perf"
    hardware.write_text("".join(f"{key}: {row[column]}\n" for key, column in KEYS.items()))
    subprocess.run([program, "import", "maestro", table.parent / "inputs" / f"{name}.m", "--hw", hardware, "-o", layer],
                   check=True)
    done = subprocess.run([program, "run", layer, "--mode", "maestro", "--json"], capture_output=True, check=True)
    result = next(r for r in json.loads(done.stdout)["results"] if r["name"] == row["layer"])
    got = {"runtime_cycles": result["metrics"]["cycles"]}
    for entry in result["accesses"]:
        tensor = {"input": "input", "weight": "filter", "output": "output"}[entry["role"]]
        for word, kind in WORDS.items():
            if entry[word] and entry["memory"] in ("L1", "L2"):
                got[f"{tensor}_{entry['memory'].lower()}_{kind}"] = entry[word]
    total += len(got)
    equal += sum(float(value) == float(row[column]) for column, value in got.items())
print(f"{equal} of {total} figures equal")
