// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/Kind.h"

#include "tools/driver/Command.h"

using namespace perfc;
using namespace perfc::driver;

static const TableKind kinds[] = {
    {"bruteforce", "counts of mapped nests that were executed step by step", predictBruteforce},
    {"chakra_edge_cases", "small, partly malformed traces, by what ASTRA-sim does with them",
     predictChakraEdgeCases},
    {"collective", "collectives measured on single nodes, by library", predictCollective},
    {"collectives_1d", "collectives on one network dimension, by ASTRA-sim", predictCollectives1d},
    {"collectives_1d_random", "the same for random configurations", predictCollectives1dRandom},
    {"collectives_multidim", "collectives on several network dimensions, by ASTRA-sim",
     predictCollectivesMultidim},
    {"collectives_busbw", "bus bandwidths measured on real systems", predictCollectivesBusbw},
    {"comm_groups", "collectives of subgroups, by ASTRA-sim", predictCommGroups},
    {"eyeriss", "energy and latency of layers measured on the Eyeriss chip", predictEyeriss},
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
    {"timeloop", "cycles, energy and counts of Timeloop's model, by cases", predictTimeloop},
    {"train_llmfoundry", "measured training of MPT with llm-foundry, fully sharded", nullptr,
     predictLlmFoundry},
    {"train_megatron", "measured training with Megatron-LM", nullptr, predictMegatron},
    {"train_nemo_megatron_bridge", "measured training with NeMo and Megatron-Bridge", nullptr,
     predictMegatronBridge},
    {"train_selective_recompute", "time and memory of training with selective recomputation",
     nullptr, predictSelectiveRecompute},
    {"train_torchtitan", "measured training of Llama 3.1 with torchtitan", nullptr,
     predictTorchtitan},
    {"traces", "a folder of Chakra traces, by ASTRA-sim", predictTraces},
    {"workloads_cnn", "parameters and MACs of convolutional networks, by layer tables",
     predictCnnWorkloads},
    {"workloads_transformers", "parameters and MACs of transformers and others, by architecture",
     predictTransformerWorkloads},
};

llvm::ArrayRef<TableKind> driver::tableKinds() { return kinds; }

HelpTerms driver::tableKindTerms() {
  HelpTerms terms;
  for (const TableKind &kind : kinds)
    terms.emplace_back(kind.name, kind.summary);
  return terms;
}
