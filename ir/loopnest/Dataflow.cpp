// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/loopnest/Dataflow.h"

using namespace perfc;
using namespace perfc::dataflow;

llvm::StringRef dataflow::layerTypeName(LayerType type) {
  switch (type) {
  case LayerType::Conv:
    return "CONV";
  case LayerType::DepthwiseConv:
    return "DSCONV";
  case LayerType::GroupedConv:
    return "NGCONV";
  case LayerType::Gemm:
    return "GEMM";
  }
  return "";
}

TensorDims dataflow::tensorDims(LayerType type, bool batched) {
  if (type == LayerType::Gemm)
    return {"MK", "KN", "MN"};
  std::string batch = batched ? "N" : "";
  if (type == LayerType::DepthwiseConv)
    return {batch + "CYX", "CRS", batch + "CYX"};
  if (type == LayerType::GroupedConv)
    return {batch + "GCYX", "GKCRS", batch + "GKCYX"};
  return {batch + "CYX", "KCRS", batch + "KYX"};
}

char dataflow::windowOf(char dim) { return dim == 'Y' ? 'R' : dim == 'X' ? 'S' : 0; }

int64_t Layer::outputSize(char dim) const {
  int64_t size = dims.at(dim);
  char window = type == LayerType::Gemm ? 0 : windowOf(dim);
  return window ? (size - dims.at(window)) / stride(dim) + 1 : size;
}
