# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one mistake at a time in a good input and looks at what perfc says.

usage: mistakes.py PERFC INPUT.yaml. A mistake is (what to replace, by what, the code, part of the message); the status must
be 2, the message have a place, and the answer come within seconds.
"""
import re
import subprocess
import sys
import tempfile

BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60)) + "mapping: *a59\n"
MERGES = ("b0: &b0 {" + ", ".join(f"k{i}: 1" for i in range(4000)) + "}\n"
          "b1:\n" + "".join("- {<<: [*b0, *b0, *b0, *b0]}\n" for _ in range(2000)))

# A saving on Z at the buffer that happens less often than the one at the DRAM.
SAVINGS = """K: 8, densities: {A: {distribution: hypergeometric, density: 0.25}, B: {distribution: hypergeometric, density: 0.9}}}
sparse_optimizations:
  targets:
  - {name: DRAM, action_optimization: [{type: skipping, options: [{target: Z, condition_on: [A]}]}]}
  - {name: Buffer, action_optimization: [{type: skipping, options: [{target: Z, condition_on: [B]}]}]}
mapping:
- {target: DRAM, type: temporal, factors: M=8 N=8 K=8, permutation: NMK}
- {target: Buffer, type: temporal, factors: M=1 N=1 K=1, permutation: KNM}
rest:
"""

MISTAKES = [
    ("M=2 N=2 K=4", "M=3 N=2 K=4", 1009, "the factors of `M` cover 12, its size is 8"),
    ("M=2 N=2 K=4", '"M=2,3 N=2 K=4"', 1008, "the factor `M=2,3` cannot be read: the last pass does 1 to 2"),
    ("M=2 N=2 K=4", "M=2 N=2 K=", 1008, "the factor `K=` cannot be read"),
    ("M=2 N=2 K=4", "M=2 N=2 Q=4", 1006, "there is no dimension `Q`"),
    ("M=2 N=2 K=4", "M=2 N=2 K=99999999999999999999", 1008, "cannot be read"),
    ("M=2 N=2 K=4", "M=4 N=4 K=8", 1009, "the factors of `M` cover 16"),
    ("permutation: KNM}\n- {target: Buffer", "permutation: KNN}\n- {target: Buffer", 1002, "`N` is given twice"),
    ("target: DRAM", "target: HBM", 1006, "there is no memory `HBM`"),
    ("type: spatial", "type: spacial", 1006, "there is no type of directive `spacial`"),
    ("type: spatial", "type: temporal", 1002, "`temporal loops of Buffer` is given twice"),
    ("target: DRAM, ", "", 1003, "`target` is missing in a directive of the mapping"),
    ("split: 1", "split: 2", 1011, "`MAC` is an array of 2 x 2; the mapping uses 4 x 1 of it"),
    ("meshX: 2", "meshX: 3", 1010, "a mesh of width 3 of `MAC` does not divide its 4 instances"),
    ("meshX: 2", "meshX: 0", 1005, "`0` cannot stand here: a whole number of at least 1 is needed"),
    ("PE[0..3]", "PE[3..0]", 1005, "a range such as [0..15] is needed"),
    ("name: chip", "name: chip[0..2]", 1010, "is no multiple of"),
    ("depth: 256", "depth: 40", 1013, "`Buffer` holds 40 words; the mapping needs 48: A 16 + B 16 + Z 16"),
    ("depth: 256", "depth: -1", 1005, "`-1` cannot stand here"),
    ("depth: 256", "depth: 256, min_utilization: 0.5", 1014, "`Buffer` must be filled to 0.5"),
    ("depth: 256", "depth: 256, multiple_buffering: 0.5", 1005, "a number of at least 1 is needed"),
    ("depth: 256", "depth: 256, power_gated_at: DRAMS", 1006, "there is no memory `DRAMS`"),
    ("depth: 256", "depth: 256, vector_access_energy: 3", 1007, "not modelled: the attribute vector_access_energy"),
    ("depth: 256", "depth: 256, allow_overbooking: true", 1007, "not modelled: the attribute allow_overbooking"),
    ("read_bandwidth: 4", "read_bandwidth: 0", 1005, "a number above 0 is needed"),
    ("read_bandwidth: 4", "read_bandwidth: fast", 1005, "`fast` cannot stand here"),
    ("class: intmac", "klass: intmac", 1003, "`class` is missing in `MAC`"),
    ("name: read, energy: 4", "name: reed, energy: 4", 1015, "the ERT of `Buffer` has no energy for `read`"),
    ("M: 8", "M: 0", 1005, "`0` cannot stand here: a whole number of at least 1 is needed"),
    ("M: 8, ", "", 1003, "`M` is missing in the problem's instance"),
    ("M: 8", "M: 1099511627776", 1009, "its size is 1099511627776"),
    ("M: 8, N: 8, K: 8", "M: 8, N: 8, K: 99999999999999999999", 1005, "a whole number that fits 64 bits is needed"),
    ("M: 8, N: 8, K: 8", "M: 8, N: 8, K: 9223372036854775808", 1005, "a whole number that fits 64 bits is needed"),
    ("M: 8, N: 8, K: 8", "M: 8, N: 8, K: 9223372036854775807", 1005, "a size up to 2^40 is needed"),
    ("M: 8, N: 8, K: 8", "M: 8, N: 8, K: eight", 1005, "a whole number of at least 1 is needed"),
    ("dimensions: [M, N, K]", "dimensions: [M, N, K, K]", 1002, "`K` is given twice"),
    ("[[M]], [[K]]", "[[M]], [[Q]]", 1006, "there is no dimension `Q`"),
    ("[[M]], [[K]]", "[[M]], [[K, stride]]", 1006, "there is no coefficient `stride`"),
    ("[[M]], [[K]]", "[[M]], [[K, a, b]]", 1004, "a dimension and perhaps a coefficient"),
    ("problem:", "problem: 3\nother:", 1004, "`problem` must be a map of keys and values, not a single value"),
    ("problem:", "problem: [", 1000, "this is no YAML"),
    ("problem:", "architecture:\n  version: 1\nproblem:", 1002, "`architecture` is given twice"),
    ("mapping:", "x: *nothing\nmapping:", 1000, "this is no YAML"),
    ("mapping:", "x: &x [*x]\nmapping:", 1000, "this is no YAML"),
    ("mapping:", "x: " + "[" * 5000 + "]" * 5000 + "\nmapping:", 1001, "is nested more than 100 deep"),
    ("mapping:", "[M, N]: 3\nmapping:", 1000, "a key must be a plain word"),
    ("M=2 N=2 K=2", "M=2 N=2 K=2 M=2", 1002, "`M` is given twice"),
    ("target: DRAM, type: temporal,", "target: Buffer, type: bypass, keep: [A], bypass: [B, A]}\n- {target: DRAM, type: temporal,", 1002,
     "`A` is given twice"),
    ("mapping:\n", "---\nmapping:\n", 1001, "has more than one document"),
    ("mapping:\n", BOMB + "rest:\n", 1004, "a directive of the mapping must be"),
    ("mapping:\n", MERGES + "mapping:\n", 1001, "merges too many values"),
    ("mapping:\n", "big: [" + ("[" + "1, " * 4000 + "1], ") * 300 + "1]\nmapping:\n", 1001, "has more than a million values"),
    ("mapping:\n", "long: [" + "1, " * 4096 + "1]\nmapping:\n", 1001, "has a list of more than 4096 values"),
    ("mapping:\n", "# " + "x" * (5 << 20) + "\nmapping:\n", 1001, "is larger than 4 MiB"),
    ("K: 8}\nmapping:\n", SAVINGS, 1007, "a saving on `Z` at `Buffer` that happens less often than the one further out"),
]


def run(perfc, text):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        return subprocess.run([perfc, "run", "--from", "timeloop", "--mode", "timeloop", file.name],
                              capture_output=True, text=True, timeout=120)


def main(perfc, path):
    good = open(path, encoding="utf-8").read()
    for old, new, code, message in MISTAKES:
        assert old in good, old
        done = run(perfc, good.replace(old, new, 1))
        located = re.search(rf"\.yaml:\d+:\d+: error\[PERF{code}\]: (.*)", done.stderr)
        if done.returncode != 2 or not located or message not in located[1]:
            print(f"WRONG {new[:60]!r}: status {done.returncode}, {done.stderr[:300]}")
    for cut in range(0, len(good), max(1, len(good) // 60)):  # a truncated file is an input or a located error
        done = run(perfc, good[:cut])
        if done.returncode not in (0, 2) or (done.returncode == 2 and "error[PERF" not in done.stderr):
            print(f"WRONG cut at {cut}: status {done.returncode} {done.stderr[:300]}")
    print(f"{len(MISTAKES)} mistakes reported")


main(*sys.argv[1:])
