// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/KnownShapes.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::timeloop;

static Problem cnnLayer() {
  enum Dim { R, S, P, Q, C, K, N };
  Problem shape;
  shape.name = "CNN-Layer";
  shape.dims = {"R", "S", "P", "Q", "C", "K", "N"};
  shape.coefficients = {{"Wstride"}, {"Hstride"}, {"Wdilation"}, {"Hdilation"}};
  shape.spaces = {{"Weights", {{{C}}, {{K}}, {{R}}, {{S}}}, false},
                  {"Inputs",
                   {{{N}},
                    {{C}},
                    {{R, 1, "Wdilation"}, {P, 1, "Wstride"}},
                    {{S, 1, "Hdilation"}, {Q, 1, "Hstride"}}},
                   false},
                  {"Outputs", {{{N}}, {{K}}, {{Q}}, {{P}}}, true}};
  return shape;
}

static Problem gemm() {
  enum Dim { M, N, K };
  Problem shape;
  shape.name = "gemm-ABZ";
  shape.dims = {"M", "N", "K"};
  shape.spaces = {
      {"A", {{{M}}, {{K}}}, false}, {"B", {{{N}}, {{K}}}, false}, {"Z", {{{M}}, {{N}}}, true}};
  return shape;
}

llvm::Optional<Problem> timeloop::knownShape(llvm::StringRef name) {
  name.consume_back(".yaml");
  std::string wanted = name.str();
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  for (Problem shape : {cnnLayer(), gemm()})
    if (llvm::StringRef(shape.name).equals_insensitive(wanted))
      return shape;
  return llvm::None;
}

llvm::StringRef timeloop::knownShapeNames() { return "cnn-layer and gemm-ABZ"; }
