// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/StreamPrice.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::gpu;

static double normOf(double p, double a, double b, double c = 0) {
  double largest = std::max(a, std::max(b, c));
  if (largest <= 0)
    return 0;
  return largest *
         std::pow(std::pow(a / largest, p) + std::pow(b / largest, p) + std::pow(c / largest, p),
                  1 / p);
}

StreamPrice gpu::streamPrice(const StreamDesign &design, const StreamWork &work) {
  StreamPrice price;
  double lost = 0;
  if (work.rowBytes > 0 && design.held > 0) {
    double x4 = std::pow(work.rowBytes / design.held, 4);
    lost = x4 / (1 + x4);
  }
  double bytes = price.bytes = work.bytes + work.passBytes * lost;
  double inCache = design.cache > 0 ? 1 / (1 + std::pow(work.bytes / design.cache, 8)) : 0;
  price.memoryBytes = bytes * std::max(1 - inCache, 1e-6);
  price.memory = design.bandwidth > 0 ? price.memoryBytes / design.bandwidth : 0;
  price.units = design.unitBandwidth > 0 ? bytes / (design.unitBandwidth * design.units) : 0;
  if (work.rowBytes > 0 && std::fmod(work.rowBytes, 16) != 0) {
    price.memory *= design.unaligned;
    price.units *= design.unaligned;
  }
  price.rows = work.rows / design.units * design.rowTime;
  price.compute = work.compute;
  price.body = normOf(4, normOf(6, price.memory, price.units), price.compute, price.rows);
  price.launch = design.launch;
  price.total = design.launch + price.body;
  if (design.host > 0) {
    price.total = normOf(4, design.host, design.ahead * design.host + price.body);
    price.launch = price.total - price.body;
  }
  return price;
}
