// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/Directives.h"
#include "frontend/import/timeloop/Sections.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

using namespace perfc;
using namespace perfc::timeloop;
using yaml::Node;
using yaml::NodeReader;

/// Keys of parts of an architecture that Accelergy or the front end reads, and those of constraints
/// and sparse optimizations, which have readers of their own.
static constexpr llvm::StringLiteral otherKeys[] = {
    "version",  "attributes", "required_actions", "area_scale",  "energy_scale",
    "subclass", "enabled",    "networks",         "constraints", "sparse_optimizations"};

static constexpr int64_t maxInstances = int64_t(1) << 40;
static constexpr size_t maxLevels = 64;

/// What a component is, which the tool takes from words in its class.
enum class ComponentKind { Memory, Arithmetic, Network, Nothing, Unknown };

static ComponentKind kindOf(llvm::StringRef type) {
  static constexpr std::pair<llvm::StringLiteral, ComponentKind> words[] = {
      {"DRAM", ComponentKind::Memory},
      {"SRAM", ComponentKind::Memory},
      {"regfile", ComponentKind::Memory},
      {"smartbuffer", ComponentKind::Memory},
      {"storage", ComponentKind::Memory},
      {"mac", ComponentKind::Arithmetic},
      {"compute", ComponentKind::Arithmetic},
      {"XY_NoC", ComponentKind::Network},
      {"Legacy", ComponentKind::Network},
      {"ReductionTree", ComponentKind::Network},
      {"SimpleMulticast", ComponentKind::Network},
      {"nothing", ComponentKind::Nothing},
  };
  for (const auto &[word, kind] : words)
    if (type.contains(word))
      return kind;
  return ComponentKind::Unknown;
}

bool timeloop::readName(const Node &node, std::string &name, int64_t &instances,
                        NodeReader &reader) {
  std::string text;
  if (!reader.readText(node, "a name", text))
    return false;
  llvm::StringRef whole(text);
  size_t bracket = whole.find('[');
  name = whole.substr(0, bracket).rtrim().str();
  instances = 1;
  if (bracket == llvm::StringRef::npos)
    return true;
  llvm::StringRef range = whole.substr(bracket + 1);
  auto [low, high] = range.rtrim().split("..");
  int64_t first = 0, last = 0;
  if (!high.consume_back("]") || low.getAsInteger(10, first) || high.getAsInteger(10, last) ||
      first < 0 || last < first || last - first >= maxInstances)
    return reader.fail(node.place, diag::YamlNumber, "[" + range.str(),
                       "a range such as [0..15] is");
  instances = last - first + 1;
  return true;
}

namespace {

/// The levels found so far, and what repeats the ones to come.
class LevelCollector {
public:
  LevelCollector(Input &input, NodeReader &reader, bool isNodesForm)
      : input(input), reader(reader), isNodesForm(isNodesForm) {}

  bool readSubtree(const Node &node);
  bool readNodes(const Node &list, bool isParallel = false);
  bool finish(SourceRange place);

private:
  bool multiply(int64_t factor, SourceRange place);
  bool readLocal(const Node &node);
  bool readComponent(const Node &node);
  bool readContainer(const Node &node);
  bool readNode(const Node &node);
  bool readMesh(const Node &node);
  void addPassage(const Node &node);
  bool setMesh(const Node &node, Level &level);
  bool start(const Node &node, Level &level);
  bool add(Level level);
  bool isLevel(const Node &node);

  Input &input;
  NodeReader &reader;
  bool isNodesForm;
  std::vector<Level> levels;         ///< outermost first
  llvm::Optional<size_t> arithmetic; ///< among them
  int64_t instances = 1;
  int64_t meshX = 1, meshY = 1; ///< of the nodes form
  std::string part;
  std::vector<std::string> arrays;      ///< with a mesh, since the level before
  std::vector<const Node *> containers; ///< attributes of containers, the innermost first
};

} // namespace

bool LevelCollector::multiply(int64_t factor, SourceRange place) {
  if (instances > maxInstances / factor)
    return reader.fail(place, diag::TimeloopMesh, "more than 2^40 instances");
  instances *= factor;
  return true;
}

/// Whether a component is a memory or the arithmetic; what is neither is left out, as in the tool.
/// A component without a class is one, so that the missing class is reported.
bool LevelCollector::isLevel(const Node &node) {
  const Node *type = node.find("class"), *enabled = node.find("enabled");
  ComponentKind kind = type ? kindOf(type->text) : ComponentKind::Memory;
  if (kind == ComponentKind::Nothing || (enabled && enabled->text == "false"))
    return false;
  if (kind == ComponentKind::Memory || kind == ComponentKind::Arithmetic)
    return true;
  const Node *name = node.find("name");
  reader.diagnostics.report(type->place, diag::TimeloopLeftOut, name ? name->text : "", type->text,
                            kind == ComponentKind::Network
                                ? "words travel over the network that the tool assumes, and the "
                                  "energy of this one is not counted"
                                : "it is neither a memory nor arithmetic to the tool");
  return false;
}

bool LevelCollector::add(Level level) {
  if (kindOf(level.type) == ComponentKind::Arithmetic) {
    if (arithmetic) {
      reader.diagnostics.report(level.place, diag::TimeloopNotModelled, "a second arithmetic unit")
          .note(levels[*arithmetic].place, "the first one is this");
      return false;
    }
    arithmetic = levels.size();
  }
  levels.push_back(std::move(level));
  return true;
}

/// Name, class and attributes of a component.
bool LevelCollector::start(const Node &node, Level &level) {
  const Node *name = reader.need(node, "name", "a component");
  int64_t own = 1;
  if (!name || !readName(*name, level.name, own, reader))
    return false;
  level.place = name->place;
  level.part = part;
  const Node *type = reader.need(node, "class", "`" + level.name + "`");
  if (!type || !reader.readText(*type, "a class", level.type))
    return false;
  // The front end of v0.4 says that every memory does.
  level.attributes.reduces = isNodesForm || level.type.find("DRAM") == std::string::npos;
  if (instances > maxInstances / own)
    return reader.fail(name->place, diag::TimeloopMesh, "more than 2^40 instances");
  level.instances = instances * own;
  if (levels.size() >= maxLevels)
    return reader.fail(name->place, diag::TimeloopTooLarge, "more than 64 levels");
  for (const Level &other : levels)
    if (other.name == level.name) {
      reader.diagnostics.report(level.place, diag::YamlDuplicate, level.name)
          .note(other.place, "it was given here");
      return false;
    }
  std::vector<const Node *> maps;
  if (const Node *own = node.find("attributes"); own && own->kind != yaml::NodeKind::Null)
    maps.push_back(own);
  maps.insert(maps.end(), containers.begin(), containers.end());
  return readAttributes(maps, kindOf(level.type) == ComponentKind::Arithmetic, level, reader);
}

// The subtree form ---------------------------------------------------------------------------

/// meshX and meshY of a component are absolute; all along x is the default.
bool LevelCollector::setMesh(const Node &node, Level &level) {
  const Node *attributes = node.find("attributes");
  const Node *x = attributes ? attributes->find("meshX") : nullptr;
  const Node *y = attributes ? attributes->find("meshY") : nullptr;
  if ((x && !reader.readInteger(*x, 1, level.meshX)) ||
      (y && !reader.readInteger(*y, 1, level.meshY)))
    return false;
  if (!x && !y)
    level.meshX = level.instances;
  else if (!x)
    level.meshX = level.instances / level.meshY;
  else if (!y)
    level.meshY = level.instances / level.meshX;
  __int128 product = static_cast<__int128>(level.meshX) * level.meshY;
  return product == level.instances ||
         reader.fail((x ? x : y)->place, diag::TimeloopMesh,
                     fmt::format("a mesh of {} {} of `{}` does not divide its {} instances",
                                 x ? "width" : "height", x ? level.meshX : level.meshY, level.name,
                                 level.instances));
}

bool LevelCollector::readLocal(const Node &node) {
  Level level;
  if (!reader.expect(node, yaml::NodeKind::Map, "a component"))
    return false;
  if (!isLevel(node))
    return true;
  if (!start(node, level) || !setMesh(node, level) || !add(std::move(level)))
    return false;
  reader.warnOfUnread(node, "a component", otherKeys);
  return true;
}

bool LevelCollector::readSubtree(const Node &node) {
  const Node *at = &node;
  for (size_t depth = 0; at; ++depth) {
    const Node *name = reader.need(*at, "name", "a part of the architecture");
    int64_t own = 1;
    if (!name || !readName(*name, part, own, reader) || !multiply(own, name->place))
      return false;
    if (depth >= maxLevels)
      return reader.fail(name->place, diag::TimeloopTooLarge, "more than 64 parts");
    if (const Node *local = at->find("local")) {
      if (!reader.expect(*local, yaml::NodeKind::Sequence, "`local`"))
        return false;
      for (const Node *component : local->items)
        if (!readLocal(*component))
          return false;
    }
    const Node *children = at->find("subtree");
    if (children && !reader.expect(*children, yaml::NodeKind::Sequence, "`subtree`"))
      return false;
    if (children && children->items.size() > 1)
      return reader.fail(children->items[1]->place, diag::TimeloopNotModelled,
                         "a part with several subtrees");
    reader.warnOfUnread(*at, "a part of the architecture", otherKeys);
    at = children && !children->items.empty() ? children->items[0] : nullptr;
  }
  return true;
}

// The nodes form -----------------------------------------------------------------------------

/// The front end of v0.4 puts a level that holds nothing outside of each array: its loops along the
/// array are those of the node, and results are reduced there.
void LevelCollector::addPassage(const Node &node) {
  const Node *name = node.find("name");
  Level passage;
  std::string base;
  int64_t own = 1;
  if (levels.empty() || !name || !readName(*name, base, own, reader))
    return;
  passage.name = "inter_" + base + "_spatial";
  passage.type = "dummy_storage";
  passage.place = name->place;
  passage.part = part;
  passage.instances = instances;
  passage.meshX = meshX;
  passage.meshY = meshY;
  passage.arrays = std::exchange(arrays, {});
  passage.attributes.wordBits = 1;
  passage.attributes.words = 1;
  passage.storesNothing = true;
  levels.push_back(std::move(passage));
}

/// `spatial: {meshX, meshY}` of a node repeats it and everything after it.
bool LevelCollector::readMesh(const Node &node) {
  const Node *spatial = node.find("spatial");
  if (!spatial)
    return true;
  if (!reader.expect(*spatial, yaml::NodeKind::Map, "`spatial`"))
    return false;
  int64_t x = 1, y = 1;
  const Node *meshX_ = spatial->find("meshX"), *meshY_ = spatial->find("meshY");
  if ((meshX_ && !reader.readInteger(*meshX_, 1, x)) ||
      (meshY_ && !reader.readInteger(*meshY_, 1, y)))
    return false;
  if (x > 1 || y > 1)
    addPassage(node);
  if (!multiply(x, spatial->place) || !multiply(y, spatial->place))
    return false;
  meshX *= x;
  meshY *= y;
  return true;
}

bool LevelCollector::readContainer(const Node &node) {
  const Node *name = reader.need(node, "name", "a container");
  int64_t own = 1, before = instances;
  if (!name || !readName(*name, part, own, reader))
    return false;
  if (own != 1 && !multiply(own, name->place))
    return false;
  meshX *= own;
  if (!readMesh(node))
    return false;
  if (instances != before)
    arrays.push_back(part);
  if (const Node *inherited = node.find("attributes");
      inherited && inherited->kind != yaml::NodeKind::Null)
    containers.insert(containers.begin(), inherited);
  return true;
}

bool LevelCollector::readComponent(const Node &node) {
  Level level;
  int64_t before = instances;
  if (!isLevel(node))
    return true;
  if (!readMesh(node) || !start(node, level))
    return false;
  int64_t own = level.instances / instances;
  if (!multiply(own, level.place))
    return false;
  meshX *= own;
  if (instances != before)
    arrays.push_back(level.name);
  level.arrays = std::exchange(arrays, {});
  level.meshX = meshX;
  level.meshY = meshY;
  return add(std::move(level));
}

/// Of parallel nodes each tensor uses one. As in the tool, they are levels one after the other, and
/// the tensors that one does not keep pass it.
bool LevelCollector::readNodes(const Node &list, bool isParallel) {
  for (const Node *node : list.items) {
    if (!reader.expect(*node, yaml::NodeKind::Map, "a node"))
      return false;
    if (isParallel && node->find("spatial"))
      return reader.fail(node->find("spatial")->place, diag::TimeloopNotModelled,
                         "an array among parallel nodes");
    if (!readNode(*node))
      return false;
  }
  return true;
}

bool LevelCollector::readNode(const Node &node) {
  node.find("spatial");
  bool isParallel = node.tag == "Parallel";
  if (isParallel || node.tag == "Hierarchical") {
    const Node *inner = reader.needList(node, "nodes", "!" + node.tag);
    return inner && readNodes(*inner, isParallel);
  }
  if (node.tag == "Pipelined")
    return reader.fail(node.place, diag::TimeloopNotModelled, "nodes of the kind !" + node.tag);
  if (node.tag == "Nothing")
    return true;
  bool isContainer = node.tag == "Container" || (node.tag != "Component" && !node.find("class"));
  if (!(isContainer ? readContainer(node) : readComponent(node)))
    return false;
  reader.warnOfUnread(node, isContainer ? "a container" : "a component", otherKeys);
  return true;
}

bool LevelCollector::finish(SourceRange place) {
  if (!arithmetic)
    return reader.fail(place, diag::YamlMissing,
                       "the arithmetic, a component with a class as intmac", "the architecture");
  if (levels.size() < 2)
    return reader.fail(place, diag::YamlMissing, "a memory", "the architecture");
  input.compute = std::move(levels[*arithmetic]);
  levels.erase(levels.begin() + static_cast<ptrdiff_t>(*arithmetic));
  std::reverse(levels.begin(), levels.end());
  input.memories = std::move(levels);
  return true;
}

bool timeloop::readArchitecture(const Node &node, Input &input, NodeReader &reader) {
  if (!reader.expect(node, yaml::NodeKind::Map, "`architecture`"))
    return false;
  const Node *nodes = node.find("nodes");
  LevelCollector collector(input, reader, nodes);
  if (nodes)
    return reader.expect(*nodes, yaml::NodeKind::Sequence, "`nodes`") &&
           collector.readNodes(*nodes) && collector.finish(node.place);
  const Node *subtree = reader.needList(node, "subtree", "`architecture`");
  if (!subtree)
    return false;
  if (subtree->items.size() != 1)
    return reader.fail(subtree->place, diag::TimeloopNotModelled,
                       "an architecture with not exactly one subtree");
  return collector.readSubtree(*subtree->items[0]) && collector.finish(node.place);
}
