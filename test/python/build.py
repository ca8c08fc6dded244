# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %package_python %s
"""Objects of the language built from Python."""
import unittest

import perfc


class Einsum(unittest.TestCase):
    def macs(self, equation, sizes, roles=()):
        op = perfc.einsum(equation, roles=roles)
        return perfc.compile(perfc.evaluate(op(**sizes), perfc.std("h100_sxm"))).run()[0]

    def test_counts_products(self):
        self.assertEqual(self.macs("mk,kn->mn", {"M": 2, "N": 3, "K": 5}, ("input", "weight"))["macs"].value, 30)
        self.assertEqual(self.macs("bhqe, bhke -> bhqk", {"B": 2, "H": 3, "Q": 4, "K": 5, "E": 6})["macs"].value, 720)
        self.assertEqual(self.macs("ij->i", {"I": 4, "J": 8})["flops"].value, 32)
        self.assertEqual(self.macs("i,i->i", {"I": 4})["flops"].value, 4)

    def test_refuses_what_is_none(self):
        for equation in ("mk,kn", "mk,kn->mx", "mk,kn->mm", "MK,KN->MN", "mk,,kn->mn", "->", "a b->c", "m1->m", "é->é"):
            with self.subTest(equation), self.assertRaises(ValueError):
                perfc.einsum(equation)
        with self.assertRaises(ValueError):
            perfc.einsum("mk,kn->mn", roles=("input",))


class Chips(unittest.TestCase):
    def test_are_texts(self):
        chip = perfc.hardware(
            "npu", perfc.memory("DRAM", off_chip=True, bandwidth="25.6GB/s", energy="4pJ/b"),
            perfc.memory("GLB", capacity="256KiB", energy={"read": "6pJ", "write": "7pJ"}, keep=["input", "output"]),
            perfc.array("PE", {"x": 16, "y": 8}, perfc.network(multicast=["x", "y"], reduce="y", energy={"hop": "0.1pJ"}),
                        perfc.unit("MAC", rate="1/cycle")), clock="1GHz", dtype="int8")
        self.assertEqual(str(chip), """hardware npu {
  clock 1GHz
  dtype int8
  memory DRAM {
    off_chip
    bandwidth 25.6GB/s
    energy 4pJ/b
  }
  memory GLB {
    capacity 256KiB
    energy { read 6pJ; write 7pJ }
    keep input, output
  }
  array PE[x = 16, y = 8] {
    network {
      multicast x, y
      reduce y
      energy { hop 0.1pJ }
    }
    compute MAC {
      rate 1/cycle
    }
  }
}""")
        self.assertEqual(perfc.check(chip), [])

    def test_come_from_the_library(self):
        self.assertEqual(str(perfc.std("h100_sxm")), "import std.hardware.h100.h100_sxm")
        self.assertIn("resnet50", [entry.name for entry in perfc.library("workload")])
        with self.assertRaisesRegex(LookupError, "has no `h101`"):
            perfc.std("h101")


class Programs(unittest.TestCase):
    def test_say_each_piece_once(self):
        op, chip = perfc.einsum("mk,kn->mn", name="product"), perfc.std("h100_sxm")
        program = perfc.join(perfc.evaluate(op(M=1, N=1, K=1), chip), perfc.evaluate(op(M=2, N=1, K=1), chip))
        self.assertEqual(str(program).count("op product"), 1)
        self.assertEqual([result["macs"].value for result in perfc.compile(program).run()], [1, 2])

    def test_have_workloads(self):
        matmul, relu = perfc.std("matmul"), perfc.std("relu")
        net = perfc.workload("mlp", batch=1)
        x = net.tensor("batch", 8, dtype="int8")
        hidden = net.call(relu, net.call(matmul, x, net.weight(8, 16)))
        mlp = net.returns(net.add(f"{net.call(matmul, hidden, net.weight(16, 8)).text} + {x.text}"))
        self.assertEqual(perfc.check(mlp), [])
        result, = perfc.compile(perfc.evaluate(mlp(batch=4), perfc.std("h100_sxm"), **{"as": "small"})).run()
        self.assertEqual((result["macs"].value, result.name), (2 * 4 * 8 * 16, "small"))

    def test_have_any_statement(self):
        op = perfc.einsum("mk,kn->mn", name="product")
        search = perfc.statement("search", op(M=4, N=4, K=4), perfc.std("eyeriss"), minimize="energy")
        self.assertTrue(perfc.compile(search).search()[0].search.is_proven)

    def test_point_at_mistakes(self):
        with self.assertRaisesRegex(perfc.Error, r"2:3: error\[PERF0300\]"):
            perfc.compile(perfc.hardware("h", speed=3))


if __name__ == "__main__":
    unittest.main()
