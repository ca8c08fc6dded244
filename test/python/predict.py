# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %package_python %s %root/test/reference/astra_sim/traces %root/test/import/trace/Inputs/profile.json %examples
"""Predictions of workloads on hardware, wherever these come from."""
import json
import pathlib
import shutil
import sys
import tempfile
import types
import unittest

import perfc
from perfc.predict import Hardware, PredictionQuery, UnifiedPredictor, Workload

EXAMPLES = pathlib.Path(sys.argv.pop())
PROFILE = pathlib.Path(sys.argv.pop())
TRACES = pathlib.Path(sys.argv.pop())
SHEET = {"name": "my npu", "peak_flops": {"fp16": "100TFLOP/s", "int8": 2e14}, "memory_bandwidth": 1e12, "memory_capacity": "16GiB"}


def predict(workload, hardware, **query):
    return UnifiedPredictor().predict(PredictionQuery(workload, hardware, **query))


def product():
    return Workload.from_source(perfc.einsum("mk,kn->mn", name="product"))


class Workloads(unittest.TestCase):
    def test_come_from_onnx(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "odd {name}.onnx")
            shutil.copy(EXAMPLES / "encoder.onnx", path)
            prediction = predict(Workload.from_onnx(path), Hardware.from_name("A100-80GB"), batch_size=8,
                                 arguments={"seq": 128})
        self.assertGreater(prediction.value, 1e-6)
        self.assertIn("batch = 8", prediction.result.label)
        self.assertIn("seq = 128", prediction.result.label)
        with self.assertRaises(FileNotFoundError):
            Workload.from_onnx("nothing.onnx")

    def test_come_from_pytorch(self):
        # PyTorch is large: a stand-in exports as it does.
        torch = types.ModuleType("torch")
        names = []
        def export(model, inputs, path, **given):
            names.append(given)
            if model == "nothing":
                raise RuntimeError("no such operator")
            if model == "needs":
                raise ModuleNotFoundError("No module named 'onnxscript'", name="onnxscript")
            self.assertEqual(model, "model")
            shutil.copy(EXAMPLES / "encoder.onnx", path)
        torch.onnx = types.SimpleNamespace(export=export)
        sys.modules["torch"] = torch
        self.addCleanup(sys.modules.pop, "torch")
        workload = Workload.from_pytorch("model", "input")
        self.assertEqual(names, [{}])
        self.assertGreater(predict(workload, Hardware.from_name("H100"), arguments={"seq": 128}).value, 1e-6)
        self.assertEqual(workload.origin, "PyTorch module str")
        # The first extent of tensors is the batch size, that of the query or of the inputs.
        tensor = types.SimpleNamespace(shape=(4, 128))
        workload = Workload.from_pytorch("model", tensor)
        self.assertEqual(names[-1], {"input_names": ["input_0"], "dynamic_axes": {"input_0": {0: "batch"}}})
        macs = [predict(workload, Hardware.from_name("H100"), target="macs", arguments={"seq": 128}, **query).value
                for query in ({}, {"batch_size": 4}, {"batch_size": 8})]
        self.assertEqual(macs[0], macs[1])
        self.assertEqual(macs[2], 2 * macs[0])
        # What PyTorch cannot write says why, with names and without.
        with self.assertRaisesRegex(perfc.Unreadable, "does not export this module: no such operator"):
            Workload.from_pytorch("nothing", tensor)
        self.assertEqual(names[-1], {})
        with self.assertRaisesRegex(perfc.Unreadable, "torch.onnx needs onnxscript, which is not installed"):
            Workload.from_pytorch("needs", tensor)
        sys.modules["torch"] = None
        with self.assertRaisesRegex(perfc.Unreadable, "torch is not installed"):
            Workload.from_pytorch("model")

    def test_come_from_the_library(self):
        prediction = predict(Workload.from_name("llama3_8b.decode"), Hardware.from_name("H100"), target="throughput",
                             batch_size=8, arguments={"context": 4096})
        self.assertEqual(prediction.unit, "token/s")
        self.assertEqual(prediction.value, prediction.result["tokens_per_s"].value)
        with self.assertRaises(LookupError):
            Workload.from_name("llama0")

    def test_come_from_traces(self):
        # Eight ranks compute 10 us, one 30 us and one 150 us; then all exchange 4 MiB, which begins when the last one is there.
        cluster = Hardware.from_source(perfc.Source("cluster", """import std.networks
hardware npu { dtype int8; memory local { off_chip }; compute unit { rate 1GHz } }
system cluster { all = 8 * npu over nvswitch }"""))
        folder = TRACES / "straggler8" / "et"
        prediction = predict(Workload.from_traces(folder), cluster)
        together = predict(Workload.from_traces(folder / "straggler8"), cluster)
        self.assertEqual(prediction.value, together.value)
        exchange = perfc.compile(perfc.statement("evaluate", perfc.Use("all_reduce(4MiB)"), cluster.source)).run()[0]
        self.assertGreater(prediction.value, 150e-6)
        self.assertLess(prediction.value - 150e-6, 4 * exchange["latency"].value)
        self.assertEqual(prediction.result.statement, "replay")
        self.assertIn("chakra traces", prediction.metadata["workload"])
        with self.assertRaisesRegex(ValueError, "no batch size"):
            predict(Workload.from_traces(folder), cluster, batch_size=8)

    def test_come_from_profiles(self):
        # Products of 64 rows: 512 * 1024, 1024 * 256 and 256 * 1024; of 64 columns 256 * 1024 and 1024 * 512.
        recorded = Workload.from_traces(PROFILE, format="torch_trace")
        prediction = predict(recorded, Hardware.from_name("H100-SXM"))
        self.assertEqual(prediction.result["macs"].value, 64 * (2 * 512 * 1024 + 3 * 256 * 1024))
        self.assertEqual(prediction.result.statement, "evaluate")
        with self.assertRaisesRegex(ValueError, "no batch size"):
            predict(recorded, Hardware.from_name("H100-SXM"), batch_size=8)
        with self.assertRaisesRegex(perfc.Unreadable, "takes one file"):
            with tempfile.TemporaryDirectory() as folder:
                for rank in range(2):
                    pathlib.Path(folder, f"{rank}.json").write_text(PROFILE.read_text())
                Workload.from_traces(folder, format="torch_trace")

    def test_say_why_traces_are_not_read(self):
        with self.assertRaises(FileNotFoundError):
            Workload.from_traces("none")
        with self.assertRaisesRegex(perfc.Unreadable, "in chakra, torch_trace, not in kineto"):
            Workload.from_traces("none", format="kineto")
        with tempfile.TemporaryDirectory() as folder:
            wrong = pathlib.Path(folder, "wrong.0.et")
            wrong.write_bytes(b"\x05no trace")
            with self.assertRaisesRegex(perfc.Unreadable, "wrong.0.et:byte") as caught:
                Workload.from_traces(wrong)
            self.assertEqual(caught.exception.problems[0].severity, "error")


class Chips(unittest.TestCase):
    def test_are_found_by_name(self):
        for name, found in {"A100-80GB": "a100_sxm_80gb", "NVIDIA A100 40GB": "a100_sxm_40gb", "H100": "h100_sxm", "tpu-v4": "tpu_v4",
                            "TPUv4": "tpu_v4", "H100 PCIe": "h100_pcie", "DGX H100": "dgx_h100"}.items():
            self.assertEqual(Hardware.from_name(name).source.name, found)
        self.assertEqual(Hardware.from_name("A100-80GB").alternatives, ("a100_pcie_80gb",))
        with self.assertRaisesRegex(LookupError, "no hardware called H101; perfc.library"):
            Hardware.from_name("H101")
        with self.assertRaisesRegex(LookupError, "called NVIDIA H100 80GB HBM3; it has h100_sxm, "):  # as PyTorch calls it
            Hardware.from_name("NVIDIA H100 80GB HBM3")
        with self.assertRaisesRegex(LookupError, "SXM may be .*a100_sxm_80gb.*h100_sxm"):
            Hardware.from_name("SXM")

    def test_come_from_data_sheets(self):
        # 2 * 1024^3 FLOP at 100 and 200 TFLOP/s; the words move in less.
        sizes = {"M": 1024, "N": 1024, "K": 1024}
        for dtype, peak in (("fp16", 1e14), ("int8", 2e14)):
            prediction = predict(product(), Hardware.from_spec(SHEET), arguments={**sizes, "dtype": dtype})
            self.assertAlmostEqual(prediction.value, 2 * 1024 ** 3 / peak, delta=1e-12)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "sheet.json")
            path.write_text(json.dumps(SHEET))
            self.assertEqual(str(Hardware.from_spec(path).source), str(Hardware.from_spec(SHEET).source))
        for wrong, message in (({**SHEET, "colour": "red"}, "no word for here: colour"),
                               ({"name": "bare", "peak_flops": 1e12}, "bare says nothing of its `memory_bandwidth`")):
            with self.assertRaisesRegex(ValueError, message):
                Hardware.from_spec(wrong)


class Predictions(unittest.TestCase):
    def test_have_a_wider_interval(self):
        chip = perfc.hardware("early", perfc.memory("HBM", off_chip=True, bandwidth="1TB/s +- 10%"),
                              perfc.unit("MAC", rate="100TFLOP/s"), dtype="fp16")
        prediction = predict(product(), Hardware.from_source(chip), arguments={"M": 1, "N": 4096, "K": 4096})
        latency = prediction.result["latency"]
        low, high = prediction.confidence
        self.assertAlmostEqual((high - low) / (2 * latency.half_width), 1.95996 / 1.64485, places=4)
        self.assertAlmostEqual((high + low) / 2, prediction.value)
        self.assertIn("95 %", prediction.metadata["confidence"])
        half = predict(product(), Hardware.from_source(chip), target="throughput", arguments={"M": 1, "N": 4096, "K": 4096})
        self.assertAlmostEqual(half.value, 1 / prediction.value)
        self.assertAlmostEqual((half.confidence[1] - half.value) / half.value, (high - prediction.value) / prediction.value)

    def test_say_where_they_come_from(self):
        prediction = predict(Workload.from_name("resnet50"), Hardware.from_name("A100-80GB"), batch_size=32,
                             options={"using": "roofline"})
        self.assertEqual((prediction.unit, prediction.backend_used, prediction.confidence), ("s", "roofline", None))
        self.assertNotIn("confidence", prediction.metadata)
        self.assertIn("max(macs / peak", prediction.metadata["formula"])
        self.assertAlmostEqual(sum(prediction.breakdown.values()), prediction.value)
        energy = predict(Workload.from_name("resnet50"), Hardware.from_name("A100-80GB"), target="energy", batch_size=32)
        self.assertEqual(energy.unit, "J")
        self.assertAlmostEqual(sum(energy.breakdown.values()), energy.value)
        memory = predict(Workload.from_name("resnet50"), Hardware.from_name("A100-80GB"), target="memory", batch_size=32)
        self.assertEqual((memory.unit, memory.value), ("B", memory.result["memory.peak"].value))

    def test_answer_for_training_and_serving(self):
        model, box = Workload.from_name("llama3_8b"), Hardware.from_name("DGX H100")
        training = predict(model, box, scenario="training", target="mfu", batch_size=64, arguments={"T": 2048},
                           options={"parallel": "tensor = 8"})
        self.assertEqual(training.result.statement, "train")
        self.assertTrue(0.2 < training.value < 0.8)
        serving = predict(model, Hardware.from_name("H100"), scenario="serving", target="ttft.p99",
                          options={"arrivals": "fixed(2req/s)", "lengths": "fixed(512, 64)", "requests": 10,
                                   "scheduler": "sarathi(chunk = 512)"})
        self.assertEqual((serving.result.statement, serving.unit), ("serve", "s"))

    def test_refuse_what_has_no_answer(self):
        with self.assertRaisesRegex(ValueError, "energy is not given: energy of compute `units`"):
            predict(product(), Hardware.from_spec(SHEET), target="energy", arguments={"M": 8, "N": 8, "K": 8})
        with self.assertRaisesRegex(ValueError, "one of inference, training, serving"):
            predict(product(), Hardware.from_spec(SHEET), scenario="retirement")
        with self.assertRaisesRegex(KeyError, "no metric `ttft`"):
            predict(product(), Hardware.from_spec(SHEET), target="ttft", arguments={"M": 8, "N": 8, "K": 8})
        with self.assertRaisesRegex(perfc.Error, r"error\[PERF"):
            predict(product(), Hardware.from_spec(SHEET), batch_size=3)


if __name__ == "__main__":
    unittest.main()
