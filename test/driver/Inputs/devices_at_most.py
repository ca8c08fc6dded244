# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where devices that were left out are predicted worse than a target: the median of their mean errors, in percent, and
where a share follows the mean of their rank correlations.

usage: devices_at_most.py DOCUMENT.json "FAMILY LEFT_OUT" PERCENT [CORRELATION] …
"""
import json
import sys


def main():
    path, *targets = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    families = document["families"] if "families" in document else [document]
    found = {f"{one['family']} {one['left_out']}": one for family in families for one in family["predicted"]}
    failed = False
    while targets:
        name, most = targets[0], float(targets[1])
        targets = targets[2:]
        one = found[name]
        rank = "-" if one["spearman"] is None else f"{one['spearman']:.3f}"  # devices of a few rows have none
        print(f"{name}: {one['devices']} devices, {one['median_mape']:.3g} %, {rank}")
        failed |= not 0 < one["median_mape"] <= most
        failed |= not 0.7 <= one["covered"] <= 0.97
        if targets and targets[0].startswith("0."):
            failed |= one["spearman"] < float(targets[0])
            targets = targets[1:]
    sys.exit(failed)


main()
