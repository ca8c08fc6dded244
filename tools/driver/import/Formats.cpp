// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/import/Format.h"

#include "tools/driver/Command.h"
#include "llvm/ADT/Twine.h"

using namespace perfc;
using namespace perfc::driver;

static const ImportFormat formats[] = {
    {"astra_sim", "NETWORK.yml [SYSTEM.json]", "the cluster that ASTRA-sim's inputs describe", 1, 2,
     importAstraSim},
    {"chakra", "PREFIX.RANK.et…", "what each rank runs, of Chakra traces", 1, 1u << 20,
     importChakra},
    {"gguf", "FILE.gguf", "a model by the header of its file of weights, versions 1 to 3", 1, 1,
     nullptr},
    {"hf", "FOLDER|config.json", "a model by its config.json, of Hugging Face", 1, 1, nullptr},
    {"layers", "FILE.yaml", "a list of layers with their types and sizes", 1, 1, nullptr},
    {"maestro", "FILE.m [HARDWARE.m]", "layers with the dataflows of MAESTRO", 1, 2, importMaestro},
    {"onnx", "FILE.onnx", "a model as a workload, operator sets 7 to 21", 1, 1, nullptr},
    {"safetensors", "FILE.safetensors", "a model by the config.json beside, and the file's header",
     1, 1, nullptr},
    {"scale_sim", "CFG TOPOLOGY.csv", "a systolic array of SCALE-Sim with the layers it runs", 2, 2,
     importScaleSim},
    {"tflite", "FILE.tflite", "a model as a workload, version 3", 1, 1, nullptr},
    {"timeloop", "INPUT.yaml…", "inputs of Timeloop: problem, architecture and mapping", 1, 64,
     importTimeloop},
    {"torch", "FILE.pt.json", "a graph of PyTorch, as share/perfc/export_torch.py writes it", 1, 1,
     nullptr},
    {"torch_trace", "FILE.json",
     "operators that PyTorch's profiler, or a host trace of Chakra, recorded", 1, 1,
     importTorchTrace},
};

llvm::ArrayRef<ImportFormat> driver::importFormats() { return formats; }

HelpTerms driver::importFormatTerms() {
  HelpTerms terms;
  for (const ImportFormat &format : formats)
    terms.emplace_back((format.name + " " + format.files).str(), format.summary);
  return terms;
}
