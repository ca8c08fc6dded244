// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/TrainAlgorithms.h"

#include "frontend/build/ScheduleBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <tuple>

using namespace perfc;

static constexpr const char *stepKinds[] = {"all_reduce", "all_gather", "reduce_scatter",
                                            "all_to_all", "send"};

namespace {

/// Ranks along the axes of a strategy; 0 for a hole.
struct Degrees {
  int64_t tensor, context, pipeline, data, expert, sequence, shard; ///< shard -1 for none

  explicit Degrees(study::StrategyOp strategy)
      : tensor(strategy.degree("tensor")), context(strategy.degree("context")),
        pipeline(strategy.degree("pipeline")), data(strategy.degree("data")),
        expert(strategy.degree("expert")), sequence(strategy.degree("sequence")),
        shard(strategy.shardRanks()) {}
  bool hasHoles() const {
    return !(tensor && context && pipeline && data && expert && sequence && shard);
  }
};

} // namespace

/// Adds the ranks of the collectives of `kind`, by the axes that they run along.
static void addRanks(const Degrees &degrees, llvm::StringRef kind, std::set<int64_t> &ranks) {
  auto [tensor, context, pipeline, data, expert, sequence, shard] = degrees;
  bool isWhole = sequence > 1 && expert > 1;
  int64_t domain = data * context * (isWhole ? tensor : 1);
  if (kind == "send")
    ranks.insert(pipeline > 1 ? 2 : 1);
  else if (kind == "all_to_all")
    ranks.insert({expert, context});
  else
    ranks.insert({tensor, context, data * context, std::max<int64_t>(1, domain / expert)});
  int64_t groups = shard > 0 && kind != "send" && kind != "all_to_all" ? data * context / shard : 0;
  if (groups > 0)
    ranks.insert({shard, groups, std::max<int64_t>(1, domain / expert / groups)});
}

/// The degree as it is given; for a hole all divisors of `whole` up to `most`.
static std::vector<int64_t> choices(int64_t degree, int64_t whole, int64_t most) {
  if (degree != 0)
    return {degree};
  std::vector<int64_t> list;
  for (int64_t i = 1; i <= std::min(most, whole); ++i)
    if (whole % i == 0)
      list.push_back(i);
  return list;
}

/// The same with all ways to fill holes on `chips` chips.
static void addAllRanks(const Degrees &asked, llvm::StringRef kind, int64_t chips,
                        std::set<int64_t> &ranks) {
  Degrees one = asked;
  for (int64_t tensor : choices(asked.tensor, chips, study::mostSearchedRanks))
    for (int64_t context : choices(asked.context, chips / tensor, study::mostSearchedRanks))
      for (int64_t pipeline : choices(asked.pipeline, chips / tensor / context, chips)) {
        std::tie(one.tensor, one.context, one.pipeline) = std::tie(tensor, context, pipeline);
        one.data = asked.data != 0 ? asked.data : chips / tensor / context / pipeline;
        if (tensor * context * pipeline * one.data != chips)
          continue;
        int64_t domain = one.data * context;
        for (int64_t expert : choices(asked.expert, domain * tensor, study::mostSearchedExperts))
          for (int64_t shard : choices(asked.shard, domain, domain))
            for (int64_t sequence : choices(asked.sequence, tensor, tensor)) {
              std::tie(one.expert, one.shard, one.sequence) = std::tie(expert, shard, sequence);
              addRanks(one, kind, ranks);
            }
      }
}

/// Ranks of the collectives of `kind` in each strategy that `degrees` allow.
static std::set<int64_t> ranksOf(const Degrees &degrees, llvm::StringRef kind, int64_t chips) {
  std::set<int64_t> ranks;
  if (degrees.hasHoles())
    addAllRanks(degrees, kind, chips, ranks);
  else
    addRanks(degrees, kind, ranks);
  ranks.erase(1);
  return ranks;
}

/// A chip, or chips that one switch joins: the closed form is what a simulated ring comes to.
static bool isOneSwitch(const ir::Operation &system) {
  size_t groups = 0, others = 0;
  system.walk([&](const ir::Operation &part) {
    groups += part.is("target.group");
    others += part.hasAttr("topology") && part.stringAttr("topology") != "switch";
  });
  return groups <= 1 && others == 0;
}

namespace {

/// How an algorithm runs for all ranks that collectives may have.
struct TrainForms {
  std::vector<std::string> schedules;
  ir::AttrDict formulas, refused; ///< by the number of ranks: its formula, or why it has none
};

} // namespace

/// The forms of `algorithm` for `kinds`. With holes it need not have one for all numbers of ranks.
/// False after a report.
static bool formsOf(BuildContext &context, const Instance &algorithm,
                    llvm::ArrayRef<std::string> kinds, const ir::Operation &system,
                    const Degrees &degrees, TrainForms &found) {
  size_t reported = context.diagnostics.all().size();
  llvm::Optional<std::pair<std::string, int64_t>> first; // that is refused
  auto build = [&](llvm::StringRef kind, int64_t ranks) {
    AlgorithmForms forms;
    if (!buildSchedules(context, algorithm, system, kind, ranks, forms))
      return false;
    llvm::append_range(found.schedules, forms.schedules);
    if (!forms.formulas.empty())
      found.formulas.set(std::to_string(ranks), forms.formulas);
    return true;
  };
  for (const std::string &kind : kinds)
    for (int64_t ranks : ranksOf(degrees, kind, chipsOfSystem(system))) {
      if (build(kind, ranks))
        continue;
      if (!degrees.hasHoles() || context.diagnostics.all().size() == reported)
        return false;
      first = first ? first : std::make_pair(kind, ranks);
      found.refused.set(std::to_string(ranks), context.diagnostics.all()[reported].message);
      context.diagnostics.truncate(reported);
    }
  bool isNone = first && found.schedules.empty() && found.formulas.entries().empty();
  return !isNone || build(first->first, first->second); // which says why
}

bool perfc::trainAlgorithms(BuildContext &context, const Node &with, const ir::Operation &system,
                            ir::Operation &train) {
  Degrees degrees(study::partOf<study::StrategyOp>(train));
  auto add = [&](const NodeArg &choice, llvm::StringRef name, llvm::ArrayRef<std::string> kinds) {
    auto algorithm = context.builder.create<study::AlgorithmOp>(train.body(), choice.range);
    algorithm->setAttr("name", name);
    algorithm->setAttr("kinds", ir::Attribute::strings(kinds));
    return algorithm;
  };
  for (const NodeArg &choice : with.args) {
    const Instance *algorithm = choice.value.getIf<Instance>();
    if (!algorithm || algorithm->decl->kind != DeclKind::Algorithm) {
      if (!choice.value.isUnknown())
        context.diagnostics.report(choice.range, diag::AlgorithmInTraining, written(choice.value),
                                   "`with` of `train` names algorithms of collectives");
      return false;
    }
    llvm::Optional<Instance> form = chosenForm(context, choice);
    if (!form)
      return false;
    const Decl &decl = *form->decl;
    std::vector<std::string> kinds;
    TrainForms forms;
    for (const char *kind : stepKinds)
      if (servesCollective(context, *form, kind) && (choice.name.empty() || choice.name == kind))
        kinds.push_back(kind);
    if (kinds.empty()) {
      context.diagnostics.report(choice.range, diag::AlgorithmInTraining, decl.name,
                                 "no step makes collectives of that kind");
      return false;
    }
    if (isInNetwork(*form)) {
      llvm::erase_value(kinds, "all_to_all");
      llvm::erase_value(kinds, "send");
      add(choice, inNetworkAlgorithm, kinds);
      continue;
    }
    bool isRing = decl.name == "ring" && decl.module->name == "std.networks";
    bool isPlain = isRing && (!system.is("target.system") || isOneSwitch(system));
    if (!hasLibrary(system, decl.name) && !isPlain &&
        !formsOf(context, *form, kinds, system, degrees, forms))
      return false;
    study::AlgorithmOp op = add(choice, decl.name, kinds);
    if (isRing)
      op->setAttr("ring", ir::Attribute::unit());
    if (runsDefault(context, *form, system, kinds.front()))
      op->setAttr("default", ir::Attribute::unit()); // schedules are for single levels
    if (!forms.schedules.empty())
      op->setAttr("schedules", ir::Attribute::symbols(forms.schedules));
    if (!forms.formulas.empty())
      op->setAttr("formulas", std::move(forms.formulas));
    if (!forms.refused.empty())
      op->setAttr("refused", std::move(forms.refused));
  }
  return true;
}
