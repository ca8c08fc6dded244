// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/torch/Torch.h"
#include "test/fuzz/Graphs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return perfc::fuzzGraph(perfc::torch::format, data, size);
}
