// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware to target.chip. Cycles become seconds by the nearest clock and words become bytes by the
// nearest dtype, so that the IR has base units only. Energies per word are kept per byte.
#include "frontend/build/BuildContext.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Systems.h"

#include "frontend/build/Attributes.h"
#include "frontend/build/ChipChecks.h"
#include "frontend/build/KernelLibraryBuilder.h"
#include "frontend/build/PriceBuilder.h"
#include "frontend/build/TimeloopBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Gpu.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "ir/target/LayerFigures.h"
#include "ir/target/TargetOps.h"

using namespace perfc;

namespace {

class ChipBuilder {
public:
  explicit ChipBuilder(BuildContext &context)
      : context(context), diagnostics(context.diagnostics) {}

  llvm::Optional<BuiltTarget> build(const Instance &hardware);

private:
  void parts(const Node &node, ir::Region &region, const UnitContext &units);
  void memory(const Node &node, ir::Region &region, const UnitContext &outer);
  void systolic(const Node &node, ir::Operation &op);
  void array(const Node &node, ir::Region &region, const UnitContext &outer);
  void partial(const Node &node, ir::Operation &op);
  void compute(const Node &node, ir::Region &region, const UnitContext &outer);
  ir::AttrDict byDtype(const Node &attribute, llvm::StringRef name, llvm::StringRef key,
                       const UnitContext &units, bool isRate, bool isVector);
  void layers(const Node &node, ir::Operation &chip, const UnitContext &units);
  llvm::Optional<Quantity> normalRate(const Quantity &value, const Node &where,
                                      const UnitContext &units, bool isVector);
  void network(const Node &node, ir::Region &region, UnitContext units);
  UnitContext nestedUnits(const Node &node, UnitContext units);

  BuildContext &context;
  DiagnosticEngine &diagnostics;
};

UnitContext ChipBuilder::nestedUnits(const Node &node, UnitContext units) {
  if (const Quantity *clock = node.quantity("clock")) {
    units.clock = *clock;
    units.clockIsUnknown = false;
  } else if (node.find("clock")) {
    units.clockIsUnknown = true;
  }
  if (const Node *dtype = node.find("dtype"); dtype && !dtype->args.empty()) {
    auto format = context.evaluator.format(dtype->args[0].value, dtype->args[0].range);
    units.dtype = format.getValueOr(units.dtype);
  }
  return units;
}

void ChipBuilder::memory(const Node &node, ir::Region &region, const UnitContext &outer) {
  UnitContext units = nestedUnits(node, outer);
  ir::Operation *op = context.builder.create(region, "target.memory", node.range);
  op->setSymbol(node.name);
  setQuantity(context, *op, "capacity", node.find("capacity"), units);
  if (const Node *bandwidth = node.find("bandwidth")) {
    setQuantity(context, *op, "bandwidth", bandwidth, units);
    setQuantity(context, *op, "read_bandwidth", bandwidth->find("read"), units);
    setQuantity(context, *op, "write_bandwidth", bandwidth->find("write"), units);
  }
  setQuantity(context, *op, "latency", node.find("latency"), units);
  if (const Node *energy = node.find("energy")) {
    const Node *read = energy->find("read"), *write = energy->find("write");
    setEnergyPerByte(context, *op, "read_energy", read ? read : energy, units);
    setEnergyPerByte(context, *op, "write_energy", write ? write : energy, units);
    setEnergyPerByte(context, *op, "update_energy", energy->find("update"), units);
    setQuantity(context, *op, "address_energy", energy->find("address"), units);
  }
  setQuantity(context, *op, "leak", node.find("leak"), units);
  setQuantity(context, *op, "area", node.find("area"), units);
  if (const Quantity *width = node.quantity("width"); width && width->sign() == 0)
    context.diagnostics.report(node.find("width")->range, diag::ZeroValue, "width");
  setQuantity(context, *op, "width", node.find("width"), units);
  if (const Node *buffering = node.find("buffering"); buffering && !buffering->args.empty())
    if (const auto *word = buffering->args[0].value.getIf<WordValue>())
      op->setAttr("buffering", word->word);
  setNames(*op, "keep", node.find("keep"));
  partial(node, *op);
  if (node.find("off_chip"))
    op->setAttr("off_chip", ir::Attribute::unit());
  setTimeloopLevel(context, node, *op);
}

/// `partial int32, fp32`: one format for whole results, one for floating ones.
void ChipBuilder::partial(const Node &node, ir::Operation &op) {
  const Node *word = node.find("partial");
  if (!word)
    return;
  std::vector<std::string> names;
  llvm::Optional<DType> floating, whole;
  for (const NodeArg &arg : word->args) {
    llvm::Optional<DType> format = context.evaluator.format(arg.value, arg.range);
    if (!format)
      continue;
    std::string name = dtypeName(*format).str();
    llvm::Optional<DType> &known = isFloating(*format) ? floating : whole;
    if (known)
      diagnostics.report(arg.range, diag::BadPartial, name,
                         fmt::format("`{}` before it is for {} results, too", dtypeName(*known),
                                     isFloating(*format) ? "floating" : "whole"));
    if (scaleBlockOf(*format))
      diagnostics.report(arg.range, diag::BadPartial, name,
                         "sums that grow one by one share no scale");
    known = format;
    names.push_back(name);
  }
  op.setAttr("partial", ir::Attribute::strings(names));
  auto memory = ir::as<target::MemoryOp>(op);
  if (memory && !memory.keeps("output") && !memory.keeps("intermediate"))
    diagnostics.report(word->range, diag::WordWithoutEffect, "partial",
                       "this memory keeps no results");
}

/// `systolic weight`, `overlap_folds`.
void ChipBuilder::systolic(const Node &node, ir::Operation &op) {
  const Node *word = node.find("systolic"), *overlap = node.find("overlap_folds");
  if (!word && overlap)
    diagnostics.report(overlap->range, diag::BadSystolic, node.name,
                       "`overlap_folds` says nothing without `systolic`");
  if (!word)
    return;
  if (node.args.size() != 2)
    diagnostics
        .report(word->range, diag::BadSystolic, node.name,
                fmt::format("it needs two axes, columns and rows, but has {}", node.args.size()))
        .note(node.range, "the array");
  if (const auto *what = word->args.empty() ? nullptr : word->args[0].value.getIf<WordValue>())
    op.setAttr("systolic", what->word);
  if (overlap)
    op.setAttr("overlap_folds", ir::Attribute::unit());
}

void ChipBuilder::array(const Node &node, ir::Region &region, const UnitContext &outer) {
  ir::Operation *op = context.builder.create(region, "target.array", node.range);
  op->setSymbol(node.name);
  ir::AttrDict axes;
  // What the chip has is shared by all copies.
  UnitContext units = nestedUnits(node, outer);
  for (const NodeArg &axis : node.args)
    if (const Quantity *size = axis.value.getIf<Quantity>()) {
      axes.set(axis.name, size->rational().numerator());
      for (UnitContext::Each &each : units.each)
        each.factor = each.factor ? divide(*each.factor, size->rational()) : llvm::None;
    }
  if (node.args.empty())
    diagnostics.report(node.range, diag::ArrayWithoutSize, node.name);
  op->setAttr("axes", axes);
  if (!target::copiesIn(*op))
    diagnostics.report(node.range, diag::QuantityTooLarge)
        .help("all copies of a part together are at most 2^63 - 1");
  if (node.find("dispatch"))
    op->setAttr("dispatch", ir::Attribute::unit());
  systolic(node, *op);
  if (node.find("clock") && units.clock)
    op->setAttr("clock", *units.clock);
  if (units.dtype != outer.dtype)
    op->setAttr("dtype", dtypeName(units.dtype));
  parts(node, op->body(), units);
}

llvm::Optional<Quantity> ChipBuilder::normalRate(const Quantity &value, const Node &where,
                                                 const UnitContext &units, bool isVector) {
  auto rate = inBaseUnits(context, value, where.range, units);
  if (!rate)
    return llvm::None;
  Dimension perSecond = Dimension() / BaseUnit::Second;
  if (rate->dimension() == perSecond)
    return rate;
  // FLOP/s: a multiply-accumulate is two operations, an element function is one.
  QuantityError error = QuantityError::None;
  auto halved =
      apply("/", rate->withDimension(perSecond), Quantity(Rational(isVector ? 1 : 2)), error);
  return halved;
}

/// Values by number format; the one without a block is that of `key`.
ir::AttrDict ChipBuilder::byDtype(const Node &attribute, llvm::StringRef name, llvm::StringRef key,
                                  const UnitContext &units, bool isRate, bool isVector) {
  ir::AttrDict values;
  auto add = [&](llvm::StringRef format, const Node &node) {
    const Quantity *value = node.args.empty() ? nullptr : node.args[0].value.getIf<Quantity>();
    if (!value)
      return;
    if (!accepts(*attribute.spec, value->dimension())) {
      diagnostics.report(node.args[0].range, diag::WrongDimension, name,
                         describe(attribute.spec->dims), value->dimension().describe());
      return;
    }
    auto normal =
        isRate ? normalRate(*value, node, units, isVector) : energyPerOperation(*value, isVector);
    if (normal && checkRange(context, *normal, node.args[0].range))
      values.set(format, *normal);
  };
  add(key, attribute);
  for (const Node *entry : attribute.children)
    add(entry->word, *entry);
  return values;
}

void ChipBuilder::compute(const Node &node, ir::Region &region, const UnitContext &outer) {
  ir::Operation *op = context.builder.create(region, "target.compute", node.range);
  op->setSymbol(node.name);
  UnitContext units = nestedUnits(node, outer);
  bool isVector = node.find("ops") != nullptr;
  llvm::StringRef key = node.find("dtype") ? dtypeName(units.dtype) : "any";
  if (const Node *rate = node.find("rate"))
    op->setAttr("rate", byDtype(*rate, "rate", key, units, /*isRate=*/true, isVector));
  if (const Node *energy = node.find("energy"))
    op->setAttr("energy", byDtype(*energy, "energy", key, units, /*isRate=*/false, isVector));
  setQuantity(context, *op, "leak", node.find("leak"), units);
  setNames(*op, "ops", node.find("ops"));
  setQuantity(context, *op, "area", node.find("area"), units);
  setTimeloopLevel(context, node, *op);
}

/// Figures of kinds of work, rates of multiply-accumulates also by number format: "first.int8".
void ChipBuilder::layers(const Node &node, ir::Operation &chip, const UnitContext &units) {
  ir::AttrDict figures;
  for (const Node *child : node.children) {
    if (llvm::is_contained(target::layerFlags, child->word)) {
      chip.setAttr(child->word, ir::Attribute::unit());
    } else if (child->spec->dims == Dims::Rate) {
      ir::AttrDict rates = byDtype(*child, child->word, "", units, /*isRate=*/true,
                                   /*isVector=*/false);
      for (const auto &[format, rate] : rates.entries())
        figures.set(child->word.str() + (format.empty() ? "" : ".") + format, rate);
    } else if (!child->args.empty()) {
      const Quantity *value = child->args[0].value.getIf<Quantity>();
      auto base = value ? inBaseUnits(context, *value, child->range, units) : llvm::None;
      if (base && checkRange(context, *base, child->range))
        figures.set(child->word, *base);
    }
  }
  chip.setAttr("layers", figures);
}

/// A network of a chip stands in the array that it feeds.
void ChipBuilder::network(const Node &node, ir::Region &region, UnitContext units) {
  units.each = {{BaseUnit::Hop, Rational(1), ""}};
  buildNetwork(context, node, region, units);
  if (!region.parentOp()->is("target.array"))
    diagnostics.report(node.range, diag::WordWithoutEffect, "network",
                       "the network of a chip stands in the array that it feeds");
  for (llvm::StringRef word : {"topology", "link", "library"})
    if (const Node *part = node.find(word))
      diagnostics.report(part->range, diag::WordWithoutEffect, word,
                         "it is about the networks of systems; words enter an array at the middle "
                         "of one side and travel along its first axis, then along the others");
}

void ChipBuilder::parts(const Node &node, ir::Region &region, const UnitContext &units) {
  for (const Node *child : node.children) {
    if (child->word == "memory")
      memory(*child, region, units);
    else if (child->word == "array")
      array(*child, region, units);
    else if (child->word == "compute")
      compute(*child, region, units);
    else if (child->word == "network")
      network(*child, region, nestedUnits(*child, units));
  }
}

llvm::Optional<BuiltTarget> ChipBuilder::build(const Instance &hardware) {
  size_t errors = diagnostics.errorCount();
  Node *node = context.elaborator.declaration(hardware, context.allowMissing);
  if (diagnostics.errorCount() != errors)
    return llvm::None;
  UnitContext units = nestedUnits(*node, {});
  units.each = {{BaseUnit::Chip, Rational(1), ""}};
  ir::Operation *chip =
      context.createTop("target.chip", hardware.decl->name, hardware.decl->nameRange);
  chip->setAttr("dtype", dtypeName(units.dtype));
  if (units.clock)
    chip->setAttr("clock", *units.clock);
  partial(*node, *chip);
  setQuantity(context, *chip, "boost", node->find("boost"), units);
  setQuantity(context, *chip, "launch", node->find("launch"), units);
  setQuantity(context, *chip, "tdp", node->find("tdp"), units);
  setQuantity(context, *chip, "area", node->find("area"), units);
  if (auto prices = readPrice(context, *node); prices && !prices->empty())
    chip->setAttr("price", std::move(*prices));
  if (const Node *figures = node->find("layers"))
    layers(*figures, *chip, units);
  setMeasuredOver(context, node->find("measured_over"), *chip);
  if (const Node *generation = node->find("generation"); generation && !generation->args.empty()) {
    const Value &value = generation->args[0].value;
    const Instance *instance = value.getIf<Instance>();
    if (instance && instance->decl->kind == DeclKind::Generation)
      context.chipGenerations.try_emplace(chip->symbol(), *instance);
    else if (!value.isUnknown())
      diagnostics.report(generation->range, diag::NotKernels, "generation", "generation",
                         value.describe());
  }
  if (const Node *link = node->find("link"); link && !link->args.empty()) {
    const Value &value = link->args[0].value;
    const Instance *network = value.getIf<Instance>();
    if (network && network->decl->kind == DeclKind::Network)
      context.chipLinks.try_emplace(chip->symbol(), *network);
    else if (!value.isUnknown())
      diagnostics.report(link->range, diag::NotANetwork, "link", value.describe());
  }
  if (const Node *calibrate = node->find("calibrate"); calibrate && !calibrate->args.empty()) {
    if (const std::string *table = calibrate->args[0].value.getIf<std::string>())
      chip->setAttr("calibrate",
                    ir::AttrDict{{"table", *table}, {"chip", written(Value(hardware))}});
    if (!node->find("layers"))
      diagnostics.report(calibrate->range, diag::NothingToCalibrate, hardware.decl->name);
  }
  parts(*node, chip->body(), units);
  checkChip(*chip, diagnostics);
  if (diagnostics.errorCount() != errors)
    return llvm::None;
  return BuiltTarget{chip->symbol().str(), written(Value(hardware)), &hardware, units.dtype};
}

} // namespace

static void describe(KeptChip &kept, const BuildContext &context, const BuiltTarget &built) {
  kept.label = built.label;
  kept.dtype = built.dtype;
  if (auto link = context.chipLinks.find(built.symbol); link != context.chipLinks.end())
    kept.link = link->second;
  if (auto known = context.chipGenerations.find(built.symbol);
      known != context.chipGenerations.end())
    kept.generation = known->second;
}

static BuiltTarget takeChip(BuildContext &context, const KeptChip &kept, const Instance &hardware) {
  ir::ValueMap map;
  ir::Operation &chip = kept.module.body().front().clone(context.module.body(), map);
  chip.setSymbol(context.module.uniqueName(hardware.decl->name));
  if (kept.link)
    context.chipLinks.try_emplace(chip.symbol(), *kept.link);
  if (kept.generation)
    context.chipGenerations.try_emplace(chip.symbol(), *kept.generation);
  return {chip.symbol().str(), kept.label, &hardware, kept.dtype};
}

static llvm::Optional<BuiltTarget> buildNew(BuildContext &context, const Instance &hardware,
                                            const std::string &key) {
  if (!context.keptChips)
    return ChipBuilder(context).build(hardware);
  std::string placed = fmt::format("{}@{}", key, hardware.range.begin);
  if (auto kept = context.keptChips->find(placed); kept != context.keptChips->end())
    return takeChip(context, kept->second, hardware);
  ChipKeeper keeper(context);
  auto built = ChipBuilder(context).build(hardware);
  if (built)
    if (KeptChip *kept = keeper.keep(placed, *context.module.lookup(built->symbol)))
      describe(*kept, context, *built);
  return built;
}

static llvm::Optional<BuiltTarget> buildOnce(BuildContext &context, const Instance &hardware) {
  std::string key = "chip " + hardware.decl->module->name + " " + Value(hardware).text();
  if (auto known = context.symbols.find(key); known != context.symbols.end()) {
    ir::Operation *chip = context.module.lookup(known->second);
    return BuiltTarget{known->second, written(Value(hardware)), &hardware,
                       *parseDType(chip->stringAttr("dtype"))};
  }
  auto built = buildNew(context, hardware, key);
  if (built)
    context.symbols[key] = built->symbol;
  return built;
}

llvm::Optional<BuiltTarget> perfc::buildChip(BuildContext &context, const Instance &hardware) {
  BlameScope blame(context.diagnostics, hardware.range);
  auto built = buildOnce(context, hardware);
  if (built)
    setGeneration(context, *context.module.lookup(built->symbol));
  return built;
}
