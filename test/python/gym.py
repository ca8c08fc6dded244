# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %package_python %s %examples/python
"""The environment for agents, and the agents of the example on it."""
import math
import pathlib
import random
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import perfc
from perfc.gym import Environment

EXAMPLES = pathlib.Path(sys.argv.pop())
sys.path.insert(0, str(EXAMPLES))
import agents  # noqa: E402

PROGRAM = """
import std.ops.matmul
import std.hardware.h100
param n = 4 in [1, 4, 16]
param k = 64
param way = fp16 in [fp8, fp16]
evaluate matmul(M = 64 * n, N = 4096, K = k * n, dtype = way) on h100_sxm
"""


class Environments(unittest.TestCase):
    def test_take_steps(self):
        environment = Environment(perfc.compile(PROGRAM), minimize="latency", steps=2, metrics=["traffic"])
        self.assertEqual((environment.parameters, environment.sizes), (["n", "way"], [3, 2]))
        observation, information = environment.reset(seed=1)
        self.assertEqual(information["point"], {"n": "4", "way": "fp16"})
        self.assertEqual(observation, [1, 1, information["traffic"]])
        observation, reward, terminated, truncated, information = environment.step([2, 0])
        expected = perfc.compile(PROGRAM, n=16, way="fp8").run()[0]
        self.assertEqual((reward, observation[2]), (-expected["latency"].value, expected["traffic"].value))
        self.assertEqual((terminated, truncated), (False, False))
        _, better, _, truncated, _ = environment.step((0, 0))
        self.assertTrue(truncated)
        self.assertGreater(better, reward)
        self.assertEqual(environment.best["point"], {"n": "1", "way": "fp8"})
        self.assertEqual(environment.history, [-reward, -better])
        environment.reset()
        self.assertEqual(environment.history, [])
        for wrong in ([0], [3, 0], [-1, 0]):
            with self.assertRaisesRegex(ValueError, "a number for each of n, way"):
                environment.step(wrong)
        with self.assertRaisesRegex(ValueError, "no parameter with a list"):
            Environment(perfc.compile("param n = 1\n"))
        with self.assertRaisesRegex(KeyError, "a result of `evaluate` has no metric `lateness`"):
            Environment(perfc.compile(PROGRAM), minimize="lateness")

    def test_say_what_does_not_fit(self):
        environment = Environment(perfc.compile(EXAMPLES / "design_space.perf"))
        observation, reward, _, _, information = environment.step([3, 3, 6, 3, 3])
        self.assertEqual(reward, -math.inf)
        self.assertIn("GLB holds 8KiB", information["problem"])
        self.assertTrue(math.isnan(observation[-1]))


class Agents(unittest.TestCase):
    def test_approach_what_the_search_proves(self):
        result, = perfc.compile(EXAMPLES / "design_search.perf").search()
        self.assertTrue(result.search.is_proven)
        environment = Environment(perfc.compile(EXAMPLES / "design_space.perf"), steps=60)
        start = environment.reset()[1]["value"]
        for name, agent in agents.AGENTS.items():
            with self.subTest(name):
                environment.reset()
                agent(environment, random.Random(1))
                self.assertEqual(len(environment.history), 60)
                self.assertEqual(environment.history, sorted(environment.history, reverse=True))
                self.assertLess(environment.best["value"], start / 10)
                # The search is over the same mappings: no agent finds a better one.
                self.assertGreaterEqual(environment.best["value"], result.search.value * (1 - 1e-9))

    def test_draw_what_they_found(self):
        agents.STEPS = 30
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "best.svg")
            agents.main(str(path))
            texts = [element.text for element in xml.etree.ElementTree.parse(path).iter() if element.text]
        for name in [*agents.AGENTS, "perfc search"]:
            self.assertIn(name, texts)


if __name__ == "__main__":
    unittest.main()
