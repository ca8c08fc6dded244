// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/AxisNetwork.h"

#include "ir/collective/CollectiveOps.h"
#include "ir/study/AllOps.h"
#include "ir/target/TargetOps.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::training;

AxisPlace training::placeOf(const passes::Strategy &strategy, llvm::StringRef axis) {
  if (axis == "tensor")
    return {strategy.tensor, 1};
  int64_t outside = strategy.tensor * (strategy.pipelineInside ? strategy.pipeline : 1);
  if (axis == "context")
    return {strategy.context, outside};
  if (axis == "expert")
    return {strategy.expert, strategy.wholeExperts() ? 1 : outside};
  if (axis == "expert_data") { // ranks with the same experts
    int64_t inner = strategy.wholeExperts() ? 1 : outside;
    return {std::max<int64_t>(1, strategy.expertDomain() / strategy.expert),
            inner * strategy.expert};
  }
  if (axis == "data") // context-parallel ranks have the same weights
    return {strategy.data * strategy.context, outside};
  return {strategy.pipeline, strategy.pipelineInside
                                 ? strategy.tensor
                                 : strategy.tensor * strategy.context * strategy.data};
}

AxisNetwork::AxisNetwork(const ir::Operation &system, ProviderSet &providers,
                         DiagnosticEngine &diagnostics)
    : system(system), providers(providers), diagnostics(diagnostics), paths(system) {}

int64_t AxisNetwork::chipsUnder(llvm::StringRef name) {
  for (unsigned number : paths.of(0, chips()))
    for (const SystemPath::Level &level : paths.path(number).levels) {
      if (level.group->symbol() == name)
        return level.chips;
      for (const ir::Operation &part : level.group->body())
        if (part.is(target::NetworkOp::opName) && part.symbol() == name)
          return level.chips;
    }
  return 0;
}

bool AxisNetwork::readFaults(SourceRange where) {
  return paths.readFaults(where, diagnostics) &&
         linkFaults.read(system, chips(), where, diagnostics);
}

AxisNetwork::Factors AxisNetwork::factorsOf(unsigned path, int64_t first, int64_t count) const {
  Factors factors;
  if (linkFaults.empty())
    return factors;
  for (const SystemPath::Level &level : paths.path(path).levels)
    factors.push_back(linkFaults.factor(*level.group, first, count));
  return factors;
}

/// Slows a network or the protocols of a library down.
static void slowDown(ir::Operation &part, double factor) {
  for (const char *name : {"bandwidth", "pair"})
    if (auto rate = part.quantityAttr(name))
      part.setAttr(name, Quantity(rate->toUncertain() * factor, rate->dimension()));
  for (unsigned i = 0; i < part.regionCount(); ++i)
    for (ir::Operation &inner : part.region(i))
      slowDown(inner, factor);
}

/// The groups of the system with those members that the axis has in them.
ir::Operation &AxisNetwork::systemOf(const AxisPlace &place, unsigned path,
                                     const Factors &factors) {
  std::string &symbol = systems[{place, path, factors}];
  if (!symbol.empty())
    return *scratch.lookup(symbol);
  ir::Builder builder(allOps());
  if (!program) {
    ir::Operation *chip = builder.create(scratch.body(), target::ChipOp::opName, system.location());
    chip->setSymbol("chip");
    chip->setAttr("dtype", "fp16");
    program = builder.create(scratch.body(), collective::ProgramOp::opName, system.location());
    program->setSymbol("program");
  }
  ir::Operation *part = builder.createBefore(*program, target::SystemOp::opName, system.location());
  symbol = scratch.uniqueName("axis");
  part->setSymbol(symbol);
  program->setAttr("system", ir::Attribute::symbol(symbol));
  int64_t covered = 1; // chips of the axis so far
  std::string below = "chip";
  for (const SystemPath::Level &level : paths.path(path).levels) {
    int64_t reach = std::max<int64_t>(1, level.chips / place.stride);
    int64_t inside = std::min(place.ranks, reach);
    int64_t members = std::max<int64_t>(1, (inside + covered - 1) / covered);
    if (members == 1)
      continue;
    ir::Operation *group =
        builder.create(part->body(), target::GroupOp::opName, level.group->location());
    group->setSymbol(level.group->symbol());
    ir::Operation *entry =
        builder.create(group->body(), target::MembersOp::opName, level.group->location());
    entry->setAttr("count", members);
    entry->setAttr("of", ir::Attribute::symbol(below));
    ir::ValueMap ignored;
    for (const ir::Operation &net : level.group->body())
      if (net.is(target::NetworkOp::opName) || net.is(target::LibraryOp::opName))
        net.clone(group->body(), ignored);
    if (size_t number = &level - paths.path(path).levels.data();
        number < factors.size() && factors[number] < 1)
      for (ir::Operation &part : group->body())
        slowDown(part, factors[number]);
    below = group->symbol().str();
    covered *= members;
  }
  return *part;
}

void AxisNetwork::readAlgorithms(const ir::Operation &train) {
  const ir::Attribute *list = train.dictAttr("settings").find("algorithms");
  ir::ValueMap ignored;
  for (const ir::Attribute &entry : list ? list->asList() : ir::AttrList()) {
    const ir::AttrDict &given = entry.asDict();
    Algorithm one{given.find("name")->asString().str(), given.find("isRing")->asBool(),
                  given.find("kinds")->asStrings(), given.find("schedules")->asStrings()};
    for (std::string &symbol : one.schedules) {
      ir::Operation &copy = ir::resolve(train, symbol)->clone(scratch.body(), ignored);
      symbol = scratch.uniqueName(symbol);
      copy.setSymbol(symbol);
    }
    algorithms.push_back(std::move(one));
  }
}

llvm::StringRef AxisNetwork::unusedAlgorithm() const {
  for (const Algorithm &one : algorithms)
    if (!one.isUsed)
      return one.name;
  return "";
}

/// Gives `collective`, of `ranks` ranks over the networks of `part`, the algorithm that the
/// statement chooses for its kind: a library of the network, or a schedule for so many ranks.
void AxisNetwork::choose(ir::Operation &collective, llvm::StringRef kind, int64_t ranks,
                         const ir::Operation &part) {
  if (part.body().empty() || ranks <= 1)
    return;
  bool isOneSwitch = &part.body().front() == &part.body().back(), hasLibrary = false;
  for (Algorithm &one : algorithms) {
    if (llvm::find(one.kinds, kind) == one.kinds.end())
      continue;
    for (const ir::Operation &inner : part.body().front().body()) {
      hasLibrary |= inner.is(target::LibraryOp::opName) && inner.symbol() == one.name;
      isOneSwitch &= !inner.is(target::NetworkOp::opName) || !inner.hasAttr("topology") ||
                     inner.stringAttr("topology") == "switch";
    }
    ir::AttrList schedules;
    for (const std::string &symbol : one.schedules)
      if (const ir::Operation *schedule = scratch.lookup(symbol);
          schedule->stringAttr("collective") == kind && schedule->intAttr("ranks") == ranks)
        schedules.push_back(ir::Attribute::symbol(symbol));
    bool isPlain = one.isRing && isOneSwitch;
    if (!hasLibrary && !isPlain && schedules.empty())
      continue;
    one.isUsed = true;
    collective.setAttr("algorithm", one.name);
    if (!hasLibrary && !isPlain)
      collective.setAttr("schedules", std::move(schedules));
    return;
  }
}

const Cost *AxisNetwork::cost(llvm::StringRef kind, const AxisPlace &place, double bytes,
                              SourceRange where, int64_t first, int64_t count) {
  const Cost *slowest = nullptr;
  int64_t among = count > 0 ? count : chips();
  for (unsigned path : paths.of(first, among)) {
    ir::Operation &part = systemOf(place, path, factorsOf(path, first, among));
    int64_t ranks = 1;
    for (const ir::Operation &group : part.body())
      ranks *= group.body().front().intAttr("count", 1);
    program->setAttr("system", ir::Attribute::symbol(part.symbol()));
    ir::Builder builder(allOps());
    ir::Operation *op =
        builder.create(program->body(), ("collective." + kind.str()), ir::Location(where));
    op->setAttr("bytes", static_cast<int64_t>(std::min(bytes, 9e18)));
    op->setAttr("group", part.body().empty() ? "chip" : part.body().back().symbol());
    op->setAttr("ranks", ranks);
    choose(*op, kind, ranks, part);
    const Cost *found = providers.evaluate({op, &part, nullptr}, hashes, diagnostics);
    if (!found)
      return nullptr;
    if (!slowest || slowest->latency.central() < found->latency.central())
      slowest = found;
  }
  return slowest;
}
