// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/Kind.h"

#include "tools/driver/Command.h"

using namespace perfc;
using namespace perfc::driver;

static const TableKind kinds[] = {
    {"bruteforce", "counts of mapped nests that were executed step by step", predictBruteforce},
    {"eyeriss", "energy and latency of layers measured on the Eyeriss chip", predictEyeriss},
    {"maestro", "layers under dataflows, by what MAESTRO prints", predictMaestro},
    {"maestro_counts", "what dataflows must move, by brute force over their outer steps",
     predictMaestroCounts},
    {"scalesim", "layers on systolic arrays, by SCALE-Sim v2", predictScaleSim},
    {"timeloop", "cycles, energy and counts of Timeloop's model, by cases", predictTimeloop},
    {"workloads_cnn", "parameters and MACs of convolutional networks, by layer tables",
     predictCnnWorkloads},
    {"workloads_transformers", "parameters and MACs of transformers and others, by architecture",
     predictTransformerWorkloads},
};

llvm::ArrayRef<TableKind> driver::tableKinds() { return kinds; }

void driver::printTableKinds(llvm::raw_ostream &os) {
  for (const TableKind &kind : kinds)
    os << fmt::format("  {:<25} {}\n", kind.name.str(), kind.summary.str());
}
