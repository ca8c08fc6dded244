// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations: by a name of the library or an expression over whole tensors where the
// operands fit each other as they stand, else by an equation over indices.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

namespace {

/// What an operator makes of its operands: $0, $1 and $2 stand for them, #name for an attribute.
struct Formula {
  llvm::StringLiteral type;
  llvm::StringLiteral module; ///< of the library, when the formula calls an op of it
  llvm::StringLiteral text;
  llvm::StringLiteral plain; ///< the same for whole tensors, where that is written otherwise
};

} // namespace

static constexpr Formula formulas[] = {
    {"Abs", "", "abs($0)", ""},
    {"Add", "", "$0 + $1", ""},
    {"And", "", "$0 * $1", ""},
    {"Acosh", "", "log($0 + sqrt($0 * $0 - 1))", ""},
    {"Asinh", "", "log($0 + sqrt($0 * $0 + 1))", ""},
    {"Atanh", "", "0.5 * log((1 + $0) / (1 - $0))", ""},
    {"Ceil", "", "ceil($0)", ""},
    {"Celu", "", "max($0, 0) + min(0, #alpha * (exp($0 / #alpha) - 1))", ""},
    {"Cos", "", "cos($0)", ""},
    {"Cosh", "", "0.5 * (exp($0) + exp(0 - $0))", ""},
    {"Div", "", "$0 / $1", ""},
    {"Elu", "", "max($0, 0) + min(0, #alpha * (exp($0) - 1))", ""},
    {"Erf", "", "erf($0)", ""},
    {"Exp", "", "exp($0)", ""},
    {"Floor", "", "floor($0)", ""},
    {"Gelu", "gelu", "", "gelu($0)"},
    {"GeluTanh", "gelu", "", "gelu_tanh($0)"},
    {"HardSigmoid", "", "max(0, min(1, #alpha * $0 + #beta))", ""},
    {"HardSwish", "silu", "$0 * max(0, min(1, $0 / 6 + 0.5))", "hard_swish($0)"},
    {"IsInf", "", "if abs($0) > 3e38 then 1 else 0", ""},
    {"IsNaN", "", "if $0 == $0 then 0 else 1", ""},
    {"LeakyRelu", "", "max($0, #alpha * $0)", ""},
    {"Log", "", "log($0)", ""},
    {"Mish", "", "$0 * tanh(log(1 + exp($0)))", ""},
    {"Mod", "", "$0 - floor($0 / $1) * $1", ""},
    {"Mul", "", "$0 * $1", ""},
    {"Neg", "", "0 - $0", ""},
    {"Not", "", "1 - $0", ""},
    {"Or", "", "max($0, $1)", ""},
    {"PRelu", "", "max($0, $1 * $0)", ""},
    {"Pow", "", "pow($0, $1)", ""},
    {"QuickGelu", "gelu", "$0 * sigmoid(#alpha * $0)", "quick_gelu($0)"},
    {"Reciprocal", "", "1 / $0", ""},
    {"Relu", "relu", "max($0, 0)", "relu($0)"},
    {"Round", "", "floor($0 + 0.5)", ""},
    {"Selu", "", "#gamma * (max($0, 0) + min(0, #alpha * (exp($0) - 1)))", ""},
    {"Shrink", "", "if abs($0) > #lambd then $0 - #bias else 0", ""},
    {"Sigmoid", "", "sigmoid($0)", ""},
    {"Sign", "", "max(0 - 1, min(1, $0 * 1e38))", ""},
    {"SiLU", "silu", "$0 * sigmoid($0)", "silu($0)"},
    {"Sin", "", "sin($0)", ""},
    {"Sinh", "", "0.5 * (exp($0) - exp(0 - $0))", ""},
    {"Softplus", "", "log(1 + exp($0))", ""},
    {"Softsign", "", "$0 / (1 + abs($0))", ""},
    {"Sqrt", "", "sqrt($0)", ""},
    {"Sub", "", "$0 - $1", ""},
    {"Swish", "silu", "$0 * sigmoid($0)", "silu($0)"},
    {"Tan", "", "sin($0) / cos($0)", ""},
    {"Tanh", "", "tanh($0)", ""},
    {"ThresholdedRelu", "", "if $0 > #alpha then $0 else 0", ""},
    {"Xor", "", "abs($0 - $1)", ""},
};

static const Formula *findFormula(llvm::StringRef type) {
  for (const Formula &formula : formulas)
    if (formula.type == type)
      return &formula;
  return nullptr;
}

/// Defaults of attributes that formulas name.
static double attributeOf(const Op &op, llvm::StringRef name) {
  if (const Attribute *given = op.node->find(name))
    return given->real;
  struct Default {
    llvm::StringLiteral type, name;
    double value;
  };
  static constexpr Default defaults[] = {
      {"Celu", "alpha", 1},           {"Elu", "alpha", 1},          {"HardSigmoid", "alpha", 0.2},
      {"HardSigmoid", "beta", 0.5},   {"LeakyRelu", "alpha", 0.01}, {"QuickGelu", "alpha", 1.702},
      {"Selu", "alpha", 1.67326},     {"Selu", "gamma", 1.0507},    {"Shrink", "lambd", 0.5},
      {"ThresholdedRelu", "alpha", 1}};
  for (const Default &one : defaults)
    if (one.type == op.type && one.name == name)
      return one.value;
  return 0;
}

static std::string filled(llvm::StringRef text, const Op &op,
                          llvm::ArrayRef<std::string> operands) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$') {
      result += operands[static_cast<size_t>(text[++i] - '0')];
    } else if (text[i] == '#') {
      llvm::StringRef name = text.drop_front(i + 1).take_while(
          [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
      result += realText(attributeOf(op, name));
      i += name.size();
    } else {
      result += text[i];
    }
  }
  return result;
}

/// The elementwise formula of an operator with several operands of one kind, or whose bounds are
/// numbers.
static std::string otherFormula(Writer &writer, const Op &op,
                                llvm::ArrayRef<std::string> operands) {
  if (op.type == "Clip") {
    const Inference attributes = writer.attributes(op);
    auto bound = [&](llvm::StringRef name, size_t input) -> std::string {
      if (const Attribute *given = attributes.attribute(name))
        return realText(given->real);
      return input < operands.size() ? operands[input] : "";
    };
    std::string least = bound("min", 1), most = bound("max", 2), text = operands[0];
    // The largest number of a format is no bound.
    for (std::string *one : {&least, &most})
      if (llvm::StringRef(*one).contains("inf") || llvm::StringRef(*one).contains("e+38"))
        one->clear();
    if (!least.empty())
      text = "max(" + text + ", " + least + ")";
    return most.empty() ? text : "min(" + text + ", " + most + ")";
  }
  if (op.type == "Where")
    return fmt::format("if {} > 0 then {} else {}", operands[0], operands[1], operands[2]);
  static const std::pair<llvm::StringLiteral, llvm::StringLiteral> relations[] = {
      {"Equal", "=="},
      {"Greater", ">"},
      {"GreaterOrEqual", ">="},
      {"Less", "<"},
      {"LessOrEqual", "<="}};
  for (const auto &[type, sign] : relations)
    if (op.type == type)
      return fmt::format("if {} {} {} then 1 else 0", operands[0], sign, operands[1]);
  std::string text = operands.empty() ? "" : operands[0];
  for (llvm::StringRef one : operands.drop_front()) {
    if (op.type == "Sum" || op.type == "Mean")
      text += " + " + one.str();
    else if (op.type == "Max" || op.type == "Min")
      text = (op.type == "Max" ? "max(" : "min(") + text + ", " + one.str() + ")";
  }
  return op.type == "Mean" ? fmt::format("({}) / {}", text, operands.size()) : text;
}

static bool isOther(llvm::StringRef type) {
  return type == "Clip" || type == "Where" || type == "Equal" || type == "Greater" ||
         type == "GreaterOrEqual" || type == "Less" || type == "LessOrEqual" || type == "Sum" ||
         type == "Mean" || type == "Max" || type == "Min";
}

/// Operands without which there is no formula.
static size_t neededOperands(const Op &op, const Formula *formula) {
  if (formula) {
    llvm::StringRef text = formula->text.empty() ? formula->plain : formula->text;
    return text.contains("$1") ? 2 : 1;
  }
  bool isRelation =
      op.type == "Equal" || op.type.startswith("Greater") || op.type.startswith("Less");
  return op.type == "Where" ? 3 : isRelation ? 2 : 1;
}

namespace {

/// One operation: how its operands stand to the form that its result takes.
class Elementwise {
public:
  Elementwise(Writer &writer, const Op &op) : writer(writer), op(op) {}
  bool write();

private:
  enum class Form { Absent, Number, Whole, Indexed };
  void chooseTarget();
  Form formOf(int value) const;
  bool fits(int value) const;
  std::string indexed(int value) const;
  void reform(int value);

  Writer &writer;
  const Op &op;
  Layout target;
};

} // namespace

/// The result stands as the operand of its shape does that is made by the graph, if any.
void Elementwise::chooseTarget() {
  const Shape &shape = writer.shapeOf(op.outputs[0]);
  for (bool stored : {false, true})
    for (int input : op.inputs)
      if (input >= 0 && writer.shapeOf(input) == shape &&
          writer.net.values[input].isStored == stored && !writer.net.isKnown(input)) {
        target = writer.layout(input);
        return;
      }
  target = writer.layout(op.outputs[0]);
}

/// Extents that depend on parameters may be written in two ways; a statement checks that they
/// agree.
static bool mayEqual(const Dim &a, const Dim &b) {
  return a == b || (!a.is(1) && !b.is(1) && !(a.isNumber() && b.isNumber()));
}

static bool sameForm(const Layout &a, const Layout &b) {
  if (a.ranks.size() != b.ranks.size() || a.dims != b.dims || a.fixed != b.fixed)
    return false;
  for (size_t i = 0; i < a.ranks.size(); ++i)
    if (!mayEqual(a.ranks[i], b.ranks[i]))
      return false;
  return true;
}

Elementwise::Form Elementwise::formOf(int value) const {
  if (value < 0)
    return Form::Absent;
  if (writer.net.number(value))
    return Form::Number;
  const Layout &at = writer.layout(value);
  if (sameForm(at, target))
    return Form::Whole;
  // The last ranks of the result, such as a bias.
  if (at.ranks.size() >= target.ranks.size() || at.dims.size() > target.dims.size())
    return Form::Indexed;
  unsigned next = 0;
  size_t skipped = target.dims.size() - at.dims.size();
  auto offset = static_cast<unsigned>(target.ranks.size() - at.ranks.size());
  for (size_t d = 0; d < at.dims.size(); ++d) {
    const auto &own = at.dims[d], &ranks = target.dims[skipped + d];
    if (own.empty() && next == 0)
      continue;
    if (own.size() != ranks.size())
      return Form::Indexed;
    for (size_t i = 0; i < own.size(); ++i, ++next)
      if (own[i] != next || ranks[i] != offset + next || target.ranks[ranks[i]] != at.ranks[next])
        return Form::Indexed;
  }
  return next == at.ranks.size() ? Form::Whole : Form::Indexed;
}

/// Whether an equation over the indices of the result can read `value` as it stands.
bool Elementwise::fits(int value) const {
  const Layout &at = writer.layout(value);
  if (at.dims.size() > target.dims.size())
    return false;
  size_t offset = target.dims.size() - at.dims.size();
  for (size_t d = 0; d < at.dims.size(); ++d) {
    const auto &own = at.dims[d], &ranks = target.dims[offset + d];
    bool isOne = llvm::all_of(own, [&](unsigned rank) { return at.ranks[rank].is(1); });
    if (isOne)
      continue;
    if (own.size() != ranks.size())
      return false;
    for (size_t i = 0; i < own.size(); ++i)
      if (!mayEqual(at.ranks[own[i]], target.ranks[ranks[i]]))
        return false;
  }
  return true;
}

/// A stored tensor that has no form yet takes the one of the result.
void Elementwise::reform(int value) {
  Layout &at = writer.layout(value);
  if (!at.isUnnamed() || writer.net.values[value].uses > 1 || at.dims.size() > target.dims.size())
    return;
  size_t offset = target.dims.size() - at.dims.size();
  Layout form;
  for (size_t d = 0; d < at.dims.size(); ++d) {
    form.dims.emplace_back();
    if (writer.shapeOf(value)[d].is(1))
      continue;
    for (unsigned rank : target.dims[offset + d]) {
      form.dims.back().push_back(static_cast<unsigned>(form.ranks.size()));
      form.ranks.push_back(target.ranks[rank]);
    }
  }
  if (form.ranks.empty())
    form.ranks.push_back(1);
  form.fixed.assign(form.ranks.size(), 0);
  if (writer.net.dims.product(form.ranks) == writer.net.dims.product(writer.shapeOf(value)))
    at = std::move(form);
}

std::string Elementwise::indexed(int value) const {
  Layout &at = writer.layout(value);
  std::vector<std::string> index;
  for (int64_t fixed : at.fixed)
    index.push_back(std::to_string(fixed));
  size_t offset = target.dims.size() - at.dims.size();
  for (size_t d = 0; d < at.dims.size(); ++d) {
    const auto &own = at.dims[d], &ranks = target.dims[offset + d];
    bool isOne = llvm::all_of(own, [&](unsigned rank) { return at.ranks[rank].is(1); });
    for (size_t i = 0; i < own.size() && !isOne; ++i)
      if (!target.ranks[ranks[i]].is(1))
        index[own[i]] = indexName(ranks[i]);
  }
  return fmt::format("{}[{}]", writer.named(value), fmt::join(index, ", "));
}

bool Elementwise::write() {
  const Formula *formula = findFormula(op.type);
  if (op.outputs.empty() || (!formula && !isOther(op.type)))
    return false;
  for (size_t i = 0; i < neededOperands(op, formula); ++i)
    if (op.input(i) < 0)
      return false;
  int result = op.outputs[0];
  chooseTarget();
  // Ranks that stand for one place of a larger tensor are no ranks of the result.
  bool isView = llvm::any_of(target.fixed, [](int64_t place) { return place != 0; });
  for (size_t r = 0; r < target.ranks.size(); ++r) {
    bool isMeant =
        llvm::any_of(target.dims, [&](const auto &ranks) { return llvm::is_contained(ranks, r); });
    isView |= !isMeant && !target.ranks[r].is(1);
  }
  auto toPlain = [&] {
    target = Layout();
    target.ranks = writer.shapeOf(result);
    for (unsigned i = 0; i < target.ranks.size(); ++i)
      target.dims.push_back({i});
    if (target.ranks.empty())
      target.ranks.push_back(1);
    target.fixed.assign(target.ranks.size(), 0);
  };
  if (isView)
    toPlain();
  // A stored tensor takes the form that the others have, unless it is stored for several.
  for (int input : op.inputs)
    if (formOf(input) == Form::Indexed && !fits(input) &&
        (!writer.layout(input).isUnnamed() || writer.net.values[input].uses > 1))
      toPlain();
  bool isChoice = formula && formula->text.startswith("if ");
  bool isWhole = isChoice ? false
                 : !formula || formula->plain.empty()
                     ? !isOther(op.type) || op.type == "Clip" || op.type == "Max" ||
                           op.type == "Min" || op.type == "Sum" || op.type == "Mean"
                     : true;
  // An expression over whole tensors has no format of its own, a call has.
  if (!writer.formatOf(result).empty())
    isWhole &= formula && !formula->plain.empty() && !formula->module.empty();
  bool hasTensor = false;
  for (int input : op.inputs) {
    if (input >= 0)
      reform(input);
    Form form = formOf(input);
    if (form == Form::Indexed && !fits(input))
      writer.plain(input);
    form = formOf(input);
    isWhole &= form != Form::Indexed;
    hasTensor |= form == Form::Whole && sameForm(writer.layout(input), target);
  }
  isWhole &= hasTensor;
  std::vector<std::string> operands;
  for (int input : op.inputs) {
    Form form = formOf(input);
    if (form == Form::Absent)
      operands.emplace_back();
    else if (form == Form::Number)
      operands.push_back(realText(*writer.net.number(input)));
    else if (isWhole)
      operands.push_back(writer.layout(input).isUnnamed()
                             ? writer.weight(input, Shape(writer.layout(input).ranks))
                             : writer.named(input));
    else if (!fits(input))
      return false;
    else
      operands.push_back(indexed(input));
  }
  std::string text;
  if (!formula)
    text = otherFormula(writer, op, operands);
  else
    text =
        filled(isWhole && !formula->plain.empty() ? formula->plain : formula->text, op, operands);
  if (text.empty())
    return false;
  if (formula && isWhole && !formula->module.empty())
    writer.library(formula->module, "");
  if (isWhole) {
    writer.assign(result, op.type, text, target.ranks, target.dims);
    return true;
  }
  std::vector<std::string> indices;
  for (size_t i = 0; i < target.ranks.size(); ++i)
    indices.push_back(target.ranks[i].is(1) ? "0" : indexName(i));
  writer.equation(result, op.type, indices, "=", text, target.ranks, target.dims);
  return true;
}

bool graph::writeElementwise(Writer &writer, const Op &op) {
  return Elementwise(writer, op).write();
}
