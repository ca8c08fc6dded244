// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/UncertainInputs.h"

#include "ir/study/TrainOps.h"
#include "ir/target/GenerationOp.h"
#include "ir/target/TargetOps.h"
#include "ir/tile/LibraryOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

namespace {

/// An attribute that depends on a source.
struct Input {
  ir::Operation *op;
  std::string name;
  ir::Attribute value;
  bool isBesideKernels; ///< no cost of a kernel reads it
};

class UncertainInputs {
public:
  /// Those of kernels of libraries only `withFamilies`.
  UncertainInputs(ir::Module &module, ir::Operation &statement, bool withFamilies);

  /// Moves all that depends on `source` to the upper (`sign` 1) or lower (-1) end of its interval;
  /// the reason why that is not possible, "" where it is.
  std::string move(UncertaintySource source, double sign);
  void restore();
  /// Whether all that depends on `source` are energies.
  bool isOfEnergies(UncertaintySource source) const;
  /// Whether it is what was measured of kernels of libraries, and of runs of a stack.
  bool isOfKernels(UncertaintySource source) const;
  UncertainEnd::Moves movesOf(UncertaintySource source) const;

  /// In order of first appearance.
  std::vector<UncertaintySource> sources;

private:
  void findLibraries(const ir::Operation &op);
  void collect(ir::Operation &op, bool isBesideKernels);
  bool addSources(const ir::Attribute &value);

  std::vector<Input> inputs;
  bool withFamilies;
  std::vector<std::string> libraries; ///< names of those that may run a collective
};

} // namespace

UncertainInputs::UncertainInputs(ir::Module &module, ir::Operation &statement, bool withFamilies)
    : withFamilies(withFamilies) {
  statement.walk([&](const ir::Operation &part) {
    if (auto chosen = ir::as<study::AlgorithmOp>(part))
      libraries.push_back(chosen.name().str());
  });
  module.walk([&](const ir::Operation &op) { findLibraries(op); });
  for (ir::Operation &op : module.body())
    if (!op.name().startswith("study."))
      op.walk([&](ir::Operation &inner) { collect(inner, op.is(target::SystemOp::opName)); });
  statement.walk(
      [&](ir::Operation &inner) { collect(inner, !inner.is(study::RuntimeOp::opName)); });
}

/// The first library of a group's network counts where the statement chooses none.
void UncertainInputs::findLibraries(const ir::Operation &op) {
  if (!op.is(target::GroupOp::opName))
    return;
  for (const ir::Operation &part : op.body())
    if (part.is(target::LibraryOp::opName)) {
      libraries.push_back(part.symbol().str());
      return;
    }
}

void UncertainInputs::collect(ir::Operation &op, bool isBesideKernels) {
  if (op.is(target::LibraryOp::opName) && !llvm::is_contained(libraries, op.symbol().str()))
    return;
  if (op.is(tile::FamilyOp::opName) && !withFamilies)
    return;
  for (const ir::Operation::NamedAttribute &attr : op.attrs())
    if (attr.name != "measured_over" && addSources(attr.value)) // that is for ensembles alone
      inputs.push_back({&op, attr.name.str(), attr.value, isBesideKernels});
}

/// True when `value` or something in it depends on a source.
bool UncertainInputs::addSources(const ir::Attribute &value) {
  bool depends = false;
  if (value.is(ir::AttrKind::List))
    for (const ir::Attribute &element : value.asList())
      depends |= addSources(element);
  if (value.is(ir::AttrKind::Dict))
    for (const ir::AttrDict::Entry &entry : value.asDict().entries())
      depends |= addSources(entry.second);
  if (!value.is(ir::AttrKind::Quantity))
    return depends;
  Uncertain number = value.asQuantity().toUncertain();
  for (const Uncertain::Contribution &part : number.contributions()) {
    depends = true;
    if (!llvm::is_contained(sources, part.source))
      sources.push_back(part.source);
  }
  return depends;
}

/// `quantity` at one end of the interval of `source`.
static Quantity movedQuantity(const Quantity &quantity, UncertaintySource source, double sign) {
  Uncertain number = quantity.toUncertain();
  for (const Uncertain::Contribution &part : number.contributions())
    if (part.source == source)
      return {Uncertain(number.central() + sign * part.delta), quantity.dimension()};
  return quantity;
}

/// `value`, called `name`, at that end; a figure that stops being positive goes into `problem`.
static ir::Attribute moved(const ir::Attribute &value, llvm::StringRef name,
                           UncertaintySource source, double sign, std::string &problem) {
  if (value.is(ir::AttrKind::List)) {
    ir::AttrList list;
    for (const ir::Attribute &element : value.asList())
      list.push_back(moved(element, name, source, sign, problem));
    return list;
  }
  if (value.is(ir::AttrKind::Dict)) {
    ir::AttrDict entries;
    for (const auto &[key, element] : value.asDict().entries())
      entries.append(key, moved(element, key, source, sign, problem));
    return entries;
  }
  if (!value.is(ir::AttrKind::Quantity))
    return value;
  Quantity quantity = value.asQuantity(), there = movedQuantity(quantity, source, sign);
  if (quantity.toDouble() > 0 && there.toDouble() <= 0)
    problem = fmt::format("`{}` would be {}", name, formatEngineering(there));
  return there;
}

std::string UncertainInputs::move(UncertaintySource source, double sign) {
  std::string problem;
  for (const Input &input : inputs)
    input.op->setAttr(input.name, moved(input.value, input.name, source, sign, problem));
  return problem;
}

void UncertainInputs::restore() {
  for (const Input &input : inputs)
    input.op->setAttr(input.name, input.value);
}

/// Whether `value` or something in it depends on `source`.
static bool dependsOn(const ir::Attribute &value, UncertaintySource source) {
  if (value.is(ir::AttrKind::List))
    return llvm::any_of(value.asList(),
                        [&](const ir::Attribute &element) { return dependsOn(element, source); });
  if (value.is(ir::AttrKind::Dict))
    return llvm::any_of(value.asDict().entries(), [&](const ir::AttrDict::Entry &entry) {
      return dependsOn(entry.second, source);
    });
  if (!value.is(ir::AttrKind::Quantity))
    return false;
  Uncertain number = value.asQuantity().toUncertain();
  return llvm::any_of(number.contributions(),
                      [&](const Uncertain::Contribution &part) { return part.source == source; });
}

bool UncertainInputs::isOfEnergies(UncertaintySource source) const {
  return llvm::all_of(inputs, [&](const Input &input) {
    llvm::StringRef name = input.name;
    bool isEnergy =
        (name == "energy" && !input.op->is(study::PriceOp::opName)) || name.endswith("_energy");
    return isEnergy || !dependsOn(input.value, source);
  });
}

bool UncertainInputs::isOfKernels(UncertaintySource source) const {
  return llvm::all_of(inputs, [&](const Input &input) {
    bool isMeasured = llvm::StringRef(input.name).startswith("measured");
    bool isOf = input.op->is(tile::FamilyOp::opName) ||
                input.op->is(target::GenerationOp::opName) ||
                input.op->is(study::RuntimeOp::opName);
    return (isMeasured && isOf) || !dependsOn(input.value, source);
  });
}

UncertainEnd::Moves UncertainInputs::movesOf(UncertaintySource source) const {
  if (isOfKernels(source))
    return UncertainEnd::Moves::MeasuredKernels;
  bool isBeside = llvm::all_of(inputs, [&](const Input &input) {
    return input.isBesideKernels || !dependsOn(input.value, source);
  });
  return isBeside ? UncertainEnd::Moves::BesideKernels : UncertainEnd::Moves::Kernels;
}

/// `centre`, without its breakdown, with the energy at one end of the interval of `source`; the run
/// itself is shared, not copied.
static std::shared_ptr<const Outcome> withEnergyAt(const Outcome &centre, UncertaintySource source,
                                                   double sign) {
  auto there = std::make_shared<Outcome>(centre);
  there->ends.clear();
  there->program = nullptr;
  there->cost.breakdown = {};
  double energy = centre.cost.energy.known.central();
  for (const Uncertain::Contribution &part : centre.cost.energy.known.contributions())
    if (part.source == source)
      energy += sign * part.delta;
  there->cost.energy.known = energy;
  return there;
}

llvm::Optional<Outcome>
perfc::withEnds(ir::Module &module, ir::Operation &statement, DiagnosticEngine &diagnostics,
                llvm::function_ref<llvm::Optional<Outcome>(const UncertainEnd *)> evaluate,
                llvm::function_ref<void(Outcome &)> slim) {
  llvm::Optional<Outcome> found = evaluate(nullptr);
  if (!found)
    return llvm::None;
  UncertainInputs inputs(module, statement, found->readsFamilies);
  size_t reported = diagnostics.all().size();
  auto outcomeAt = [&](UncertaintySource source, double sign) -> std::shared_ptr<const Outcome> {
    std::string problem = inputs.move(source, sign);
    // Where no time moves the energy of the centre has the contributions of each source.
    bool movesNoTime =
        inputs.isOfEnergies(source) || (inputs.isOfKernels(source) && found->timeSources &&
                                        !llvm::is_contained(*found->timeSources, source));
    if (problem.empty() && movesNoTime)
      return withEnergyAt(*found, source, sign);
    UncertainEnd end{source, sign, inputs.movesOf(source)};
    llvm::Optional<Outcome> there = problem.empty() ? evaluate(&end) : llvm::None;
    for (size_t i = reported; i < diagnostics.all().size() && problem.empty() && !there; ++i)
      problem = diagnostics.all()[i].message;
    diagnostics.truncate(reported);
    if (there) {
      there->cost.breakdown = {};
      there->program = nullptr;
      if (slim)
        slim(*there);
      return std::make_shared<const Outcome>(std::move(*there));
    }
    found->cost.addNote("an end of an uncertain value is left out of the intervals: " + problem);
    return nullptr;
  };
  for (UncertaintySource source : inputs.sources) {
    std::shared_ptr<const Outcome> upper = outcomeAt(source, 1), lower = outcomeAt(source, -1);
    found->ends.push_back({source, std::move(upper), std::move(lower)});
  }
  inputs.restore();
  Cost &cost = found->cost;
  cost.latency = found->withMoves([](const Outcome &at) { return at.cost.latency.central(); });
  cost.energy.known =
      found->withMoves([](const Outcome &at) { return at.cost.energy.known.central(); });
  cost.exposed = found->withMoves([](const Outcome &at) { return at.cost.exposed.central(); });
  return found;
}
