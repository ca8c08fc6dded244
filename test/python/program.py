# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %package_python %s
"""Programs from Python: compiled, checked, run, searched; what they find, and what is wrong with them."""
import pathlib
import pickle
import signal
import tempfile
import threading
import time
import unittest

import perfc

PRODUCT = """
import std.ops.matmul
import std.hardware.h100
// How many rows.
param n = 64 in 1..4096
param rate = 2TB/s +- 10%
hardware chip from h100_sxm { memory HBM { bandwidth rate } }
evaluate matmul(M = n, N = 64, K = 64) on chip using roofline as one { expect macs >= 64 * 64 * 64; report latency, macs by kernel }
"""
#: The best mapping of it is not proven within a minute.
LONG_SEARCH = """
import std.ops.conv2d
import std.hardware.simba
mapspace open for conv2d on simba { factors imperfect; keep any }
search conv2d(N = 1, M = 128, C = 128, P = 28, Q = 28, R = 3, S = 3) on simba with open { minimize edp; within 60s }
"""
#: A thousand strategies are tried.
MANY_STRATEGIES = """
import std.workloads.llama3
import std.hardware.h100
import std.networks
system cluster {
  node = 8 * h100_sxm over nvswitch { bandwidth 450GB/s/chip; latency 1us }
  all = 128 * node over infiniband { bandwidth 50GB/s/chip; latency 2us }
}
train llama3_8b on cluster {
  parallel   tensor = any, pipeline = any, data = any, sequence = any
  microbatch any
  recompute any
  batch      4096
  context    8192
  minimize   step_time * memory.peak
  within     60s
}
"""
#: Many rates are tried with many requests.
LONG_RATE = """
import std.workloads.llama2
import std.hardware.a100
serve llama2_7b on a100_sxm_80gb {
  scheduler sarathi(chunk = 512, max_batch = 128)
  arrivals  poisson(any, seed = 1)
  lengths   zipf(min = 1024token, max = 4096token, theta = 0.6, prefill_to_decode = 20, seed = 7)
  requests  20000
  maximize  requests_per_s
  require   ttft.p99 < 300ms
}
"""
LONG_SERVE = LONG_RATE.replace("poisson(any", "poisson(2req/s").replace("20000", "4000").split("  maximize")[0] + "}\n"


class Progress(unittest.TestCase):
    def test_is_told_points(self):
        told = []
        results = perfc.compile(PRODUCT).sweep(n=[1, 2, 64], progress=told.append)
        self.assertEqual(len(results), 3)
        self.assertEqual((told[-1].done, told[-1].total), (3, 3))
        self.assertEqual([now.done for now in told], sorted(now.done for now in told))

    def test_is_told_what_a_search_has(self):
        told = []
        program = perfc.compile(LONG_SEARCH)
        begin = time.monotonic()
        program.search(within=1.5, progress=told.append)
        seconds = time.monotonic() - begin
        self.assertTrue(all(now.what.startswith("conv2d(N = 1") for now in told))
        self.assertTrue(any(now.best for now in told))
        self.assertLess(len(told), 10 * seconds + 5)

    def test_raises_what_the_function_raises(self):
        program = perfc.compile(LONG_SEARCH)
        begin = time.monotonic()
        with self.assertRaisesRegex(KeyError, "enough"):
            def stop(now):
                if now.total:
                    raise KeyError("enough")
            program.search(progress=stop)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(len(perfc.compile(PRODUCT).run()), 1)

    def test_ends_a_search_for_a_rate(self):
        raised = []
        def stop(now):
            raised.append(time.monotonic())
            raise KeyError("enough")
        with self.assertRaisesRegex(KeyError, "enough"):
            perfc.compile(LONG_RATE).run(progress=stop)
        self.assertEqual(len(raised), 1)
        self.assertLess(time.monotonic() - raised[0], 10)

    def test_ends_a_search_for_a_strategy(self):
        program = perfc.compile(MANY_STRATEGIES)
        result, = program.run(progress=lambda now: now.best and program.cancel())
        self.assertTrue(any("stopped" in note and "not looked at" in note for note in result.notes), result.notes)

    def test_ends_the_simulation_of_requests(self):
        begun = time.process_time()  # which other processes do not lengthen
        told = []
        self.assertEqual(len(perfc.compile(LONG_SERVE).run(progress=lambda now: told.append((now.done, now.total)))), 1)  # it runs to its end
        whole = time.process_time() - begun
        self.assertTrue(any(0 < done < total == 4000 for done, total in told), told)  # requests
        program = perfc.compile(LONG_SERVE)
        timer = threading.Timer(whole / 10, program.cancel)
        timer.start()
        begun = time.process_time()
        results = program.run()
        timer.join()
        self.assertEqual((len(results), results.is_interrupted), (0, True))
        self.assertFalse(results.warnings)
        self.assertLess(time.process_time() - begun, whole / 2)

    def test_may_only_cancel_the_program(self):
        for ask in (lambda program: program.run(), lambda program: program.check(), lambda program: program.parameters):
            program = perfc.compile(PRODUCT)
            with self.assertRaisesRegex(RuntimeError, "the program is running"):
                program.run(progress=lambda now: ask(program))
        self.assertLess(len(program.sweep(n=[1, 2, 3, 4], progress=lambda now: program.cancel())), 4)

    def test_may_run_another_program(self):
        other, inner = perfc.compile(PRODUCT), []
        perfc.compile(PRODUCT).run(progress=lambda now: inner.append(len(other.run(progress=lambda now: None))))
        self.assertTrue(inner)
        self.assertEqual(set(inner), {1})

    def test_ctrl_c_reaches_the_outer_of_two_runs(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have taken from what it runs
        inner = perfc.compile(PRODUCT)
        def interrupt(now):
            inner.run(progress=lambda now: None)
            signal.raise_signal(signal.SIGINT)
        begin = time.monotonic()
        self.assertTrue(perfc.compile(LONG_SEARCH).search(progress=interrupt).is_interrupted)
        self.assertLess(time.monotonic() - begin, 30)


class Program(unittest.TestCase):
    def test_gives_results(self):
        result, = perfc.compile(PRODUCT).run()
        self.assertEqual((result.statement, result.name), ("evaluate", "one"))
        self.assertEqual(result.subject, "matmul(M = 64, N = 64, K = 64)")
        self.assertEqual(result["macs"].value, 64 ** 3)
        latency = result["latency"]
        self.assertEqual(latency.unit, "s")
        low, high = latency.interval
        self.assertAlmostEqual(high - low, 2 * latency.half_width)
        self.assertGreater(latency.half_width, 0)
        self.assertEqual((result.place.file, result.place.line, result.place.column), ("program.perf", 8, 1))
        self.assertEqual(result.provider, "roofline")
        self.assertIn("max(macs / peak", result.formula)
        self.assertIsNone(result["bus_bandwidth"].value)
        self.assertIn("collective", result["bus_bandwidth"].not_given)
        self.assertEqual(result["bottleneck"].text, "launch")
        self.assertTrue(result.expectations[0].holds)
        table, = result.tables
        self.assertEqual((table.by, table.columns), ("kernel", ["latency", "macs"]))
        self.assertEqual([row.cells[1].value for row in table.rows], [64 ** 3])
        memory, = result.memories
        self.assertEqual(memory.read_bytes + memory.write_bytes, 3 * 64 * 64 * 2)
        with self.assertRaises(KeyError):
            result["nothing"]

    def test_gives_reports_of_the_file(self):
        results = perfc.compile(PRODUCT + "report one\nreport one.macs * 2, one.latency / 0s\nreport one by kernel\n").run()
        self.assertEqual(len(results), 1)
        one, macs, nothing, parts = results.tables
        self.assertEqual((one.name, one.columns[0], len(one.rows)), ("one", "latency", 1))
        self.assertEqual(one.rows[0].cells[0].value, results[0]["latency"].value)
        self.assertEqual((macs.name, macs.rows[0].cells[0].value), ("one.macs * 2", 2 * 64 ** 3))
        self.assertIsNone(nothing.rows[0].cells[0].value)
        self.assertEqual((parts.by, len(parts.rows)), ("kernel", 1))

    def test_makes_dictionaries(self):
        document = perfc.compile(PRODUCT).run()[0].to_dict()
        self.assertEqual(document["metrics"]["macs"]["value"], 64 ** 3)
        self.assertEqual(document["place"], {"file": "program.perf", "line": 8, "column": 1})
        self.assertEqual(document["breakdown"]["parts"][0]["kind"], "kernel")
        pickle.dumps(document)  # plain values alone

    def test_sets_parameters(self):
        program = perfc.compile(PRODUCT, n=128)
        self.assertEqual(program.run()[0]["macs"].value, 128 * 64 * 64)
        self.assertEqual(program.run(n=256)[0]["macs"].value, 256 * 64 * 64)
        self.assertEqual(program.run()[0]["macs"].value, 128 * 64 * 64)
        slow = program.run(rate="1TB/s")[0]["latency"].value
        self.assertEqual(slow, program.run(rate=1e12)[0]["latency"].value)
        self.assertGreater(slow, program.run()[0]["latency"].value)
        parameter = program.parameters["n"]
        self.assertEqual((parameter.value, len(parameter.values), parameter.documentation), ("128", 4096, "How many rows.\n"))
        self.assertEqual(program.parameters["rate"].unit, "B/s")
        with self.assertRaisesRegex(TypeError, "no parameter `m`, but n, rate"):
            program.run(m=1)
        with self.assertRaises(TypeError):
            program.run(n=[1])

    def test_reads_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "product.perf")
            path.write_text(PRODUCT)
            self.assertEqual(perfc.compile(path).run()[0].place.file, str(path))
            self.assertEqual(len(perfc.compile(str(path)).run()), 1)
        with self.assertRaisesRegex(perfc.Error, "cannot read"):
            perfc.compile("/nothing.perf")

    def test_says_what_is_wrong(self):
        with self.assertRaises(perfc.Error) as caught:
            perfc.compile("hardware h { bandwith 3 }\n", name="my.perf")
        self.assertIn("my.perf:1:14: error[PERF0300]: a hardware block has no `bandwith`\n"
                      " 1 | hardware h { bandwith 3 }\n"
                      "   |              ^~~~~~~~", str(caught.exception))
        self.assertEqual(caught.exception.problems[0].code, 300)
        self.assertIsNone(caught.exception.results)
        program = perfc.compile("import std.hardware.h100\nevaluate nothing() on h100_sxm\n")
        self.assertEqual([problem.code for problem in program.check()], [100])
        with self.assertRaisesRegex(perfc.Error, r"program.perf:2:10: error\[PERF0100\]: unknown name `nothing`"):
            program.run()
        self.assertEqual(perfc.check(PRODUCT), [])
        self.assertEqual(perfc.check(PRODUCT, n=5000)[0].severity, "error")

    def test_says_what_is_not_met(self):
        program = perfc.compile(PRODUCT)
        with self.assertRaises(perfc.ExpectationError) as caught:
            program.run(n=1)
        self.assertFalse(caught.exception.results[0].expectations[0].holds)
        self.assertIn("expected macs >= 64 * 64 * 64", str(caught.exception))

    def test_warns(self):
        results = perfc.compile("import std.workloads.llama2\nimport std.hardware.a100\n"
                                "evaluate llama2_7b.decode(batch = 64, context = 4096) on a100_sxm_80gb\n").run()
        self.assertEqual([problem.code for problem in results.warnings], [804])
        self.assertIn("memory `HBM` holds 80.00 GiB", results.warnings[0].message)

    def test_prints_program(self):
        program = perfc.compile("let  a=1\n" + PRODUCT)
        self.assertTrue(program.format().startswith("let a = 1\n"))
        self.assertIn("phase.kernel", program.ir("phase"))
        with self.assertRaisesRegex(perfc.Error, "cellar"):
            program.ir("cellar")


class Search(unittest.TestCase):
    def test_proves_the_best(self):
        program = perfc.compile(PRODUCT + "import std.hardware.eyeriss\nmapspace open for matmul on eyeriss {}\n"
                                "search matmul(M = n, N = 8, K = 8) on eyeriss with open { minimize energy }\n")
        result, = program.search(n=8, threads=1)
        self.assertTrue(result.search.is_proven)
        self.assertEqual(result.search.value, result["energy"].value)
        self.assertIn("mapping best_matmul for matmul", result.search.mappings)
        self.assertIsNone(program.run()[0].search)

    def stopped(self, stop):
        """The results of a long search that `stop` ends from another thread."""
        program = perfc.compile(LONG_SEARCH)
        beats = []
        def wait():
            for _ in range(10):  # Python goes on meanwhile
                time.sleep(0.05)
                beats.append(time.monotonic())
            stop(program)
        thread = threading.Thread(target=wait)
        begin = time.monotonic()
        thread.start()
        results = program.search()
        end = time.monotonic()
        thread.join()
        self.assertLess(end - begin, 30)
        self.assertEqual(len([beat for beat in beats if beat < end]), 10)
        self.assertFalse(results[0].search.is_proven)
        self.assertGreater(results[0].search.value, 0)
        return results

    def test_ends_at_ctrl_c(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have taken from what it runs
        results = self.stopped(lambda program: signal.raise_signal(signal.SIGINT))
        self.assertTrue(results.is_interrupted)
        with self.assertRaises(KeyboardInterrupt):  # as ever, once it is over
            signal.raise_signal(signal.SIGINT)

    def test_ends_when_cancelled(self):
        self.assertTrue(self.stopped(lambda program: program.cancel()).is_interrupted)

    def test_takes_time_that_it_is_given(self):
        result, = perfc.compile(LONG_SEARCH).search(within=0.2)
        self.assertLessEqual(result.search.bound, result.search.value)


class Threads(unittest.TestCase):
    def test_share_a_program(self):
        program = perfc.compile(PRODUCT)
        found = {}
        def run(n):
            found[n] = program.run(n=n)[0]["macs"].value
        threads = [threading.Thread(target=run, args=(n,)) for n in range(64, 80)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {n: n * 64 * 64 for n in range(64, 80)})


if __name__ == "__main__":
    unittest.main()
