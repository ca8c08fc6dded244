// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Attributes.h"

using namespace perfc;

static llvm::Optional<Quantity> scaled(const Quantity &value, const Quantity &factor,
                                       int exponent) {
  QuantityError error = QuantityError::None;
  llvm::Optional<Quantity> result = value;
  for (int i = 0; result && i < std::abs(exponent); ++i)
    result = apply(exponent > 0 ? "*" : "/", *result, factor, error);
  return result;
}

llvm::Optional<Quantity> perfc::inBaseUnits(BuildContext &context, const Quantity &value,
                                            SourceRange where, const UnitContext &units) {
  Dimension dimension = value.dimension().withoutCounts();
  int cycles = dimension[BaseUnit::Cycle], words = dimension[BaseUnit::Word];
  llvm::Optional<Quantity> result = value.withDimension(dimension);
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
  return result;
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

void perfc::setEnergyPerByte(BuildContext &context, ir::Operation &op, llvm::StringRef name,
                             const Node *node, const UnitContext &units) {
  const Quantity *value = knownQuantity(node);
  if (!value)
    return;
  // Energies are per word unless they say otherwise.
  Quantity energy = *value;
  if (energy.dimension().withoutCounts() == Dimension(BaseUnit::Joule))
    energy = energy.withDimension(Dimension(BaseUnit::Joule) / BaseUnit::Word);
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
  setQuantity(context, *op, "bandwidth", node.find("bandwidth"), units);
  const Node *latency = node.find("latency");
  setQuantity(context, *op, "latency", latency, units);
  if (latency)
    setQuantity(context, *op, "hop_latency", latency->find("hop"), units);
  setNames(*op, "carry", node.find("carry"));
  if (const Node *to = node.find("to"); to && !to->args.empty())
    op->setAttr("to", to->args[0].value.get<WordValue>().word);
  const Node *topology = node.find("topology");
  if (!topology || topology->args.empty())
    return op;
  const WordValue &word = topology->args[0].value.get<WordValue>();
  op->setAttr("topology", word.word);
  ir::AttrDict arguments;
  for (const Argument &argument : word.arguments)
    if (const Quantity *value = argument.value->getIf<Quantity>())
      arguments.set(argument.name.empty() ? fmt::format("d{}", arguments.size()) : argument.name,
                    *value);
  if (!arguments.empty())
    op->setAttr("topology_arguments", arguments);
  return op;
}
