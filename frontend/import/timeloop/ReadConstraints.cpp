// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/ReadConstraints.h"

#include "frontend/import/timeloop/Directives.h"
#include "frontend/import/timeloop/Sections.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::timeloop;
using yaml::Node;
using yaml::NodeReader;

namespace {

class ConstraintReader {
public:
  ConstraintReader(const Input &input, NodeReader &reader, bool isNodesForm)
      : input(input), reader(reader), isNodesForm(isNodesForm), constraints(noConstraints(input)) {}

  bool readSection(const Node &node);
  bool readNodes(const Node &list, bool isParallel = false);
  Constraints take() { return std::move(constraints); }

private:
  bool readOne(const Node &node);
  bool readInside(const std::string &name, const Node &type, const Node &node);
  bool readRule(const Node &node, const Directive &directive);
  bool setKeep(unsigned space, bool keep, SourceRange place, PlacementRule &rule);
  bool readKeeps(const Node &node, PlacementRule &rule);
  bool readLoops(const Node &node, bool spatial, NestRule &rule);
  bool setExact(unsigned dim, int64_t value, SourceRange place, NestRule &rule);
  bool readFactors(const Node &node, llvm::StringRef key, NestRule &rule);
  bool readFactorsOnly(const Node &node, NestRule &rule);
  bool readStill(const Node &node, llvm::StringRef key, bool within, NestRule &rule);
  bool readFactor(llvm::StringRef text, SourceRange place, NestRule &rule);
  bool readInner(const Node &node, NestRule &rule);
  bool readRuleSplit(const Node &node, NestRule &rule);
  bool findKept(const Node &node, std::vector<unsigned> &spaces);
  bool bypassInside(const Node &node, unsigned space, SourceRange place);
  bool readParallel(const Node &list);

  const Input &input;
  NodeReader &reader;
  bool isNodesForm; ///< the front end of v0.4 has worked on the constraints
  Constraints constraints;
};

} // namespace

/// A value that is as if its key were not there.
static bool saysNothing(const Node &value) {
  return value.kind == yaml::NodeKind::Null || (value.isSequence() && value.items.empty());
}

bool ConstraintReader::setKeep(unsigned space, bool keep, SourceRange place, PlacementRule &rule) {
  if (rule.keep[space] && *rule.keep[space] != keep) {
    reader.diagnostics.report(place, diag::YamlDuplicate, input.problem.spaces[space].name)
        .note(rule.keepPlaces[space],
              *rule.keep[space] ? "it is kept here" : "it is bypassed here");
    return false;
  }
  rule.keep[space] = keep;
  rule.keepPlaces[space] = place;
  return true;
}

/// `…_only` says the opposite of all other tensors.
bool ConstraintReader::readKeeps(const Node &node, PlacementRule &rule) {
  for (auto [key, keep, only] :
       {std::tuple("keep_only", true, true), std::tuple("bypass_only", false, true),
        std::tuple("keep", true, false), std::tuple("bypass", false, false)}) {
    const Node *value = node.find(key);
    std::vector<unsigned> spaces;
    if (!value)
      continue;
    if (!readSpaceList(*value, input, reader, spaces))
      return false;
    for (unsigned space = 0; space < input.spaceCount(); ++space)
      if (bool isListed = llvm::is_contained(spaces, space); isListed || only)
        if (!setKeep(space, isListed == keep, value->place, rule))
          return false;
  }
  return true;
}

bool ConstraintReader::setExact(unsigned dim, int64_t value, SourceRange place, NestRule &rule) {
  if (rule.exact[dim] && *rule.exact[dim] != value) {
    reader.diagnostics.report(place, diag::YamlDuplicate, input.problem.dims[dim])
        .note(rule.exactPlaces[dim], fmt::format("it is {} here", *rule.exact[dim]));
    return false;
  }
  rule.exact[dim] = value;
  rule.exactPlaces[dim] = place;
  return true;
}

/// `M=8`, `M<=8` or `M8`; 0 stands for the whole dimension.
bool ConstraintReader::readFactor(llvm::StringRef text, SourceRange place, NestRule &rule) {
  llvm::StringRef name = text.take_while([](char c) { return llvm::isAlpha(c) || c == '_'; });
  llvm::StringRef rest = text.drop_front(name.size());
  bool isLimit = rest.consume_front("<=");
  if (!isLimit)
    rest.consume_front("=");
  int64_t value = 0;
  if (name.empty() || rest.getAsInteger(10, value) || value < 0)
    return reader.fail(place, diag::TimeloopFactor, text, "a constraint is `M=8` or `M<=8`");
  llvm::Optional<unsigned> dim = input.findDim(name);
  if (!dim)
    return reader.fail(place, diag::TimeloopUnknown, "dimension", name);
  if (!value)
    value = input.problem.bounds[*dim];
  if (!isLimit)
    return setExact(*dim, value, place, rule);
  rule.most[*dim] = value;
  return true;
}

bool ConstraintReader::readFactors(const Node &node, llvm::StringRef key, NestRule &rule) {
  const Node *factors = node.find(key);
  std::vector<std::pair<std::string, SourceRange>> words;
  if (!factors || factors->kind == yaml::NodeKind::Null)
    return true;
  if (!reader.readWords(*factors, "a factor", words))
    return false;
  return llvm::all_of(words,
                      [&](const auto &word) { return readFactor(word.first, word.second, rule); });
}

/// Dimensions that `factors_only` does not name have the factor 1.
bool ConstraintReader::readFactorsOnly(const Node &node, NestRule &rule) {
  const Node *factors = node.find("factors_only");
  if (!factors || factors->kind == yaml::NodeKind::Null)
    return true;
  if (!readFactors(node, "factors_only", rule))
    return false;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    if (!rule.exact[dim] && !rule.most[dim])
      setExact(dim, 1, factors->place, rule);
  return true;
}

/// The dimensions that the tensors under `key` have (`within`) or do not have get the factor 1.
bool ConstraintReader::readStill(const Node &node, llvm::StringRef key, bool within,
                                 NestRule &rule) {
  const Node *value = node.find(key);
  std::vector<unsigned> spaces;
  if (!value || value->kind == yaml::NodeKind::Null)
    return true;
  if (!readSpaceList(*value, input, reader, spaces))
    return false;
  std::vector<bool> has(input.dimCount());
  for (unsigned space : spaces)
    for (const std::vector<Term> &rank : input.problem.spaces[space].ranks)
      for (const Term &term : rank)
        has[term.dim] = true;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    if (has[dim] == within && !setExact(dim, 1, value->place, rule))
      return false;
  return true;
}

bool ConstraintReader::readInner(const Node &node, NestRule &rule) {
  if (!node.find("permutation"))
    return true;
  rule.inner.clear();
  return readPermutation(node, input, reader, rule.inner);
}

/// The front end of v0.4 puts the dimensions with the factor 1 that the permutation leaves out
/// before the others, so that a `split` counts them; else they stand behind.
bool ConstraintReader::readRuleSplit(const Node &node, NestRule &rule) {
  const Node *split = node.find("split");
  unsigned value = 0;
  if (!split)
    return true;
  if (!readSplit(node, input, reader, value))
    return false;
  std::vector<unsigned> still;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim) {
    if (llvm::is_contained(rule.inner, dim))
      continue;
    if (rule.exact[dim] != int64_t(1) && input.problem.bounds[dim] != 1)
      return reader.fail(split->place, diag::TimeloopNotModelled,
                         "a search with a `split` whose `permutation` leaves `" +
                             input.problem.dims[dim] + "` out, which may have a factor");
    still.push_back(dim);
  }
  rule.inner.insert(isNodesForm ? rule.inner.begin() : rule.inner.end(), still.begin(),
                    still.end());
  rule.split = value;
  return true;
}

bool ConstraintReader::readLoops(const Node &node, bool spatial, NestRule &rule) {
  for (llvm::StringRef key : {"no_reuse", "no_temporal_reuse", "rmw_first_update",
                              "no_link_transfer", "no_multicast_no_reduction", "maximize_dims",
                              "default_max_factor", "default_min_factor", "remainders"})
    if (const Node *flag = node.find(key); flag && !saysNothing(*flag))
      return reader.fail(flag->place, diag::TimeloopNotModelled,
                         "a search with the constraint `" + key.str() + "`");
  return readFactors(node, "factors", rule) && readFactorsOnly(node, rule) &&
         readStill(node, "no_iteration_over_dataspaces", true, rule) &&
         readStill(node, "must_iterate_over_dataspaces", false, rule) && readInner(node, rule) &&
         (!spatial || readRuleSplit(node, rule));
}

bool ConstraintReader::readRule(const Node &node, const Directive &directive) {
  PlacementRule &rule = constraints.memories[directive.memory];
  if (!directive.isBypass() && !directive.isLoops())
    return reader.fail(directive.typeNode->place, diag::TimeloopNotModelled,
                       "a search with a constraint of the type `" + directive.type + "`");
  bool spatial = directive.type == "spatial";
  if (directive.isBypass() ? !readKeeps(node, rule)
                           : !readLoops(node, spatial, spatial ? rule.spatial : rule.temporal))
    return false;
  reader.warnOfUnread(node, "a constraint");
  return true;
}

bool ConstraintReader::readOne(const Node &node) {
  Directive directive;
  return readDirective(node, "a constraint", input, reader, directive) && readRule(node, directive);
}

/// The constraint `type` that stands in the node `name`. There, spatial loops run on its own mesh;
/// a memory without one can only mean the array below, as it does in a section of constraints.
bool ConstraintReader::readInside(const std::string &name, const Node &type, const Node &node) {
  if (node.kind == yaml::NodeKind::Null || (node.isMap() && node.entries.empty()))
    return true;
  if (!reader.expect(node, yaml::NodeKind::Map, "a constraint"))
    return false;
  Directive directive;
  directive.type = type.text;
  directive.typeNode = &type;
  llvm::Optional<unsigned> memory = input.findMemory(name);
  bool spatial = directive.type == "spatial";
  if (spatial && (!memory || input.findArray(name))) {
    if (!findArrayMemory(name, type.place, input, reader, directive.memory))
      return false;
  } else if (memory) {
    directive.memory = spatial ? spatialLevel(input, *memory) : *memory;
    if (spatial)
      reader.diagnostics.report(type.place, diag::TimeloopArrayBelow, name);
  } else {
    return reader.fail(type.place, diag::TimeloopUnknown, "memory", name);
  }
  return readRule(node, directive);
}

/// The tensors that `node` or what is in it keeps.
bool ConstraintReader::findKept(const Node &node, std::vector<unsigned> &spaces) {
  const Node *own = node.find("constraints");
  const Node *dataspace = own && own->isMap() ? own->find("dataspace") : nullptr;
  for (llvm::StringRef key : {"keep", "keep_only"})
    if (const Node *kept = dataspace && dataspace->isMap() ? dataspace->find(key) : nullptr)
      if (!readSpaceList(*kept, input, reader, spaces))
        return false;
  const Node *nodes = node.find("nodes");
  return !nodes ||
         llvm::all_of(nodes->items, [&](const Node *inner) { return findKept(*inner, spaces); });
}

/// `space` passes the memories in `node`, since another one, at `place`, keeps it.
bool ConstraintReader::bypassInside(const Node &node, unsigned space, SourceRange place) {
  const Node *name = node.find("name"), *nodes = node.find("nodes");
  std::string text;
  int64_t instances = 0;
  if (name && !readName(*name, text, instances, reader))
    return false;
  llvm::Optional<unsigned> memory = name ? input.findMemory(text) : llvm::None;
  if (memory && !setKeep(space, false, place, constraints.memories[*memory]))
    return false;
  return !nodes || llvm::all_of(nodes->items, [&](const Node *inner) {
    return bypassInside(*inner, space, place);
  });
}

/// Of parallel nodes each tensor uses the one that keeps it.
bool ConstraintReader::readParallel(const Node &list) {
  for (const Node *keeper : list.items) {
    std::vector<unsigned> spaces;
    if (!findKept(*keeper, spaces))
      return false;
    for (const Node *other : list.items)
      for (unsigned space : spaces)
        if (other != keeper && !bypassInside(*other, space, keeper->place))
          return false;
  }
  return true;
}

/// `constraints` that stand in the nodes of an architecture of v0.4, by their types.
bool ConstraintReader::readNodes(const Node &list, bool isParallel) {
  for (const Node *node : list.items) {
    const Node *nodes = node->find("nodes"), *own = node->find("constraints");
    if (nodes && !readNodes(*nodes, node->tag == "Parallel"))
      return false;
    if (!own || own->kind == yaml::NodeKind::Null || node->tag == "Nothing")
      continue;
    const Node *name = reader.need(*node, "name", "a node with constraints");
    std::string text;
    int64_t instances = 0;
    if (!name || !readName(*name, text, instances, reader) ||
        !reader.expect(*own, yaml::NodeKind::Map, "`constraints`"))
      return false;
    for (const auto &[type, rule] : own->entries)
      if (!readInside(text, *type, *rule))
        return false;
  }
  return !isParallel || readParallel(list);
}

bool ConstraintReader::readSection(const Node &node) {
  const Node *list = &node;
  for (llvm::StringRef key : {"targets", "constraints"})
    if (list->isMap() && list->find(key))
      list = list->find(key);
  if (list->isMap() || list->kind == yaml::NodeKind::Null)
    return true; // only a version or a template
  return reader.expect(*list, yaml::NodeKind::Sequence, "a list of constraints") &&
         llvm::all_of(list->items, [&](const Node *item) {
           return reader.expect(*item, yaml::NodeKind::Map, "a constraint") && readOne(*item);
         });
}

llvm::Optional<Constraints> timeloop::readConstraints(const yaml::Document &document,
                                                      const Input &input,
                                                      DiagnosticEngine &diagnostics) {
  NodeReader reader(diagnostics);
  const Node *architecture = document.root()->find("architecture");
  const Node *nodes = architecture ? architecture->find("nodes") : nullptr;
  ConstraintReader constraints(input, reader, nodes);
  if (nodes && !constraints.readNodes(*nodes))
    return llvm::None;
  for (llvm::StringRef key :
       {"architecture_constraints", "mapspace_constraints", "constraints", "mapspace"})
    if (const Node *section = document.root()->find(key))
      if (!constraints.readSection(*section))
        return llvm::None;
  return constraints.take();
}
