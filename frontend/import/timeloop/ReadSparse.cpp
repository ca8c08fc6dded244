// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/Directives.h"
#include "frontend/import/timeloop/Sections.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::timeloop;
using yaml::Node;
using yaml::NodeReader;

static bool findSpace(const Node &node, const Input &input, unsigned &space, NodeReader &reader) {
  std::string name;
  if (!reader.readText(node, "a data space", name))
    return false;
  llvm::Optional<unsigned> found = input.findSpace(name);
  if (!found)
    return reader.fail(node.place, diag::TimeloopUnknown, "data space", name);
  space = *found;
  return true;
}

static bool readDensity(const Node &node, Density &density, NodeReader &reader) {
  const Node *value = &node;
  if (node.isScalar()) {
    density.distribution = Distribution::FixedStructured;
    density.bare = true;
  } else {
    const Node *distribution = reader.need(node, "distribution", "a density");
    value = distribution ? reader.need(node, "density", "a density") : nullptr;
    std::string name;
    if (!value || !reader.readText(*distribution, "a distribution", name))
      return false;
    if (name == "fixed_structured" || name == "fixed-structured")
      density.distribution = Distribution::FixedStructured;
    else if (name == "hypergeometric")
      density.distribution = Distribution::Hypergeometric;
    else
      return reader.fail(distribution->place, diag::TimeloopNotModelled,
                         "the distribution " + name);
  }
  if (!reader.readReal(*value, 0, density.value))
    return false;
  return density.value <= 1 ||
         reader.fail(value->place, diag::YamlNumber, value->text, "a density up to 1 is");
}

bool timeloop::readDensities(const Node &instance, Input &input, NodeReader &reader) {
  const Node *common = instance.find("common_density");
  if (!common)
    common = instance.find("commonDensity");
  for (unsigned space = 0; common && space < input.spaceCount(); ++space) {
    Density density;
    density.space = space;
    if (!readDensity(*common, density, reader))
      return false;
    input.sparse.densities.push_back(density);
  }
  const Node *densities = instance.find("densities");
  if (common || !densities || densities->kind == yaml::NodeKind::Null)
    return true;
  if (!reader.expect(*densities, yaml::NodeKind::Map, "`densities`"))
    return false;
  for (const auto &[name, value] : densities->entries) {
    Density density;
    if (!findSpace(*name, input, density.space, reader) || !readDensity(*value, density, reader))
      return false;
    input.sparse.densities.push_back(density);
  }
  return true;
}

namespace {

/// The optimizations of one target.
class TargetReader {
public:
  TargetReader(Input &input, NodeReader &reader) : input(input), reader(reader) {}

  bool read(const Node &node);
  bool readNodes(const Node &list);

private:
  bool readAt(const Node &name, const Node &node);
  bool readFormats(const Node &node, unsigned memory);
  bool readRanks(const Node &list, Representation &representation);
  bool readFlattened(const Node &lists, Rank &rank);
  bool readRank(const Node &node, Rank &rank);
  bool readOrder(const Node &item, Representation &representation);
  bool readActions(const Node &list, unsigned memory);
  bool readCompute(const Node &list);
  bool readKind(const Node &node, SavingKind &kind);

  Input &input;
  NodeReader &reader;
  unsigned groups = 0;
};

} // namespace

/// Lists of dimensions: the loops of one list may share the rank.
bool TargetReader::readFlattened(const Node &lists, Rank &rank) {
  if (!reader.expect(lists, yaml::NodeKind::Sequence, "`flattened_rankIDs`"))
    return false;
  for (const Node *list : lists.items) {
    if (!reader.expect(*list, yaml::NodeKind::Sequence, "a list of `flattened_rankIDs`"))
      return false;
    rank.flattened.emplace_back();
    for (const Node *item : list->items) {
      std::string name;
      if (!reader.readText(*item, "a dimension", name))
        return false;
      llvm::Optional<unsigned> dim = input.findDim(name);
      if (!dim)
        return reader.fail(item->place, diag::TimeloopUnknown, "dimension", name);
      rank.flattened.back().push_back(*dim);
    }
  }
  return true;
}

/// What a rank has besides its format.
bool TargetReader::readRank(const Node &node, Rank &rank) {
  auto bits = [&](llvm::StringRef key, llvm::Optional<int64_t> &value) {
    const Node *given = node.find(key);
    int64_t number = 0;
    if (!given)
      return true;
    if (!reader.readInteger(*given, 0, number))
      return false;
    value = number;
    return number <= maxRankBits ||
           reader.fail(given->place, diag::TimeloopTooLarge, "a word of more than 65536 bits");
  };
  const Node *flattened = node.find("flattened_rankIDs");
  if ((flattened && !readFlattened(*flattened, rank)) ||
      !bits("metadata_word_bits", rank.metadataBits) ||
      !bits("payload_word_bits", rank.payloadBits))
    return false;
  for (const auto &[key, value] : node.entries)
    if (!value->isRead)
      return reader.fail(key->place, diag::TimeloopNotModelled, "`" + key->text + "` of a rank");
  return true;
}

bool TargetReader::readRanks(const Node &list, Representation &representation) {
  static constexpr std::pair<llvm::StringLiteral, RankFormat> formats[] = {
      {"UB", RankFormat::UB},   {"UOP", RankFormat::UOP}, {"B", RankFormat::B},
      {"RLE", RankFormat::RLE}, {"CP", RankFormat::CP},
  };
  for (const Node *item : list.items) {
    const Node *format = reader.need(*item, "format", "a rank");
    std::string name;
    if (!format || !reader.readText(*format, "a format", name))
      return false;
    auto known = llvm::find_if(formats, [&](const auto &pair) {
      return llvm::StringRef(name).equals_insensitive(pair.first);
    });
    if (known == std::end(formats))
      return reader.fail(format->place, diag::TimeloopUnknown, "format", name);
    Rank rank;
    rank.format = known->second;
    if (!readRank(*item, rank))
      return false;
    representation.ranks.push_back(std::move(rank));
  }
  return true;
}

/// Ranks are given to loops from the outermost one inward, unless it says the other way.
bool TargetReader::readOrder(const Node &item, Representation &representation) {
  const Node *order = item.find("rank_application_order");
  if (!order)
    return true;
  representation.innermostFirst =
      order->text == "inner-to-outer" || order->text == "inner_to_outer";
  return representation.innermostFirst || order->text == "outer-to-inner" ||
         order->text == "outer_to_inner" ||
         reader.fail(order->place, diag::TimeloopUnknown, "rank_application_order", order->text);
}

bool TargetReader::readFormats(const Node &node, unsigned memory) {
  const Node *spaces = reader.needList(node, "data_spaces", "`representation_format`");
  if (!spaces)
    return false;
  for (const Node *item : spaces->items) {
    Representation representation;
    representation.memory = memory;
    representation.place = item->place;
    const Node *name = reader.need(*item, "name", "a data space");
    const Node *ranks = name ? reader.needList(*item, "ranks", "a data space") : nullptr;
    if (!ranks || !findSpace(*name, input, representation.space, reader) ||
        !readRanks(*ranks, representation) || !readOrder(*item, representation))
      return false;
    reader.warnOfUnread(*item, "the format of a data space");
    input.sparse.representations.push_back(std::move(representation));
  }
  return true;
}

bool TargetReader::readKind(const Node &node, SavingKind &kind) {
  const Node *type = reader.need(node, "type", "an optimization");
  std::string name;
  if (!type || !reader.readText(*type, "a type", name))
    return false;
  // The tool writes its words with hyphens, too.
  std::replace(name.begin(), name.end(), '-', '_');
  for (SavingKind one : {SavingKind::Gating, SavingKind::Skipping, SavingKind::Lanes})
    if (name == toolWordOf(one)) {
      kind = one;
      return true;
    }
  return reader.fail(type->place, diag::TimeloopNotModelled, "the optimization " + type->text);
}

bool TargetReader::readActions(const Node &list, unsigned memory) {
  for (const Node *item : list.items) {
    Saving saving;
    saving.memory = memory;
    saving.group = groups++;
    // Before there were options, an optimization was one.
    bool isOption = item->isMap() && item->find("target");
    const Node *options = isOption ? nullptr : reader.needList(*item, "options", "an optimization");
    if ((!isOption && !options) || !readKind(*item, saving.kind))
      return false;
    for (const Node *option : isOption ? std::vector<const Node *>{item} : options->items) {
      saving.place = option->place;
      saving.leaders.clear();
      const Node *target = reader.need(*option, "target", "an option");
      const Node *leaders =
          target ? reader.needList(*option, "condition_on", "an option") : nullptr;
      if (!leaders || !findSpace(*target, input, saving.target, reader))
        return false;
      for (const Node *leader : leaders->items) {
        saving.leaders.push_back(0);
        if (!findSpace(*leader, input, saving.leaders.back(), reader))
          return false;
      }
      input.sparse.savings.push_back(saving);
      if (!isOption)
        reader.warnOfUnread(*option, "an option of an optimization");
    }
    reader.warnOfUnread(*item, "an optimization");
  }
  return true;
}

bool TargetReader::readCompute(const Node &list) {
  for (const Node *item : list.items) {
    SavingKind kind;
    if (!readKind(*item, kind))
      return false;
    if (kind == SavingKind::Lanes)
      return reader.fail(item->place, diag::TimeloopNotModelled, "lanes that the arithmetic skips");
    input.sparse.compute = kind;
  }
  return true;
}

bool TargetReader::read(const Node &node) {
  const Node *name = reader.need(node, "name", "a target");
  if (!name || !readAt(*name, node))
    return false;
  reader.warnOfUnread(node, "a target of sparse optimizations");
  return true;
}

/// `sparse_optimizations` that stand in the nodes of an architecture of v0.4.
bool TargetReader::readNodes(const Node &list) {
  for (const Node *node : list.items) {
    const Node *nodes = node->find("nodes"), *own = node->find("sparse_optimizations");
    if (nodes && !readNodes(*nodes))
      return false;
    if (!own || own->kind == yaml::NodeKind::Null)
      continue;
    const Node *name = reader.need(*node, "name", "a node with optimizations");
    if (!name || !reader.expect(*own, yaml::NodeKind::Map, "`sparse_optimizations`") ||
        !readAt(*name, *own))
      return false;
    input.sparse.optimized = true;
    if (!input.sparse.place.isValid())
      input.sparse.place = own->place;
  }
  return true;
}

bool TargetReader::readAt(const Node &name, const Node &node) {
  std::string text;
  int64_t instances = 0;
  if (!readName(name, text, instances, reader))
    return false;
  const Node *formats = node.find("representation_format");
  const Node *actions = node.find("action_optimization");
  const Node *compute = node.find("compute_optimization");
  if (compute && (!reader.expect(*compute, yaml::NodeKind::Sequence, "`compute_optimization`") ||
                  !readCompute(*compute)))
    return false;
  if (text == input.compute.name)
    return true;
  llvm::Optional<unsigned> memory = input.findMemory(text);
  if (!memory)
    return reader.fail(name.place, diag::TimeloopUnknown, "memory", text);
  if (formats && !readFormats(*formats, *memory))
    return false;
  return !actions || (reader.expect(*actions, yaml::NodeKind::Sequence, "`action_optimization`") &&
                      readActions(*actions, *memory));
}

bool timeloop::readSparse(const Node &root, Input &input, NodeReader &reader) {
  TargetReader target(input, reader);
  const Node *section = root.find("sparse_optimizations");
  const Node *targets =
      section ? reader.needList(*section, "targets", "`sparse_optimizations`") : nullptr;
  if (section && !targets)
    return false;
  if (section) {
    input.sparse.optimized = true;
    input.sparse.place = section->place;
    for (const Node *item : targets->items)
      if (!reader.expect(*item, yaml::NodeKind::Map, "a target") || !target.read(*item))
        return false;
  }
  const Node *nodes = root.find("architecture")->find("nodes");
  return !nodes || target.readNodes(*nodes);
}
