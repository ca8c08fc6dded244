# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where devices that were left out are foretold worse than a target: the median of their mean errors, in percent.

usage: devices_at_most.py DOCUMENT.json "FAMILY LEFT_OUT" PERCENT …
"""
import json
import sys


def main():
    path, *targets = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    found = {f"{one['family']} {one['left_out']}": one for family in document["families"] for one in family["foretold"]}
    failed = False
    for name, most in zip(targets[::2], targets[1::2]):
        one = found[name]
        print(f"{name}: {one['devices']} devices, {one['median_mape']:.3g} %")
        failed |= not 0 < one["median_mape"] <= float(most)
        failed |= not 0.7 <= one["covered"] <= 0.97
    sys.exit(failed)


main()
