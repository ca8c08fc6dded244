// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ERT: pJ per action of each level. What has no table is not known.
#include "frontend/import/timeloop/Directives.h"
#include "frontend/import/timeloop/Sections.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::timeloop;
using yaml::Node;
using yaml::NodeReader;

static constexpr llvm::StringLiteral versionKey[] = {"version"};

/// Names may be paths of the chip: `system.PE[0..63].RF[0..1]` is `RF`.
static std::string componentName(llvm::StringRef path) {
  if (path.endswith("]"))
    path = path.substr(0, path.rfind('['));
  return (path.contains('.') ? path.rsplit('.').second : path).str();
}

/// Of entries for one action, which differ in their arguments, the largest counts.
static bool readActions(const Node &list, Level &level, NodeReader &reader) {
  for (const Node *action : list.items) {
    const Node *name = reader.need(*action, "name", "an action");
    const Node *energy = name ? reader.need(*action, "energy", "an action") : nullptr;
    std::pair<std::string, double> entry;
    if (!energy || !reader.readText(*name, "an action", entry.first) ||
        !reader.readReal(*energy, 0, entry.second))
      return false;
    auto same = llvm::find_if(level.energies,
                              [&](const auto &other) { return other.first == entry.first; });
    if (same == level.energies.end())
      level.energies.push_back(std::move(entry));
    else
      same->second = std::max(same->second, entry.second);
  }
  return true;
}

/// The memory whose instances switch `level` off has fewer of them, which share its leakage.
static bool checkGate(const Level &level, const Input &input, NodeReader &reader) {
  llvm::Optional<unsigned> gate = input.findMemory(level.gatedAt);
  if (level.gatedAt.empty() || level.gatedAt == level.name)
    return true;
  if (!gate)
    return reader.fail(level.gatePlace, diag::TimeloopUnknown, "memory", level.gatedAt);
  if (level.energy({"leak"}).getValueOr(0) == 0 ||
      input.memories[*gate].instances >= level.instances)
    return true;
  return reader.fail(level.gatePlace, diag::TimeloopNotModelled,
                     "leakage of `" + level.name + "` that `" + level.gatedAt + "` switches off");
}

/// An ERT has tables of more than levels; one whose name is nearly that of a level without a table
/// is meant for it.
static void warnOfMisspelt(llvm::ArrayRef<std::pair<std::string, SourceRange>> others,
                           const Input &input, NodeReader &reader) {
  std::vector<llvm::StringRef> missing;
  for (unsigned index = 0; index <= input.memories.size(); ++index)
    if (input.level(index).energies.empty())
      missing.push_back(input.level(index).name);
  for (const auto &[name, place] : others)
    if (std::string meant = nearestName(name, missing); !meant.empty())
      reader.diagnostics.report(place, diag::TimeloopUnread, name, "the ERT")
          .help("did you mean `" + meant + "`?");
}

/// Energies of levels without a table are not known.
bool timeloop::readEnergies(const Node *node, Input &input, NodeReader &reader) {
  const Node *tables = node ? reader.needList(*node, "tables", "`ERT`") : nullptr;
  if (node && !tables)
    return false;
  std::vector<std::pair<std::string, SourceRange>> others;
  for (const Node *table : tables ? tables->items : std::vector<const Node *>()) {
    const Node *name = reader.need(*table, "name", "a table of the ERT");
    const Node *actions = name ? reader.needList(*table, "actions", "a table of the ERT") : nullptr;
    std::string text;
    if (!actions || !reader.readText(*name, "a name", text))
      return false;
    std::string component = componentName(text);
    bool isLevel = false;
    for (unsigned index = 0; index <= input.memories.size(); ++index) {
      Level &level = index ? input.memories[index - 1] : input.compute;
      if (level.name != component)
        continue;
      isLevel = true;
      level.energies.clear();
      if (!readActions(*actions, level, reader))
        return false;
    }
    reader.warnOfUnread(*table, "a table of the ERT");
    if (!isLevel)
      others.emplace_back(component, name->place);
  }
  warnOfMisspelt(others, input, reader);
  if (node)
    reader.warnOfUnread(*node, "`ERT`", versionKey);
  return llvm::all_of(input.memories,
                      [&](const Level &level) { return checkGate(level, input, reader); });
}
