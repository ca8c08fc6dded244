// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of operator sets 19 and later.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

/// A convolution each of whose taps reads between the four values around a place that data gives.
bool graph::deformed(Writer &writer, const Op &op) {
  int from = op.input(0), filters = op.input(1), places = op.input(2), bias = op.input(3),
      mask = op.input(4), to = op.outputs[0];
  const Shape shape = writer.shapeOf(from), kernel = writer.shapeOf(filters);
  int64_t groups = writer.attributes(op).integer("group", 1);
  auto each = groups < 1 ? llvm::None : writer.net.dims.exactQuotient(kernel[0], Dim(groups));
  if (shape.size() != 4 || places < 0 || writer.shapeOf(places).size() != 4 || !each ||
      (mask >= 0 && writer.shapeOf(mask).size() != 4))
    return false;
  std::string name = writer.privateOp(
      "deformed_conv",
      fmt::format("op NAME(x[N, C, Y, X], w[G, M, D, R, S]: weight, at[N, A, P, Q], f[T]{0}{1}) -> "
                  "y[N, F = G * M, P, Q] {{\n"
                  "  v[n, c, r, s, p, q] += f[tap] * x[n, c, at[n, 2*S*r + 2*s, p, q], "
                  "at[n, 2*S*r + 2*s + 1, p, q]]\n"
                  "{2}  z[n, g, m, p, q] += {3}[n, g * D + d, r, s, p, q] * w[g, m, d, r, s]\n"
                  "  y[n, g * M + m, p, q] = z[n, g, m, p, q]{4}\n}}\n",
                  mask >= 0 ? ", l[N, B, P, Q]" : "", bias >= 0 ? ", b[E]: weight" : "",
                  mask >= 0 ? "  u[n, c, r, s, p, q] = v[n, c, r, s, p, q] * l[n, S*r + s, p, q]\n"
                            : "",
                  mask >= 0 ? "u" : "v", bias >= 0 ? " + b[g * M + m]" : ""));
  std::string call = writer.plain(from);
  call += ", " + writer.weight(filters, {Dim(groups), *each, kernel[1], kernel[2], kernel[3]});
  call += ", " + writer.plain(places) + ", tensor[4]";
  if (mask >= 0)
    call += ", " + writer.plain(mask);
  if (bias >= 0)
    call += ", " + writer.vector(bias, kernel[0]);
  writer.assign(to, "conv", name + "(" + call + ")");
  return true;
}

/// New entries in a cache that stays where it is.
bool graph::scattered(Writer &writer, const Op &op) {
  if (!isCacheWrite(writer.attributes(op)))
    return streams(writer, op);
  std::string x = writer.plain(op.input(0));
  writer.assign(op.outputs[0], "cache",
                fmt::format("{}(cache[{}], {})", writer.library("append", "append"),
                            writer.dimsText(writer.shapeOf(op.outputs[0])), x));
  return true;
}

/// A state of each head that takes in the product of a key and a value at each token, and is read
/// by its queries; by the delta rule each key reads it, too. Its operations are those of one token
/// after the other.
bool graph::linearAttention(Writer &writer, const Op &op) {
  Inference attributes = writer.attributes(op);
  int64_t heads = attributes.integer("q_num_heads", 0),
          keys = attributes.integer("kv_num_heads", 0);
  Dims &dims = writer.net.dims;
  const Shape q = writer.shapeOf(op.input(0)), v = writer.shapeOf(op.input(2));
  auto head = heads < 1 ? llvm::None : dims.exactQuotient(q[2], Dim(heads));
  auto value = keys < 1 ? llvm::None : dims.exactQuotient(v[2], Dim(keys));
  if (!head || !value || heads % keys != 0)
    return false;
  bool isDelta = attributes.text("update_rule", "gated_delta").contains("delta");
  std::string name = writer.privateOp(
      "linear_attention",
      fmt::format(
          "op NAME(q[B, T, D], k[B, T, K], v[B, T, V], G, H, E, F) -> y[B, T, G * H * F] {{\n"
          "  where g < G\n  where h < H\n  where e < E\n  where f < F\n"
          "  s[b, g, e, f] += k[b, t, g * E + e] * v[b, t, g * F + f]\n"
          "{}  o[b, t, g, h, f] += q[b, t, (g * H + h) * E + e] * s[b, g, e, f]\n"
          "  y[b, t, (g * H + h) * F + f] = o[b, t, g, h, f]{}\n}}\n",
          isDelta ? "  r[b, t, g, f] += k[b, t, g * E + e] * s[b, g, e, f]\n" : "",
          isDelta ? " - r[b, t, g, f]" : ""));
  std::string call;
  for (size_t i : {0, 1, 2})
    call += writer.plain(op.input(i)) + ", ";
  writer.assign(op.outputs[0], "attended",
                fmt::format("{}({}G = {}, H = {}, E = {}, F = {})", name, call, keys, heads / keys,
                            dims.text(*head), dims.text(*value)));
  if (op.outputs.size() > 1 && op.outputs[1] >= 0 && writer.net.values[op.outputs[1]].uses > 0)
    writer.assign(op.outputs[1], "state",
                  fmt::format("cache[{}]", writer.dimsText(writer.shapeOf(op.outputs[1]))));
  return true;
}
