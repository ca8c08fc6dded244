// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/StreamPrice.h"

#include "backends/gpu/Limits.h"

using namespace perfc;
using namespace perfc::gpu;

StreamPrice gpu::streamPrice(const StreamDesign &design, const StreamWork &work) {
  StreamPrice price;
  double lost = 0;
  if (work.rowBytes > 0 && design.held > 0) {
    double x4 = std::pow(work.rowBytes / design.held, 4);
    lost = x4 / (1 + x4);
  }
  double bytes = price.bytes = work.bytes + work.passBytes * lost;
  price.memoryBytes = std::round(bytes * (1 - heldShare(work.bytes, design.cache)));
  price.memory = over(price.memoryBytes, design.bandwidth);
  price.units = over(bytes - price.memoryBytes, design.unitBandwidth * design.units);
  if (work.rowBytes > 0 && std::fmod(work.rowBytes, 16) != 0) {
    price.memory *= design.unaligned;
    price.units *= design.unaligned;
  }
  price.rows = work.rows / design.units * (design.rowTime + work.rowLength * design.elementTime);
  price.compute = work.compute;
  price.body = normOf(4, {normOf(6, {price.memory, price.units}), price.compute, price.rows});
  price.launch = design.launch;
  price.total = design.launch + price.body;
  if (design.host > 0) {
    price.total = normOf(4, {design.host, design.ahead * design.host + price.body});
    price.launch = price.total - price.body;
  }
  return price;
}
