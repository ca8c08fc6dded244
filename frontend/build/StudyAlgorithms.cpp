// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms of the collectives that a statement evaluates: `with ring`, `with all_gather = ring`,
// and those that lines of workloads name.
#include "frontend/build/ScheduleBuilder.h"
#include "frontend/build/StudyBuilder.h"

#include "ir/common/diagnostics/Network.h"
#include "ir/target/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace perfc;

/// True where the formulas hold: switches in levels, or one level of links from chip to chip.
static bool hasFormulas(const ir::Operation &system) {
  int64_t groups = 0, wired = 0, others = 0;
  system.walk([&](const ir::Operation &part) {
    groups += part.is("target.group");
    others += part.is("target.fault") || part.intAttr("nics", 1) > 1;
    llvm::StringRef topology = part.stringAttr("topology");
    bool isWired = topology == "ring" || topology == "fully_connected";
    bool isSwitch = topology.empty() || topology == "switch" || topology == "fat_tree";
    wired += isWired;
    const ir::Attribute *arguments = part.attr("topology_arguments");
    others += (!isWired && !isSwitch) || (arguments && !arguments->asDict().empty());
  });
  return others == 0 && (wired == 0 || groups <= 1);
}

/// True where all ranks are alike, on one switch, so that the formula is exact.
static bool isFolded(llvm::StringRef name, const ir::Operation &system, int64_t ranks, int64_t m) {
  bool halves = name == "halving_doubling" || name == "halving" || name == "doubling";
  bool areAlike = halves ? llvm::isPowerOf2_64(static_cast<uint64_t>(ranks))
                         : name.startswith("hierarchical") && ranks % m == 0;
  if (!areAlike || !system.is("target.system") || system.body().size() != 1)
    return false;
  bool isSwitch = true;
  system.walk([&](const ir::Operation &part) {
    isSwitch &= part.stringAttr("topology", "switch") == "switch";
  });
  return isSwitch;
}

/// Sends of an algorithm whose form is a bound; more than can be written out of any other.
static int64_t sendsOfBounded(llvm::StringRef name, int64_t ranks, int64_t pieces) {
  auto power = static_cast<int64_t>(llvm::PowerOf2Floor(static_cast<uint64_t>(ranks)));
  if (ranks > target::mostSimulatedChips)
    return INT64_MAX;
  if (name == "double_binary_tree")
    return checkedMultiply(4 * (ranks - 1), pieces).getValueOr(INT64_MAX);
  if (name == "halving_doubling" && ranks != power)
    return 2 * power * (power - 1 + ranks - power);
  return INT64_MAX;
}

std::string perfc::formulaOf(const Instance &algorithm, const ir::Operation &system,
                             int64_t ranks) {
  static constexpr llvm::StringLiteral named[] = {
      "ring",          "ring_gather",         "ring_scatter",
      "direct",        "direct_gather",       "direct_scatter",
      "direct_reduce", "bidirectional_ring",  "bidirectional_ring_gather",
      "halving",       "halving_doubling",    "bidirectional_ring_scatter",
      "doubling",      "double_binary_tree",  "hierarchical",
      "chain",         "hierarchical_gather", "hierarchical_scatter",
      "chain_reduce",  "binomial_tree",       "binomial_tree_reduce"};
  const Decl &decl = *algorithm.decl;
  if (ranks <= mostUnfoldedRanks || decl.module->name != "std.networks" ||
      !llvm::is_contained(named, decl.name) || !hasFormulas(system))
    return "";
  int64_t number = 8; // of pieces, or chips of a node
  for (const Argument &argument : algorithm.arguments) {
    const Quantity *given = argument.value ? argument.value->getIf<Quantity>() : nullptr;
    bool isNumber = decl.parameters.size() > 1 && argument.name == decl.parameters[1].name;
    if (!isNumber || !given || !given->isInteger() || given->sign() <= 0)
      return "";
    number = given->rational().numerator();
  }
  if (ranks <= mostScheduledRanks && !isFolded(decl.name, system, ranks, number))
    return "";
  if (chipsOfSystem(system) <= target::mostSimulatedChips &&
      sendsOfBounded(decl.name, ranks, number) <= mostSends)
    return "";
  return fmt::format("{}({})", decl.name, number);
}

bool perfc::hasLibrary(const ir::Operation &system, llvm::StringRef name) {
  bool found = false;
  system.walk([&](const ir::Operation &part) {
    found |= part.is("target.library") && part.symbol() == name;
  });
  return found;
}

bool perfc::runsDefault(BuildContext &context, const Instance &algorithm,
                        const ir::Operation &system, llvm::StringRef collective) {
  const Decl &decl = *algorithm.decl;
  size_t groups = 0;
  system.walk([&](const ir::Operation &part) { groups += part.is("target.group"); });
  return decl.name == "nccl" && decl.module->name == "std.networks" && groups > 1 &&
         !hasLibrary(system, decl.name) && servesCollective(context, algorithm, collective);
}

/// The ring of the library on one switch: the closed form is what a simulation of it comes to.
static bool isPlainRing(const Decl &decl, const ir::Operation &system) {
  if (decl.name != "ring" || decl.module->name != "std.networks" || !system.is("target.system"))
    return false;
  size_t groups = 0, others = 0;
  system.walk([&](const ir::Operation &part) {
    groups += part.is("target.group");
    others += part.is("target.fault") || (part.is("target.network") && part.hasAttr("topology") &&
                                          part.stringAttr("topology") != "switch");
  });
  return groups == 1 && others == 0;
}

/// The kinds of collectives in the graphs of the module that `algorithm` can run: all of them where
/// it can run none, so that somebody says so.
static std::vector<std::string> collectivesFor(BuildContext &context, const Instance &algorithm) {
  std::vector<std::string> all, able;
  context.module.walk([&](const ir::Operation &op) {
    std::string kind = op.is("op.collective") ? op.stringAttr("kind").str() : "";
    if (kind.empty() || llvm::is_contained(all, kind))
      return;
    all.push_back(kind);
    if (servesCollective(context, algorithm, kind))
      able.push_back(kind);
  });
  return able.empty() ? all : able;
}

/// Adds those that are written out to the schedules of a statement.
static void addSchedules(ir::Operation &evaluate, const AlgorithmForms &forms) {
  ir::AttrList list;
  if (const ir::Attribute *known = evaluate.attr("schedules"))
    list = known->asList();
  for (const std::string &symbol : forms.schedules)
    list.push_back(ir::Attribute::symbol(symbol));
  if (!list.empty())
    evaluate.setAttr("schedules", std::move(list));
}

/// The schedules of the algorithms that lines of workloads name, for the system of `evaluate`.
bool StudyBuilder::lineAlgorithms(ir::Operation &evaluate) {
  const ir::Operation *system = context.module.lookup(evaluate.symbolAttr("on"));
  if (!system || !system->is("target.system"))
    return true;
  std::set<std::pair<std::string, std::string>> wanted; // algorithm and kind
  context.module.walk([&](const ir::Operation &op) {
    if (op.is("op.collective") && op.hasAttr("algorithm"))
      wanted.insert({op.stringAttr("algorithm").str(), op.stringAttr("kind").str()});
  });
  ir::AttrList formulas;
  for (const auto &[name, kind] : wanted) {
    const Instance &instance = context.lineAlgorithms[name];
    if (hasLibrary(*system, instance.decl->name) || isPlainRing(*instance.decl, *system) ||
        isInNetwork(instance) || runsDefault(context, instance, *system, kind))
      continue;
    AlgorithmForms forms;
    if (!buildSchedules(context, instance, *system, kind, chipsOfSystem(*system), forms, name))
      return false;
    if (!forms.formulas.empty())
      formulas.push_back(ir::AttrDict{{"line", name}, {"formula", forms.formulas}});
    addSchedules(evaluate, forms);
  }
  if (!formulas.empty())
    evaluate.setAttr("line_formulas", std::move(formulas));
  return true;
}

/// The algorithms of `evaluate` by kind so far.
static ir::AttrDict algorithmsOf(const ir::Operation &evaluate) {
  const ir::Attribute *named = evaluate.attr("algorithms");
  return named ? named->asDict() : ir::AttrDict();
}

bool StudyBuilder::checkAlgorithms(llvm::ArrayRef<NodeArg> choices, const Subject &subject) {
  std::map<std::string, const Decl *> known; // by kind, of those that name no kind
  std::set<std::string> named;
  for (const NodeArg &choice : choices)
    named.insert(choice.name);
  for (const NodeArg &choice : choices) {
    const Instance *instance = choice.value.getIf<Instance>();
    if (!choice.name.empty() || !instance || instance->decl->kind != DeclKind::Algorithm)
      continue;
    std::vector<std::string> kinds = {subject.instance->decl->name.str()};
    if (subject.instance->decl->kind != DeclKind::Collective)
      kinds = collectivesFor(context, *instance);
    bool isIdle = !kinds.empty() && llvm::all_of(kinds, [&](const std::string &kind) {
      return named.count(kind) > 0;
    });
    if (isIdle) {
      diagnostics.report(choice.range, diag::NoAlgorithmHere,
                         fmt::format("others here run all that `{}` could: {}",
                                     instance->decl->name, llvm::join(kinds, ", ")));
      return false;
    }
    for (const std::string &kind : kinds)
      if (auto [entry, isNew] = known.try_emplace(kind, instance->decl); !isNew) {
        diagnostics
            .report(choice.range, diag::NoAlgorithmHere,
                    fmt::format("`{}` already runs {} here", entry->second->name, kind))
            .help("`compare` sets them side by side; an algorithm that may `choose` takes the "
                  "faster one");
        return false;
      }
  }
  return true;
}

/// A library's choice where the system has its parameters, else the algorithm's own schedule.
bool StudyBuilder::chosenAlgorithm(const NodeArg &choice, const Subject &subject,
                                   ir::Operation &evaluate) {
  llvm::Optional<Instance> form = chosenForm(context, choice);
  if (!form)
    return false;
  const Instance &instance = *form;
  const ir::Operation *system = context.module.lookup(evaluate.symbolAttr("on"));
  const Decl &decl = *instance.decl;
  std::vector<std::string> kinds = {subject.instance->decl->name.str()};
  if (subject.instance->decl->kind != DeclKind::Collective)
    kinds = collectivesFor(context, instance);
  std::string name = isInNetwork(instance) ? inNetworkAlgorithm.str() : decl.name.str();
  if (choice.name.empty()) {
    evaluate.setAttr("algorithm", name);
    ir::AttrDict named = algorithmsOf(evaluate); // go before it
    llvm::erase_if(kinds, [&](const std::string &kind) { return named.find(kind) != nullptr; });
  } else {
    if (!llvm::is_contained(kinds, choice.name)) {
      diagnostics.report(choice.range, diag::NoAlgorithmHere,
                         fmt::format("there is no {} here", choice.name));
      return false;
    }
    kinds = {choice.name};
    ir::AttrDict named = algorithmsOf(evaluate);
    named.set(choice.name, name);
    evaluate.setAttr("algorithms", std::move(named));
  }
  if (!system || hasLibrary(*system, decl.name) || isPlainRing(decl, *system) ||
      isInNetwork(instance))
    return true;
  ir::AttrDict named = algorithmsOf(evaluate);
  for (const std::string &kind : kinds) {
    AlgorithmForms forms;
    if (runsDefault(context, instance, *system, kind))
      continue;
    if (!buildSchedules(context, instance, *system, kind, chipsOfSystem(*system), forms))
      return false;
    if (!forms.formulas.empty())
      named.set(kind, forms.formulas);
    addSchedules(evaluate, forms);
  }
  if (!named.empty())
    evaluate.setAttr("algorithms", std::move(named));
  return true;
}
