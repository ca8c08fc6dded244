// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/Kind.h"

#include "api/Library.h"
#include "tools/driver/Command.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::driver;

static const TableKind kinds[] = {
    {"bruteforce", "counts of mapped nests that were executed step by step", predictBruteforce},
    {"chakra_edge_cases", "small, partly malformed traces, by what ASTRA-sim does with them",
     predictChakraEdgeCases},
    {"collectives_1d", "collectives on one network dimension, by ASTRA-sim", predictCollectives1d},
    {"collectives_1d_random", "the same for random configurations", predictCollectives1dRandom},
    {"collectives_multidim", "collectives on several network dimensions, by ASTRA-sim",
     predictCollectivesMultidim},
    {"comm_groups", "collectives of subgroups, by ASTRA-sim", predictCommGroups},
    {"eyeriss", "energy and latency of layers measured on the Eyeriss chip", predictEyeriss},
    {"hf_configs", "models by their config.json: parameters, MACs and cache of a token",
     predictHfConfigs},
    {"maestro", "layers under dataflows, by what MAESTRO prints", predictMaestro},
    {"maestro_counts", "what dataflows must move, by brute force over their outer steps",
     predictMaestroCounts},
    {"onnx_models", "parameters, MACs and shapes of ONNX models, from the files or as recorded",
     predictOnnxModels},
    {"p2p", "single messages, by ASTRA-sim", predictP2p},
    {"remote_memory", "accesses of remote memory, by ASTRA-sim", predictRemoteMemory},
    {"roofline", "kernels under a roofline, by ASTRA-sim", predictRoofline},
    {"scalesim", "layers on systolic arrays, by SCALE-Sim v2", predictScaleSim},
    {"table8", "collectives and data-parallel training, by ASTRA-sim", predictTable8},
    {"tflite_models", "the same of models of TensorFlow Lite", predictTfliteModels},
    {"timeloop", "cycles, energy and counts of Timeloop's model, by cases", predictTimeloop},
    {"traces", "a folder of Chakra traces, by ASTRA-sim", predictTraces},
    {"vidur", "runs of serving, by VIDUR, with its tables of times", predictVidur},
};

llvm::ArrayRef<TableKind> driver::tableKinds() { return kinds; }

HelpTerms driver::tableKindTerms() {
  HelpTerms terms;
  for (const TableKind &kind : kinds)
    terms.emplace_back(kind.name, kind.summary);
  for (api::TableProgram &program : api::tablePrograms())
    terms.emplace_back(std::move(program.name), std::move(program.summary));
  llvm::sort(terms);
  return terms;
}
