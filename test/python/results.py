# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %package_python %s
"""Results as lists, columns, frames and pages; sweeps and their failures."""
import gc
import sys
import types
import unittest
import xml.etree.ElementTree

import numpy
import pandas

import perfc
from perfc import charts
from perfc.parts import kernels

SIZES = """
import std.ops.matmul
import std.hardware.h100
param n = 64
param way = fp16 in [fp8, fp16]
evaluate matmul(M = n, N = 64, K = 64, dtype = way) on h100_sxm using roofline
"""
#: Tiles of more than 4 rows do not fit.
TILES = """
import std.ops.matmul
param rows = 1 in [1, 2, 4, 8]
hardware npu {
  clock 1GHz
  dtype int8
  memory DRAM { bandwidth 8B/cycle; energy 100pJ }
  memory GLB { capacity 128B; bandwidth 32B/cycle; energy 6pJ }
  compute MAC { rate 1/cycle; energy 0.2pJ }
}
mapping tiles for matmul on npu {
  at DRAM for m = rest, n = rest, k = rest
  at GLB for m = rows, n = rows, k = 8
}
evaluate matmul(M = 8, N = 8, K = 8) on npu with tiles
"""


class Sweeps(unittest.TestCase):
    def test_run_every_combination(self):
        program = perfc.compile(SIZES)
        results = program.sweep(n=[32, 64, 128], way=["fp8", "fp16"])
        self.assertEqual([result.point for result in results],
                         [{"n": n, "way": way} for n in (32, 64, 128) for way in ("fp8", "fp16")])
        self.assertEqual(results.column("macs").tolist(), [n * 64 * 64 for n in (32, 32, 64, 64, 128, 128)])
        self.assertEqual(program.run()[0]["macs"].value, 64 ** 3)  # as before
        self.assertEqual(len(program.sweep(n=[])), 0)
        for wrong in ({"way": "fp16"}, {"n": 5}):  # no letters of a word, no single value
            with self.assertRaisesRegex(TypeError, f"a sweep takes several values of `{next(iter(wrong))}`"):
                program.sweep(**wrong)
        self.assertEqual(repr(program), "Program(n, way)")

    def test_run_those_of_the_program(self):
        program = perfc.compile(SIZES + "sweep m in [1, 2] { evaluate matmul(M = m, N = n, K = 1) on h100_sxm }\n")
        results = program.sweep()
        self.assertEqual(results.setting("m").tolist(), [1, 2])
        self.assertEqual(len(program.run()), 3)
        with self.assertRaisesRegex(perfc.Error, "`program.perf` has none"):
            perfc.compile(SIZES).sweep()

    def test_keep_what_fails(self):
        results = perfc.compile(TILES).sweep(rows=[1, 2, 4, 8])
        self.assertEqual([result.point["rows"] for result in results], [1, 2, 4])
        failure, = results.failures
        self.assertEqual(failure.point, {"rows": 8})
        self.assertIn("GLB holds 128B; this tile needs 192B", failure.text)
        self.assertTrue(repr(results).endswith(", 1 failed: see failures)"), repr(results))
        self.assertIn("<p>1 failed: see failures</p>", results._repr_html_())
        results = perfc.compile(TILES).sweep(rows=[1, 3])  # no value of the parameter
        self.assertEqual((len(results), results.failures[0].point), (1, {"rows": 3}))
        with self.assertRaisesRegex(perfc.Error, "GLB holds 128B"):
            perfc.compile(TILES).sweep(rows=[8])


class Columns(unittest.TestCase):
    def test_show_memory_in_place(self):
        results = perfc.compile(SIZES).sweep(n=range(1, 101))
        column = results.column("latency")
        self.assertEqual((column.dtype, column.shape), (numpy.dtype("float64"), (100,)))
        self.assertFalse(column.flags.owndata or column.flags.writeable)
        self.assertTrue(numpy.shares_memory(column, results.column("latency")))
        expected = [result["latency"].value for result in results]
        del results
        gc.collect()
        self.assertEqual(column.tolist(), expected)

    def test_have_no_number_where_there_is_none(self):
        results = perfc.compile(SIZES).sweep(n=[1, 2])
        self.assertTrue(numpy.isnan(results.column("bus_bandwidth")).all())
        with self.assertRaisesRegex(KeyError, "no result has a metric `no_metric`; they have latency, energy"):
            results.column("no_metric")
        with self.assertRaisesRegex(KeyError, "no result has a setting `m`; they have n"):
            results.setting("m")
        self.assertEqual(perfc.compile(SIZES).sweep(n=[]).column("latency").tolist(), [])
        self.assertEqual(results.half_widths("macs").tolist(), [0, 0])

    def test_become_frames(self):
        results = perfc.compile(SIZES).sweep(n=[1, 2], way=["fp8", "fp16"])
        frame = results.to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(frame["n"].tolist(), [1, 1, 2, 2])
        self.assertEqual(frame["way"].tolist(), ["fp8", "fp16"] * 2)
        self.assertEqual(frame["bottleneck"].tolist(), ["launch"] * 4)
        self.assertEqual(frame["macs"].sum(), 6 * 64 * 64)
        self.assertTrue(frame["bus_bandwidth"].isna().all())

    def test_go_to_polars(self):
        given = {}
        stand_in = types.ModuleType("polars")  # Debian has no Polars
        stand_in.DataFrame = lambda columns: given.update(columns)
        sys.modules["polars"] = stand_in
        self.addCleanup(sys.modules.pop, "polars")
        perfc.compile(SIZES).sweep(n=[1, 2]).to_polars()
        self.assertEqual(given["n"].tolist(), [1, 2])

    def test_are_lists(self):
        results = perfc.compile(SIZES).sweep(n=[1, 2, 3])
        self.assertEqual(results[-1].point["n"], 3)
        self.assertEqual([result.point["n"] for result in results[1:]], [2, 3])
        with self.assertRaises(IndexError):
            results[3]
        self.assertEqual([one["point"] for one in results.to_dict()], [{"n": 1}, {"n": 2}, {"n": 3}])
        self.assertIn("matmul(M = 1, N = 64, K = 64, dtype = fp16) on h100_sxm", repr(results))


class Pages(unittest.TestCase):
    def parts(self, html):
        """The page, which is well-formed, by the names of its elements."""
        root = xml.etree.ElementTree.fromstring(f"<div>{html}</div>")
        return [element.tag.rsplit("}")[-1] for element in root.iter()], "".join(root.itertext())

    def test_show_one_result(self):
        results = perfc.compile("import std.workloads.resnet50\nimport std.hardware.a100\n"
                                "evaluate resnet50(batch = 32) on a100_sxm_80gb using roofline\n").run()
        tags, text = self.parts(results._repr_html_())
        self.assertEqual(tags.count("svg"), 2)  # a roofline and a timeline
        parts = list(kernels(results[0].breakdown))
        self.assertEqual(sum(part.count * runs for part, runs in parts), 56)  # as the command counts them
        self.assertAlmostEqual(sum(part.latency * runs for part, runs in parts), results[0]["latency"].value)
        self.assertEqual(tags.count("circle"), len(parts))
        self.assertEqual(tags.count("rect"), len(parts) + len({part.bound for part, _ in parts}))
        self.assertIn("1.277 ms", text)
        self.assertIn("826 mm2", text)
        self.assertIn("118.5 W", text)
        self.assertIn("FLOP per byte of HBM", text)
        self.assertIn("memory HBM", text)

    def test_draw_the_roof_where_it_is(self):
        result, = perfc.compile(TILES).run()
        roof = charts.roofline(result)
        root = xml.etree.ElementTree.fromstring(roof)
        title = [element.text for element in root.iter() if element.tag.endswith("title")][1]
        # 1024 FLOP in 512 cycles, and the bytes that DRAM moves.
        moved = result.memories[0].read_bytes + result.memories[0].write_bytes
        self.assertEqual(title, f"matmul_1: {1024 / moved:.4g} FLOP/B, 2 GFLOP/s")

    def test_show_many_results(self):
        tags, text = self.parts(perfc.compile(SIZES).sweep(n=range(1, 51))._repr_html_())
        self.assertEqual(tags.count("tr"), 41)
        self.assertIn("10 more", text)
        self.assertNotIn("area", text)  # which is the same everywhere

    def test_escape_texts(self):
        program = perfc.compile("import std.hardware.h100\nop less(a[N]) -> b[N] { b[n] = a[n] }\n"
                                "evaluate less(N = 4) on h100_sxm { expect latency < 1s }\n")
        self.assertIn("less(N = 4)", self.parts(program.run()[0]._repr_html_())[1])


if __name__ == "__main__":
    unittest.main()
