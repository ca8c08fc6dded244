// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images and volumes of other sizes.
#include "frontend/import/graph/Writer.h"

#include "ir/common/Rational.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::graph;

/// Each place between four pixels is their weighted mean.
static std::string linearResize(Writer &writer) {
  return writer.privateOp(
      "resize", "op NAME(x[N, C, Y, X], U, V) -> y[N, C, P = Y*U, Q = X*V] {\n"
                "  where a < U\n  where b < V\n"
                "  y[n, c, i*U + a, j*V + b] = 0.25 * x[n, c, i, j] + 0.25 * x[n, c, i + 1, j] +\n"
                "      0.25 * x[n, c, i, j + 1] + 0.25 * x[n, c, i + 1, j + 1]\n}\n");
}

/// How many places along one axis each place of the result is a mean of; 0 for a mode that is
/// not known.
static int64_t tapsOf(llvm::StringRef mode) {
  return llvm::StringSwitch<int64_t>(mode)
      .Cases("linear", "bilinear", 2)
      .Case("cubic", 4)
      .Default(0);
}

/// Any other size: each place is the weighted mean of some around it, along each axis that changes;
/// where these are is known before.
static bool resampled(Writer &writer, const Op &op, llvm::StringRef mode) {
  int from = op.input(0), to = op.outputs[0];
  const Shape shape = writer.shapeOf(from), result = writer.shapeOf(to);
  bool isSmoothed = writer.attributes(op).integer("antialias", 0) != 0;
  int64_t taps = 1;
  std::string ranks, extents, made, read, places, ranges, numbers;
  for (size_t i = 0; i < shape.size(); ++i) {
    llvm::StringRef comma = i ? ", " : "";
    bool isSame = shape[i] == result[i];
    ranks += fmt::format("{}A{}", comma, i);
    extents += isSame ? fmt::format("{}A{}", comma, i) : fmt::format("{}B{}", comma, i);
    made += fmt::format("{}{}", comma, indexName(i));
    read += isSame ? fmt::format("{}{}", comma, indexName(i))
                   : fmt::format("{}at{}[{}]", comma, i, indexName(i));
    if (isSame)
      continue;
    places += fmt::format(", at{0}[B{0}]", i);
    numbers += ", token[" + writer.net.dims.text(result[i]) + "]";
    int64_t reach = tapsOf(mode);
    if (isSmoothed && shape[i].isNumber() && result[i].isNumber() && result[i].constant > 0)
      reach *=
          std::max<int64_t>(1, (shape[i].constant + result[i].constant - 1) / result[i].constant);
    auto all = checkedMultiply(taps, reach);
    if (!all)
      return false;
    taps = *all;
  }
  if (taps < 1)
    return false;
  std::string name = writer.privateOp(
      "resample", fmt::format("op NAME(x[{}]{}, w[K]) -> y[{}] {{\n  y[{}] += w[tap] * x[{}]\n}}\n",
                              ranks, places, extents, made, read));
  std::string x = writer.plain(from);
  writer.assign(to, "resized", fmt::format("{}({}{}, tensor[{}])", name, x, numbers, taps));
  return true;
}

/// Whole scales: each pixel is repeated, or what stands between pixels is a mean of them.
bool graph::resize(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  const Shape &shape = writer.shapeOf(from), &result = writer.shapeOf(to);
  if (shape == result)
    return writer.viewAs(from, to, result);
  Inference attributes = writer.attributes(op);
  llvm::StringRef mode = attributes.text("mode", "nearest");
  if (shape.size() != result.size())
    return false;
  bool isNearest = mode == "nearest";
  if (shape.size() != 4 || shape[0] != result[0] || shape[1] != result[1] ||
      (!isNearest && tapsOf(mode) != 2))
    return isNearest ? streams(writer, op) : resampled(writer, op, mode);
  auto down = writer.net.dims.exactQuotient(result[2], shape[2]),
       across = writer.net.dims.exactQuotient(result[3], shape[3]);
  if (!down || !across)
    return isNearest ? streams(writer, op) : resampled(writer, op, mode);
  if (!isNearest) {
    std::string x = writer.plain(from), name = linearResize(writer);
    writer.assign(to, "resized",
                  fmt::format("{}({}, U = {}, V = {})", name, x, writer.net.dims.text(*down),
                              writer.net.dims.text(*across)));
    return true;
  }
  std::string name = writer.library("resample", "upsample");
  std::string scales = down->is(2) ? "" : ", U = " + writer.net.dims.text(*down);
  if (*across != *down)
    scales += ", V = " + writer.net.dims.text(*across);
  writer.assign(to, "enlarged", fmt::format("{}({}{})", name, writer.plain(from), scales));
  return true;
}
