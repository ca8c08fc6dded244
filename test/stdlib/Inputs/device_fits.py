# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the chips of std.hardware.snapdragons again: their figures, and the errors that their comments name.

device_fits.py PERFC ROOT FOLDER
"""
import csv
import pathlib
import re
import subprocess
import sys

DEVICES = {
    "snapdragon_8_elite_gen_5": "Snapdragon 8 Elite Gen 5 QRD", "snapdragon_8_gen_3": "Samsung Galaxy S24",
    "snapdragon_8_gen_2": "QCS8550 (Proxy)", "snapdragon_x_elite": "Snapdragon X Elite CRD",
    "dragonwing_iq_9075": "Dragonwing IQ-9075 EVK", "dragonwing_iq_8275": "QCS8275 (Proxy)", "sa8775p": "SA8775P ADP",
    "snapdragon_7_gen_4": "Snapdragon 7 Gen 4 QRD", "qcs6490": "Dragonwing RB3 Gen 2 Vision Kit"}
# The comment, the chip, what it is from, its precision and its figures.
CHIP = re.compile(r"// [^\n]*: (\d+) networks in \w+, ([\d.]+) % off \(([\d.]+)\)\.\n"
                  r"hardware (\w+) from ((hexagon_\w+)\((?:[^()]|\([^()]*\))*\)) \{\n  layers \{\n(.*?)\n  \}", re.S)

perfc, root, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
rows = list(csv.DictReader(open(root / "test/measured/aihub_latency.csv")))
good = 0
for count, error, left_out, name, base, family, figures in CHIP.findall((root / "stdlib/hardware/snapdragons.perf").read_text()):
    device, precision = name.rsplit("_", 1)
    wanted = {"device": DEVICES[device], "precision": precision, "runtime": "qnn_dlc", "compute_unit": "NPU"}
    mine = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    (folder / "measured.csv").write_text("workload,latency\n" + "".join(
        f'"network(""{row["model"]} {row["component"]}"")",{row["latency_ms"]}ms\n' for row in mine))
    (folder / "chip.perf").write_text(
        f"import std.hardware.{{{family}, hexagon_kernels}}\nfn network(name) = amounts_of(lookup(name, {family}_works))\n"
        f'hardware chip from {base} {{ calibrate "measured.csv" }}\n')
    text = subprocess.run([perfc, "calibrate", folder / "chip.perf", "-o", folder / "fitted.perf"], capture_output=True,
                          text=True, check=True).stdout
    errors = re.findall(r"\n  all +latency_ms +\d+ +[\d.]+ +([\d.]+)", text)
    found = re.search(r"  layers \{\n(.*?)\n  \}", (folder / "fitted.perf").read_text(), re.S).group(1)
    said = [f"{float(each):.2g}" for each in errors]
    if (len(mine), said, found) == (int(count), [error, left_out], figures):
        good += 1
    else:
        print(f"{name}: {len(mine)} networks, {said[0]} % off ({said[1]})\n{found}")
print(f"{good} chips as fitted")
