// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/TrainAlgorithms.h"

#include "frontend/build/ScheduleBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Training.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace perfc;

static constexpr const char *stepKinds[] = {"all_reduce", "all_gather", "reduce_scatter",
                                            "all_to_all", "send"};

static int64_t degreeIn(const ir::AttrDict &settings, llvm::StringRef axis) {
  const ir::Attribute *value = settings.find(axis);
  return value ? value->asInt() : 1;
}

static bool hasHoles(const ir::AttrDict &settings) {
  for (const char *axis : {"tensor", "pipeline", "data", "context", "expert", "sequence"})
    if (degreeIn(settings, axis) == 0)
      return true;
  return settings.find("shard_ranks") && degreeIn(settings, "shard_ranks") == 0;
}

/// Ranks of the collectives of `kind`, by the axes that they run along.
static std::set<int64_t> ranksOf(const ir::AttrDict &settings, llvm::StringRef kind) {
  int64_t tensor = degreeIn(settings, "tensor"), context = degreeIn(settings, "context");
  int64_t data = degreeIn(settings, "data"), expert = degreeIn(settings, "expert");
  bool isWhole = degreeIn(settings, "sequence") > 1 && expert > 1;
  int64_t domain = data * context * (isWhole ? tensor : 1);
  std::set<int64_t> ranks;
  if (kind == "send")
    ranks = {degreeIn(settings, "pipeline") > 1 ? 2 : 1};
  else if (kind == "all_to_all")
    ranks = {expert, context};
  else
    ranks = {tensor, context, data * context, std::max<int64_t>(1, domain / expert)};
  if (settings.find("shard_ranks") && kind != "send" && kind != "all_to_all") {
    int64_t shard = degreeIn(settings, "shard_ranks"), groups = data * context / shard;
    if (groups > 0)
      ranks.insert({shard, groups, std::max<int64_t>(1, domain / expert / groups)});
  }
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

/// How `algorithm` runs for all ranks that collectives of `kinds` have: schedules, and formulas by
/// the number of ranks.
static bool formsOf(BuildContext &context, const Instance &algorithm, SourceRange where,
                    llvm::ArrayRef<std::string> kinds, const ir::Operation &system,
                    const ir::AttrDict &settings, std::vector<std::string> &schedules,
                    ir::AttrDict &formulas) {
  auto refuse = [&](const std::string &why) {
    context.diagnostics.report(where, diag::AlgorithmInTraining, algorithm.decl->name, why);
    return false;
  };
  if (hasHoles(settings))
    return refuse("holes leave open for how many ranks; only libraries of the network can be "
                  "chosen there");
  for (const std::string &kind : kinds)
    for (int64_t ranks : ranksOf(settings, kind)) {
      AlgorithmForms forms;
      if (!buildSchedules(context, algorithm, system, kind, ranks, forms))
        return false;
      llvm::append_range(schedules, forms.schedules);
      if (!forms.formulas.empty())
        formulas.set(std::to_string(ranks), forms.formulas);
    }
  return true;
}

bool perfc::trainAlgorithms(BuildContext &context, const Node &with, const ir::Operation &system,
                            ir::AttrDict &settings) {
  ir::AttrList list;
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
    std::vector<std::string> kinds, schedules;
    ir::AttrDict formulas;
    for (const char *kind : stepKinds)
      if (servesCollective(context, *form, kind) && (choice.name.empty() || choice.name == kind))
        kinds.push_back(kind);
    if (kinds.empty()) {
      context.diagnostics.report(choice.range, diag::AlgorithmInTraining, decl.name,
                                 "no step makes collectives of that kind");
      return false;
    }
    if (isInNetwork(*form)) {
      ir::AttrDict entry{{"name", inNetworkAlgorithm.str()}, {"isRing", false}};
      llvm::erase_value(kinds, "all_to_all");
      llvm::erase_value(kinds, "send");
      entry.set("kinds", ir::Attribute::strings(kinds));
      entry.set("schedules", ir::AttrList());
      list.push_back(std::move(entry));
      continue;
    }
    bool isRing = decl.name == "ring" && decl.module->name == "std.networks";
    bool isPlain = isRing && (!system.is("target.system") || isOneSwitch(system));
    if (!hasLibrary(system, decl.name) && !isPlain &&
        !formsOf(context, *form, choice.range, kinds, system, settings, schedules, formulas))
      return false;
    ir::AttrDict entry{{"name", decl.name}, {"isRing", isRing}};
    entry.set("kinds", ir::Attribute::strings(kinds));
    entry.set("schedules", ir::Attribute::strings(schedules));
    entry.set("formulas", std::move(formulas));
    list.push_back(std::move(entry));
  }
  settings.set("algorithms", std::move(list));
  return true;
}
