// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/Kind.h"

using namespace perfc;
using namespace perfc::driver;

static const TableKind kinds[] = {
    {"workloads_cnn", "parameters and MACs of convolutional networks, by layer tables",
     predictCnnWorkloads},
    {"workloads_transformers", "parameters and MACs of transformers and others, by architecture",
     predictTransformerWorkloads},
};

llvm::ArrayRef<TableKind> driver::tableKinds() { return kinds; }
