// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/UnusedWords.h"

#include "ir/common/Providers.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/loopnest/LoopnestOps.h"
#include "ir/op/OpOps.h"
#include "ir/study/SearchOps.h"
#include "ir/target/TargetOps.h"
#include "passes/training/Strategy.h"
#include "passes/training/StrategyPlace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;

/// The words of `part` that only loop nests read, as they are written.
static std::vector<std::string> loopNestWords(const ir::Operation &part) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> memory[] = {
      {"latency", "latency"},
      {"width", "width"},
      {"buffering", "buffering"},
      {"keep", "keep"},
      {"partial", "partial"},
      {"update_energy", "energy { update }"},
      {"address_energy", "energy { address }"}};
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> array[] = {
      {"systolic", "systolic"}, {"overlap_folds", "overlap_folds"}};
  std::vector<std::string> words;
  if (part.is("target.chip") && part.hasAttr("partial"))
    words.push_back("partial");
  if (part.is("target.network"))
    words.push_back("network");
  for (const auto &[name, word] :
       part.is("target.memory") ? llvm::makeArrayRef(memory) : llvm::makeArrayRef(array))
    if (part.hasAttr(name) && (part.is("target.memory") || part.is("target.array")))
      words.push_back(word.str());
  return words;
}

/// The chips below `target`, a chip, a group or a system.
static void addChips(const ir::Module &module, const ir::Operation &target,
                     std::set<const ir::Operation *> &chips) {
  if (target.is(target::ChipOp::opName))
    chips.insert(&target);
  target.walk([&](const ir::Operation &part) {
    if (auto members = ir::as<target::MembersOp>(part))
      if (const ir::Operation *chip = module.lookup(members.of()))
        if (chip->is(target::ChipOp::opName))
          chips.insert(chip);
  });
}

/// Formats of the results of all nests on `chip`.
static std::set<DType> resultFormats(const ir::Module &module, const ir::Operation &chip) {
  std::set<DType> formats;
  for (const ir::Operation &each : module.body()) {
    auto nest = ir::as<loopnest::NestOp>(each);
    const ir::Operation *kernel = nest ? module.lookup(nest.kernel()) : nullptr;
    if (!kernel || module.lookup(nest.target()) != &chip)
      continue;
    for (const ir::Operation &part : each.body())
      if (auto tensor = ir::as<loopnest::TensorOp>(part); tensor && tensor.isOutput())
        if (const ir::Operation *operand = kernel->body().find(tensor.symbol()))
          formats.insert(*parseDType(ir::as<op::OperandOp>(*operand).dtype()));
  }
  return formats;
}

/// `partial fp32` is for floating results: why it says nothing about `results`; "" when it does.
static std::string unusedPartial(const ir::Operation &part, const std::set<DType> &results) {
  std::vector<std::string> names = part.stringsAttr("partial");
  bool isUsed = llvm::any_of(names, [&](const std::string &name) {
    return llvm::any_of(
        results, [&](DType result) { return isFloating(*parseDType(name)) == isFloating(result); });
  });
  if (names.empty() || results.empty() || isUsed)
    return "";
  bool isFloat = isFloating(*parseDType(names.front()));
  return fmt::format("{} is for {} results, and those are {}", names.front(),
                     isFloat ? "floating" : "whole", dtypeName(*results.begin()));
}

void api::warnOfUnusedWords(const Cost &cost, const ir::Module &module, llvm::StringRef on,
                            std::set<std::pair<uint32_t, uint32_t>> &warned,
                            DiagnosticEngine &diagnostics, const SourceManager &sources) {
  llvm::SmallVector<llvm::StringRef, 4> names;
  llvm::SplitString(cost.provenance.provider, names, ", ");
  auto doesRead = [&](ChipWords words) {
    return llvm::any_of(names, [&](llvm::StringRef name) {
      const ProviderInfo *provider = findProvider(name);
      return provider && provider->reads == words;
    });
  };
  bool isSimple = doesRead(ChipWords::Outer), hasOneSize = doesRead(ChipWords::SameSize);
  const ir::Operation *target = module.lookup(on);
  if (!target)
    return;
  std::set<const ir::Operation *> chips;
  addChips(module, *target, chips);
  auto warn = [&](SourceRange place, const std::string &words, const std::string &why) {
    if (!sources.isLibrary(place.file) && warned.insert({place.file, place.begin}).second)
      diagnostics.report(place, diag::WordWithoutEffect, words, why);
  };
  for (const ir::Operation &chip : module.body()) {
    if (!chips.count(&chip))
      continue;
    std::set<DType> results = resultFormats(module, chip);
    chip.walk([&](const ir::Operation &part) {
      if (std::string why = unusedPartial(part, results); !why.empty())
        warn(part.range(), "partial", why);
    });
  }
  if (!(isSimple || hasOneSize))
    return;
  // Another row of the statement, or another kernel, may read what this one does not.
  for (const ir::Operation &op : module.body())
    if (auto nest = ir::as<loopnest::NestOp>(op))
      chips.erase(module.lookup(nest.target()));
  for (const ir::Operation &chip : module.body()) {
    if (!chips.count(&chip))
      continue;
    bool feedsArrays =
        target::feedsArrays(ir::as<target::ChipOp>(chip)); // over networks that any level reads
    chip.walk([&](const ir::Operation &part) {
      if (part.is("target.network") && feedsArrays)
        return;
      std::vector<std::string> words;
      if (isSimple)
        words = loopNestWords(part);
      else if (part.hasAttr("partial"))
        words.push_back("partial");
      if (!words.empty())
        warn(part.range(), llvm::join(words, "`, `"),
             fmt::format("only loop nests read that, and this is evaluated by {}",
                         cost.provenance.provider));
    });
  }
}

void api::warnOfUnusedTrainWords(const ir::Operation &train, const ir::Module &module,
                                 std::set<std::pair<uint32_t, uint32_t>> &warned,
                                 DiagnosticEngine &diagnostics) {
  auto parts = study::partOf<study::StrategyOp>(train);
  auto goal = study::partOf<study::GoalOp>(train);
  auto warn = [&](llvm::StringRef word, const std::string &why) {
    SourceRange place = passes::rangeOf(train, word, diagnostics);
    bool isGiven = parts->hasAttr(word) || goal->hasAttr(word) ||
                   study::findPart(train, "study." + word.str());
    if (isGiven && warned.insert({place.file, place.begin}).second)
      diagnostics.report(place, diag::WordWithoutEffect, word, why);
  };
  passes::Strategy strategy = passes::readStrategy(ir::as<study::TrainOp>(train));
  bool fills = strategy.schedule == passes::ScheduleKind::ZeroBubble ||
               strategy.schedule == passes::ScheduleKind::Interleaved;
  if (fills && strategy.pipeline == 1)
    warn("schedule", fmt::format("`{}` fills the gaps of a pipeline, and here is one stage",
                                 scheduleName(strategy.schedule)));
  if (!strategy.hasHoles()) {
    for (llvm::StringRef word : {"minimize", "maximize", "within"})
      warn(word, "nothing of it is `any`");
    warn("require", "it chooses among strategies, and there is one; `expect` checks a result");
  }
  const ir::Operation *forward = module.lookup(passes::forwardSymbol(train.symbol()));
  if (!forward || !passes::hasExperts(*forward))
    warn("experts", fmt::format("the data choose no weights of `{}`", train.symbolAttr("subject")));
  else if (strategy.expert == 1 && strategy.routing.capacity == 0 &&
           (strategy.routing.imbalance > 0 || strategy.routing.kind != passes::Routing::Balanced))
    warn("experts", "`expert` is 1, so each rank has all experts and runs all of its tokens");
}
