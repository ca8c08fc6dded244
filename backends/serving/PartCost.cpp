// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/PartCost.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::serving;

void ItemTotal::note(const Point &one, double times) {
  runs += times;
  sum.add(one, times);
  seconds += one.seconds() * times;
  double compute = one.parts[Point::Compute], memory = one.parts[Point::Memory];
  double &bound = one.parts[Point::Launch] > std::max(compute, memory) ? launchSeconds
                  : compute > memory                                   ? computeSeconds
                                                                       : memorySeconds;
  bound += one.seconds() * times;
}

void PartCost::addNode(llvm::StringRef kind, const Point &one, double times,
                       std::vector<ServedNode> &nodes) {
  bool joins = kind.empty() && !nodes.empty() && nodes.back().kind.empty();
  if (!joins)
    nodes.push_back({kind.empty() ? "kernels" : kind.str() + " tensor", kind.str()});
  ServedNode &node = nodes.back();
  node.seconds += one.seconds() * times;
  node.flops += one.parts[Point::Flops] * times;
  node.bytes += one.parts[Point::Bytes] * times;
}
