// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, rotary positions and caches of keys and values: ops of the library where they have the
// form, else one op of the program.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

namespace {

/// softmax(q k + mask) v. Queries are [B, H, T, E] or [B, G, H, T, E]; the keys of a group of heads
/// are [B, G, S, E], or [B, G, E, S] as a product has them.
class Attention {
public:
  Attention(Writer &writer, const Op &op)
      : writer(writer), op(op), inGroups(op.type == "Attend"), isCausal(flag("causal") != 0),
        window(flag("window")),
        isTurned(!inGroups && op.numbers.empty() && !op.node->find("turned")), q(op.input(0)),
        k(op.input(1)), v(op.input(2)), mask(op.input(3)) {}
  bool write();

private:
  int64_t flag(llvm::StringRef name) const {
    const Attribute *found = inGroups ? op.node->find(name) : nullptr;
    return found ? found->integer : 0;
  }
  std::string keys();
  std::string libraryCall(const std::string &operands);
  std::string ownOp(std::string &operands);
  void assign(const std::string &call);

  Writer &writer;
  const Op &op;
  bool inGroups, isCausal;
  int64_t window;
  bool isTurned;
  int q, k, v, mask;
  int64_t perGroup = 1;
};

} // namespace

/// Keys with positions before features, as a tensor of its own; "" where they have no name.
std::string Attention::keys() {
  if (!isTurned)
    return writer.plain(k);
  Layout at = writer.layout(k);
  std::swap(at.dims[2], at.dims[3]);
  if (writer.isPlain(at))
    return at.name;
  std::string x = writer.plain(k);
  const Shape shape = writer.shapeOf(k);
  writer.net.values.emplace_back();
  int copy = static_cast<int>(writer.net.values.size()) - 1;
  writer.net.values[copy].shape = {shape[0], shape[1], shape[3], shape[2]};
  writer.net.values[copy].type = writer.net.values[k].type;
  writer.grow();
  return writer.equation(copy, "keys", {"i", "j", "k", "l"}, "=", x + "[i, j, l, k]",
                         writer.net.values[copy].shape, {{0}, {1}, {2}, {3}});
}

/// The call of an op of the library; "" where none has the form.
std::string Attention::libraryCall(const std::string &operands) {
  const Shape &ofQ = writer.shapeOf(q), &ofK = writer.shapeOf(k), &ofV = writer.shapeOf(v);
  if (mask >= 0 || ofQ.back() != ofV[3] || (isCausal && !inGroups) || (inGroups != isCausal) ||
      perGroup != 1)
    return "";
  if (isCausal) {
    llvm::StringRef name = window ? "attend_window" : "attend";
    return fmt::format("{}({}{})", writer.library("attention", name), operands,
                       window ? fmt::format(", window = {}", window) : "");
  }
  bool isSelf = ofQ[2] == ofK[isTurned ? 3 : 2];
  return fmt::format(
      "{}({})", writer.library("attention", isSelf ? "attention" : "cross_attention"), operands);
}

/// An op of the program for what differs; adds the mask and what it needs to `operands`.
std::string Attention::ownOp(std::string &operands) {
  // Indices of queries: all heads of a group are h; where they stand in one rank, g*N + h.
  bool isSplit = !inGroups && perGroup > 1;
  std::string ofQ = inGroups ? "Q[B, G, H, T, D]" : isSplit ? "Q[B, A, T, D]" : "Q[B, G, T, D]";
  std::string heads = inGroups || isSplit ? "b, g, h, i" : "b, g, i";
  std::string query = isSplit ? "b, g*N + h, i" : heads;
  std::string result = inGroups ? "b, i, g, h, e" : isSplit ? "b, g*N + h, i, e" : "b, g, i, e";
  std::string ofO = inGroups ? "O[B, T, G, H, E]" : isSplit ? "O[B, A, T, E]" : "O[B, G, T, E]";
  std::string parameters, masked, score = "S[" + heads + ", j]", ranges;
  if (isSplit) {
    parameters += ", N";
    ranges += "  where h < N\n";
  }
  if (isCausal)
    ranges += "  where j <= i + S_ - T\n";
  if (window)
    ranges += fmt::format("  where j > i + S_ - T - {}\n", window);
  if (mask >= 0) {
    std::string place, extents;
    const std::string head = isSplit ? "g*N + h" : "g";
    const std::string letters[] = {"b", head, "i", "j"};
    const Shape &shape = writer.shapeOf(mask);
    for (size_t d = 0; d < shape.size(); ++d) {
      extents += fmt::format("{}A{}", d ? ", " : "", d);
      bool isOne = shape[d].is(1) || (inGroups && 4 - shape.size() + d == 1);
      place += (d ? ", " : "") + (isOne ? "0" : letters[4 - shape.size() + d]);
    }
    parameters = ", mask[" + extents + "]" + parameters;
    operands += ", " + writer.plain(mask);
    masked = fmt::format("  W[{0}, j] = S[{0}, j] + mask[{1}]\n", heads, place);
    score[0] = 'W';
  }
  if (isSplit)
    operands += fmt::format(", N = {}", perGroup);
  return writer.privateOp("attention",
                          fmt::format("op NAME({}, K[B, G, S_, D], V[B, G, S_, E]{}) -> {} {{\n{}"
                                      "  S[{}, j] += Q[{}, d] * K[b, g, j, d]\n{}"
                                      "  m[{}]    max= {}\n"
                                      "  P[{}, j] = exp({} - m[{}])\n"
                                      "  z[{}]    += P[{}, j]\n"
                                      "  U[{}, e] += P[{}, j] * V[b, g, j, e]\n"
                                      "  O[{}] = U[{}, e] / z[{}]\n}}\n",
                                      ofQ, parameters, ofO, ranges, heads, query, masked, heads,
                                      score, heads, score, heads, heads, heads, heads, heads,
                                      result, heads, heads));
}

bool Attention::write() {
  const Shape ofQ = writer.shapeOf(q), ofK = writer.shapeOf(k);
  if (!inGroups && ofQ[1] != ofK[1]) {
    auto each = writer.net.dims.exactQuotient(ofQ[1], ofK[1]);
    if (!each || !each->isNumber())
      return false;
    perGroup = each->constant;
  }
  for (int value : {q, k, v})
    if (writer.layout(value).isUnnamed())
      writer.named(value);
  if (mask >= 0 && writer.shapeOf(mask).size() > 4)
    return false;
  std::string operands = fmt::format("{}, {}, {}", writer.plain(q), keys(), writer.plain(v));
  std::string call = libraryCall(operands);
  if (call.empty()) {
    std::string name = ownOp(operands);
    call = fmt::format("{}({})", name, operands);
  }
  writer.assign(op.outputs[0], "attention", call);
  return true;
}

static bool attention(Writer &writer, const Op &op) { return Attention(writer, op).write(); }

/// y = x cos + (-x2, x1) sin, of tables whose rows are positions and whose columns are half of the
/// features that turn; the others stay. Which rows are taken does not matter for the cost.
static bool rotary(Writer &writer, const Op &op) {
  int x = op.input(0), cosine = op.input(1), sine = op.input(2), to = op.outputs[0];
  if (cosine < 0 || sine < 0 || x < 0)
    return false;
  size_t ofTable = writer.shapeOf(cosine).size(), ofX = writer.shapeOf(x).size();
  if (ofTable < 2 || ofTable > 3 || ofX < 4)
    return false;
  Dim turned = writer.net.dims.multiply(writer.shapeOf(cosine).back(), 2);
  bool isPart = turned != writer.shapeOf(x).back();
  // A table [B, T, R] has rows of its own for each sequence.
  bool isEach = ofTable == 3;
  std::string row = isEach ? "b, t" : "T - 1 - t", head = isEach ? "b, ..., t" : "..., t";
  std::string rest = fmt::format("  y[{0}, 2*R + s] = x[{0}, 2*R + s]\n", head);
  std::string name = writer.privateOp(
      "rotary", fmt::format("op NAME(x[{0}, T, E], cosine{1}, sine{1}) -> y[{0}, T, E] {{\n"
                            "  where h < R\n{2}"
                            "  y[{3}, h] = x[{3}, h] * cosine[{4}, R - 1 - h] - x[{3}, h + R] * "
                            "sine[{4}, R - 1 - h]\n"
                            "  y[{3}, h + R] = x[{3}, h + R] * cosine[{4}, R - 1 - h] + x[{3}, h] "
                            "* sine[{4}, R - 1 - h]\n"
                            "{5}}}\n",
                            isEach ? "B, ..." : "...", isEach ? "[B, T, R]" : "[L, R]",
                            isPart ? "  where s < E - 2*R\n" : "", head, row, isPart ? rest : ""));
  std::string operand = writer.plain(x);
  writer.assign(
      to, "rotary",
      fmt::format("{}({}, {}, {})", name, operand, writer.named(cosine), writer.named(sine)));
  return true;
}

/// Recognised: tables with a column for each feature, spread over heads, and sequences where they
/// say so.
static bool rotaryHalves(Writer &writer, const Op &op) {
  int x = op.input(0), cosine = op.input(1), to = op.outputs[0];
  const Shape shape = writer.shapeOf(x), table = writer.shapeOf(cosine);
  size_t skipped = 4 - table.size();
  auto varies = [&](size_t d) { return d >= skipped && !table[d - skipped].is(1); };
  std::string operand = writer.plain(x), tables[2];
  for (size_t i = 0; i < 2; ++i) {
    int value = op.input(i + 1);
    tables[i] = writer.plain(value);
    tables[i] = writer.named(value);
  }
  std::string place;
  static constexpr llvm::StringLiteral letters[] = {"b", "h", "t", "e"};
  for (size_t d = skipped; d < 4; ++d)
    place += (d > skipped ? ", " : "") + (varies(d) ? letters[d].str() : std::string("0"));
  std::string extents;
  for (size_t d = 0; d < table.size(); ++d)
    extents += fmt::format("{}A{}", d ? ", " : "", d);
  if (!varies(3))
    return false;
  if (table.size() == 2) {
    writer.assign(to, "rotary",
                  fmt::format("{}({}, {}, {})", writer.library("rotary", "rotary"), operand,
                              tables[0], tables[1]));
    return true;
  }
  std::string name = writer.privateOp(
      "rotary",
      fmt::format("op NAME(x[B, H, T, E], cosine[{0}], sine[{0}]) -> y[B, H, T, E] {{\n"
                  "  y[b, h, t, e] = x[b, h, t, e] * cosine[{1}] +\n"
                  "      (x[b, h, t, e - E / 2] - x[b, h, t, e + E / 2]) * sine[{1}]\n}}\n",
                  extents, place));
  writer.assign(to, "rotary", fmt::format("{}({}, {}, {})", name, operand, tables[0], tables[1]));
  return true;
}

static bool appendCache(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  std::string x = writer.plain(from);
  writer.assign(to, "cache",
                fmt::format("{}(cache[{}], {})", writer.library("append", "append"),
                            writer.dimsText(writer.shapeOf(to)), x));
  return true;
}

static constexpr EmitterEntry attentionEmitterTable[] = {
    {"AppendCache", appendCache},   {"Attend", attention},          {"Rotary", rotary},
    {"RotaryHalves", rotaryHalves}, {"ScaledAttention", attention},
};

llvm::ArrayRef<EmitterEntry> graph::attentionEmitters() { return attentionEmitterTable; }
