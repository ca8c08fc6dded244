# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %package_python %s
"""Spaces whose points are sums: as the program evaluates each point, and an error where they are none."""
import unittest

import perfc
from perfc.separable import Separable

#: Two layers, each with its window, and a choice between few multiply-accumulates and much to move.
LAYERS = """
import std.ops.{conv2d, relu}
param a = 1 in [1, 3, 5]
param b = 3 in [1, 3]
param c = 1 in [0, 1]
workload net(a, b, c) -> z, y {
  h = relu(conv2d(tensor[1, 8, 16, 16], weight[8, 8, a, a], pad = floor(a / 2)))
  z = conv2d(h, weight[8, 8, b, b], pad = floor(b / 2))
  if c == 0 {
    y = relu(tensor[64, 32, 32])
  } else {
    y = conv2d(tensor[1, 8, 16, 16], weight[8, 8, 1, 1])
  }
}
hardware phone {
  dtype fp32
  layers { convolution 4GFLOP/s; weights 1GB/s; activations 1GB/s; op 20us }
}
evaluate net(a, b, c) on phone
"""


class Spaces(unittest.TestCase):
    def setUp(self):
        self.program = perfc.compile(LAYERS)
        self.space = Separable(self.program, metrics=("latency", "macs"))
        points = self.program.sweep(a=[1, 3, 5], b=[1, 3], c=[0, 1])
        self.latencies, self.macs = points.column("latency").tolist(), points.column("macs").tolist()

    def test_each_point(self):
        (first, rows), = self.space.chunks()
        self.assertEqual((first, len(rows), len(self.space), self.space.sizes), (0, 12, 12, [3, 2, 2]))
        for number, (latency, macs) in enumerate(rows.tolist()):
            self.assertAlmostEqual(latency / self.latencies[number], 1, 12)
            self.assertAlmostEqual(macs / self.macs[number], 1, 12)
            self.assertEqual(self.space.point(number).values, {"latency": latency, "macs": macs})
        self.assertEqual(self.space.point(7).settings, {"a": "3", "b": "3", "c": "1"})
        with self.assertRaises(IndexError):
            self.space.point(12)

    def test_best(self):
        order = sorted(range(12), key=lambda number: (self.latencies[number], number))
        for count in (1, 2, 5, 12, 20):
            self.assertEqual([point.number for point in self.space.best(count)], order[:count])
        self.assertEqual(self.space.best(metric=1)[0].number, 0)
        self.assertNotEqual(order[0], 0)

    def test_front(self):
        points = list(zip(self.latencies, self.macs))
        beaten = [any(x <= a and y <= b and (x, y) != (a, b) for x, y in points) for a, b in points]
        self.assertEqual([point.number for point in self.space.front()],
                         sorted((n for n in range(12) if not beaten[n]), key=lambda n: points[n]))

    def test_many_chunks(self):
        """As many parts as are not added up at once: each chunk is one of the outer choices."""
        names = [f"p{i}" for i in range(9)]
        text = "import std.ops.relu\n" + "".join(f"param {name} = 1 in [1, 2, 3, 4]\n" for name in names)
        text += "workload net(" + ", ".join(names) + ") -> " + ", ".join(name + "y" for name in names) + " {\n"
        for name in names:
            text += f"  {name}y = relu(tensor[{name}, 64])\n"
        text += "}\nhardware phone { dtype fp32; layers { elements 1GB/s; op 1us } }\n"
        space = Separable(perfc.compile(text + "evaluate net(" + ", ".join(names) + ") on phone\n"), checks=8)
        sizes = [len(rows) for _, rows in space.chunks()]
        self.assertEqual(sizes, [4 ** 8] * 4)
        self.assertEqual([first for first, _ in space.chunks()], [0, 4 ** 8, 2 * 4 ** 8, 3 * 4 ** 8])
        self.assertEqual([point.number for point in space.best(3)], [0, 1, 4])
        expected = sum(1e-6 + 2 * 64 * 4 * 1e-9 for _ in names)
        self.assertAlmostEqual(space.best()[0].values["latency"] / expected, 1, 9)

    def test_no_sums(self):
        product = "import std.ops.matmul\nparam n = 1 in [1, 2]\nparam k = 64 in [64, 128]\n" \
                  "hardware phone { dtype fp32; layers { product 4GFLOP/s } }\nevaluate matmul(M = n, N = 64, K = k) on phone\n"
        with self.assertRaisesRegex(ValueError, "latency is no sum over the parameters"):
            Separable(perfc.compile(product))
        with self.assertRaisesRegex(ValueError, "energy has no value at the defaults"):
            Separable(self.program, metrics=["energy"])
        with self.assertRaisesRegex(ValueError, "no parameter with a list of values"):
            Separable(perfc.compile(product.replace(" in [1, 2]", "").replace(" in [64, 128]", "")))


unittest.main()
