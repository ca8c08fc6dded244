// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms as fast ones: in each of log2 N stages a product and a sum for both parts of
// each number that comes out. That is 4 N log2 N operations of N complex points (split radix, Yavne
// 1968); of real ones half the points come out where the rest only mirrors them.
#include "frontend/import/graph/Spectra.h"

#include "llvm/Support/MathExtras.h"

using namespace perfc;
using namespace perfc::graph;

/// The factors of all stages of a transform of `size` points, as an operand.
static std::string factors(Writer &writer, const Dim &size) {
  std::string points = writer.net.dims.text(size);
  std::string stages =
      size.isNumber()
          ? std::to_string(std::max(
                1U, llvm::Log2_64_Ceil(static_cast<uint64_t>(std::max<int64_t>(size.constant, 1)))))
          : "ceil(log2(" + points + "))";
  return "tensor[" + stages + ", " + points + "]";
}

bool graph::fourier(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  const Shape shape = writer.shapeOf(from), result = writer.shapeOf(to);
  size_t rank = shape.size();
  Inference attributes = writer.attributes(op);
  llvm::Optional<size_t> axis = fourierAxis(attributes);
  if (!axis || *axis + 1 >= rank)
    return false;
  std::string ranks, extents, made, read;
  for (size_t i = 0; i < rank; ++i) {
    bool isOwn = i == *axis || i + 1 == rank;
    llvm::StringRef comma = i ? ", " : "";
    ranks += fmt::format("{}A{}", comma, i);
    extents += isOwn ? fmt::format("{}1 * {}", comma, i == *axis ? "K" : "P")
                     : fmt::format("{}A{}", comma, i);
    made += fmt::format("{}{}", comma, indexName(i));
    read += fmt::format("{}{}", comma, i + 1 == rank ? std::string("0") : indexName(i));
  }
  std::string name = writer.privateOp(
      "fourier", fmt::format("op NAME(x[{0}], w[S, N], K, P) -> y[{1}] {{\n  where {2} < K\n"
                             "  where {3} < P\n  y[{4}] += x[{5}] * w[stage, {2}]\n}}\n",
                             ranks, extents, indexName(*axis), indexName(rank - 1), made, read));
  std::string x = writer.plain(from);
  writer.assign(to, "spectrum",
                fmt::format("{}({}, {}, K = {}, P = {})", name, x,
                            factors(writer, fourierLength(attributes, *axis)),
                            writer.net.dims.text(result[*axis]),
                            writer.net.dims.text(result.back())));
  return true;
}

bool graph::shortFourier(Writer &writer, const Op &op) {
  int from = op.input(0), window = op.input(2), to = op.outputs[0];
  const Shape result = writer.shapeOf(to);
  Inference attributes = writer.attributes(op);
  auto step = attributes.wholes("", 1), length = attributes.wholes("", 3);
  bool hasLength = length && length->size() == 1;
  bool hasWindow = window >= 0 && writer.shapeOf(window).size() == 1;
  if (result.size() != 4 || !step || step->size() != 1 || writer.shapeOf(from).size() > 3 ||
      (!hasLength && !hasWindow))
    return false;
  Dim size = hasLength ? length->front() : writer.shapeOf(window).front();
  bool hasParts = writer.shapeOf(from).size() == 3;
  std::string sample = hasParts ? "x[b, t * H + k, 0]" : "x[b, t * H + k]";
  std::string windowed = "  z[b, t, k] = " + sample + " * v[k]\n";
  std::string name = writer.privateOp(
      "short_fourier",
      fmt::format("op NAME(x[B, L{}]{}, w[S, N], T, K, H) -> y[B, 1 * T, 1 * K, 2] {{\n"
                  "  where t < T\n  where k < K\n  where e < 2\n{}"
                  "  y[b, t, k, e] += {} * w[stage, k]\n}}\n",
                  hasParts ? ", C" : "", hasWindow ? ", v[F]" : "", hasWindow ? windowed : "",
                  hasWindow ? std::string("z[b, t, k]") : sample));
  std::string call = writer.plain(from);
  if (hasWindow)
    call += ", " + writer.plain(window);
  Dims &dims = writer.net.dims;
  writer.assign(to, "spectrum",
                fmt::format("{}({}, {}, T = {}, K = {}, H = {})", name, call, factors(writer, size),
                            dims.text(result[1]), dims.text(result[2]), dims.text(step->front())));
  return true;
}
