// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Attributes.h"

#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/common/diagnostics/Systems.h"
#include "ir/common/diagnostics/Values.h"
#include <cmath>

using namespace perfc;

static llvm::Optional<Quantity> scaled(const Quantity &value, const Quantity &factor,
                                       int exponent) {
  QuantityError error = QuantityError::None;
  llvm::Optional<Quantity> result = value;
  for (int i = 0; result && i < std::abs(exponent); ++i)
    result = apply(exponent > 0 ? "*" : "/", *result, factor, error);
  return result;
}

const UnitContext::Each *UnitContext::find(BaseUnit unit) const {
  for (const Each &entry : each)
    if (entry.unit == unit)
      return &entry;
  return nullptr;
}

/// `value`, which may be given for each chip, node, link or hop, as what parts have; nothing after
/// a report.
static llvm::Optional<Quantity> forParts(BuildContext &context, const Quantity &value,
                                         SourceRange where, const UnitContext &units) {
  llvm::Optional<Quantity> result = value;
  for (BaseUnit unit : {BaseUnit::Chip, BaseUnit::Node, BaseUnit::Link, BaseUnit::Hop}) {
    int exponent = value.dimension()[unit];
    if (exponent == 0)
      continue;
    const UnitContext::Each *each = units.find(unit);
    if (each && each->factor && exponent == -1) {
      result = scaled(*result, Quantity(*each->factor), 1);
      if (!result)
        context.diagnostics.report(where, diag::QuantityTooLarge);
    } else {
      if (!each || exponent != -1 || !each->why.empty())
        context.diagnostics.report(where, diag::CountNotHere, Dimension(unit).unitText(),
                                   each && exponent == -1 ? each->why
                                                          : "nothing is counted in it there");
      result = llvm::None;
    }
    if (!result)
      return llvm::None;
  }
  return result->withDimension(value.dimension().withoutCounts());
}

bool perfc::checkRange(BuildContext &context, const Quantity &value, SourceRange where) {
  constexpr double largest = 1e30;
  Uncertain figure = value.toUncertain();
  double size = std::fabs(figure.central());
  bool isGood = size == 0 || (size >= 1 / largest && size <= largest);
  for (const Uncertain::Contribution &part : figure.contributions())
    isGood &= std::fabs(part.delta) <= largest;
  if (!isGood)
    context.diagnostics.report(where, diag::QuantityTooLarge)
        .help("figures are between 1e-30 and 1e30 in s, B, J, m and their quotients");
  return isGood;
}

llvm::Optional<Quantity> perfc::inBaseUnits(BuildContext &context, const Quantity &value,
                                            SourceRange where, const UnitContext &units) {
  llvm::Optional<Quantity> result = forParts(context, value, where, units);
  if (!result)
    return llvm::None;
  Dimension dimension = result->dimension();
  int cycles = dimension[BaseUnit::Cycle], words = dimension[BaseUnit::Word];
  if (cycles != 0) {
    if (units.clockIsUnknown)
      return llvm::None;
    if (!units.clock) {
      context.diagnostics.report(where, diag::CycleWithoutClock)
          .help("give the block a `clock`, such as `clock 1GHz`");
      return llvm::None;
    }
    result = result->withDimension(dimension / *Dimension(BaseUnit::Cycle).power(Rational(cycles)));
    result = scaled(*result, *units.clock, -cycles);
  }
  if (words != 0 && result) {
    Dimension word = *Dimension(BaseUnit::Word).power(Rational(words));
    Quantity bytes(*Rational::make(bitsOf(units.dtype), 8), BaseUnit::Byte);
    result = scaled(result->withDimension(result->dimension() / word), bytes, words);
  }
  if (!result)
    context.diagnostics.report(where, diag::QuantityTooLarge);
  return result && checkRange(context, *result, where) ? result : llvm::None;
}

static const Quantity *knownQuantity(const Node *node) {
  return node && !node->args.empty() ? node->args[0].value.getIf<Quantity>() : nullptr;
}

void perfc::setQuantity(BuildContext &context, ir::Operation &op, llvm::StringRef name,
                        const Node *node, const UnitContext &units) {
  if (const Quantity *value = knownQuantity(node))
    if (auto normal = inBaseUnits(context, *value, node->args[0].range, units))
      op.setAttr(name, *normal);
}

void perfc::setMeasuredOver(BuildContext &context, const Node *node, ir::Operation &op) {
  ir::AttrDict factors;
  for (const NodeArg &arg : node ? llvm::ArrayRef<NodeArg>(node->args) : llvm::None) {
    const Quantity *factor = arg.value.getIf<Quantity>();
    if (!factor && arg.value.isUnknown())
      continue;
    if (!factor || !factor->dimension().isNumber() || factor->sign() <= 0)
      context.diagnostics.report(arg.range, diag::WrongDimension, arg.name, "a positive number",
                                 factor ? factor->text() : arg.value.describe());
    else if (checkRange(context, *factor, arg.range))
      factors.set(arg.name, *factor);
  }
  if (!factors.empty())
    op.setAttr("measured_over", std::move(factors));
}

void perfc::setEnergyPerByte(BuildContext &context, ir::Operation &op, llvm::StringRef name,
                             const Node *node, const UnitContext &units) {
  const Quantity *value = knownQuantity(node);
  if (!value)
    return;
  // Energies are per word unless they say otherwise.
  Quantity energy = *value;
  if (energy.dimension().withoutCounts() == Dimension(BaseUnit::Joule))
    energy = energy.withDimension(energy.dimension() / BaseUnit::Word);
  if (auto normal = inBaseUnits(context, energy, node->args[0].range, units))
    op.setAttr(name, *normal);
}

llvm::Optional<Quantity> perfc::energyPerOperation(const Quantity &value, bool isVector) {
  Quantity energy = value.withDimension(BaseUnit::Joule);
  bool perOperation = value.dimension() != Dimension(BaseUnit::Joule);
  QuantityError error = QuantityError::None;
  if (!perOperation || isVector)
    return energy;
  return apply("*", energy, Quantity(Rational(2)), error);
}

void perfc::setNames(ir::Operation &op, llvm::StringRef name, const Node *node) {
  if (!node)
    return;
  std::vector<std::string> names;
  for (const NodeArg &arg : node->args)
    if (const WordValue *word = arg.value.getIf<WordValue>())
      names.push_back(word->word);
  op.setAttr(name, ir::Attribute::strings(names));
}

/// Axes of the array around `region`, for `multicast` and `reduce` without names.
static std::vector<std::string> allAxes(const ir::Region &region) {
  std::vector<std::string> names;
  const ir::Operation *parent = region.parentOp();
  if (parent && parent->is("target.array"))
    for (const auto &[name, size] : parent->dictAttr("axes").entries())
      names.push_back(name);
  return names;
}

/// `torus(x = 4, y = 4)`: its name and arguments.
static void setTopology(ir::Operation &op, const WordValue &word) {
  op.setAttr("topology", word.word);
  ir::AttrDict arguments;
  for (const Argument &argument : word.arguments)
    if (const Quantity *value = argument.value->getIf<Quantity>())
      arguments.set(argument.name.empty() ? fmt::format("d{}", arguments.size()) : argument.name,
                    *value);
  if (!arguments.empty())
    op.setAttr("topology_arguments", arguments);
}

/// One value as `name`, or one for each dimension of `topology`, a torus or mesh, as `list`.
static void setByDimension(BuildContext &context, ir::Operation &op, llvm::StringRef name,
                           llvm::StringRef list, const Node *node, const Node *topology,
                           const UnitContext &units) {
  if (!node || node->args.size() < 2)
    return setQuantity(context, op, name, node, units);
  static const WordValue plain{"switch", {}};
  const WordValue &shape =
      topology && !topology->args.empty() ? topology->args[0].value.get<WordValue>() : plain;
  bool isGrid = shape.word == "torus" || shape.word == "mesh";
  size_t dimensions = std::max<size_t>(1, shape.arguments.size());
  if (!isGrid || dimensions != node->args.size()) {
    context.diagnostics.report(
        node->args[isGrid ? std::min(dimensions, node->args.size() - 1) : 1].range,
        diag::BadTopology, shape.word,
        fmt::format("{}, but `{}` has {}",
                    isGrid ? "it has " + counted(dimensions, "dimension")
                           : "only a torus or mesh has a value for each dimension",
                    name, counted(node->args.size(), "value")));
    return;
  }
  // A dimension has two links of its own.
  UnitContext own = units;
  for (UnitContext::Each &each : own.each)
    if (each.unit == BaseUnit::Link && each.factor)
      each.factor = 2;
  ir::AttrList values;
  for (const NodeArg &arg : node->args) {
    const Quantity *value = arg.value.getIf<Quantity>();
    auto normal = value ? inBaseUnits(context, *value, arg.range, own) : llvm::None;
    if (!normal)
      return;
    values.push_back(*normal);
  }
  op.setAttr(list, std::move(values));
}

ir::Operation *perfc::buildNetwork(BuildContext &context, const Node &node, ir::Region &region,
                                   const UnitContext &units) {
  ir::Operation *op = context.builder.create(region, "target.network", node.range);
  if (!node.name.empty() && node.word == "network")
    op->setSymbol(node.name);
  for (llvm::StringRef sharing : {"multicast", "reduce"}) {
    const Node *axes = node.find(sharing);
    if (!axes)
      continue;
    std::vector<std::string> all = allAxes(region);
    if (axes->args.empty()) {
      op->setAttr(sharing, ir::Attribute::strings(all));
      continue;
    }
    setNames(*op, sharing, axes);
    for (const NodeArg &axis : axes->args)
      if (const WordValue *word = axis.value.getIf<WordValue>();
          word && !llvm::is_contained(all, word->word))
        context.diagnostics.report(axis.range, diag::UnknownAxis, word->word);
  }
  if (const Node *energy = node.find("energy")) {
    setEnergyPerByte(context, *op, "energy", energy, units);
    setEnergyPerByte(context, *op, "hop_energy", energy->find("hop"), units);
    setEnergyPerByte(context, *op, "multicast_energy", energy->find("multicast"), units);
    setEnergyPerByte(context, *op, "reduce_energy", energy->find("reduce"), units);
  }
  const Node *latency = node.find("latency"), *topology = node.find("topology");
  setByDimension(context, *op, "bandwidth", "bandwidths", node.find("bandwidth"), topology, units);
  setByDimension(context, *op, "latency", "latencies", latency, topology, units);
  if (latency)
    setQuantity(context, *op, "hop_latency", latency->find("hop"), units);
  setNames(*op, "carry", node.find("carry"));
  if (const Node *to = node.find("to"); to && !to->args.empty())
    op->setAttr("to", to->args[0].value.get<WordValue>().word);
  if (topology && !topology->args.empty())
    setTopology(*op, topology->args[0].value.get<WordValue>());
  return op;
}
