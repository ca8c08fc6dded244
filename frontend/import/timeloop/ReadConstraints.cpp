// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/ReadConstraints.h"

#include "frontend/import/timeloop/Directives.h"
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
  ConstraintReader(const Input &input, NodeReader &reader)
      : input(input), reader(reader), constraints(noConstraints(input)) {}

  bool readSection(const Node &node);
  Constraints take() { return std::move(constraints); }

private:
  bool readOne(const Node &node);
  bool readKeep(const Node &node, llvm::StringRef key, bool keep, PlacementRule &rule);
  bool readFactors(const Node &node, NestRule &rule);
  bool readFactor(llvm::StringRef text, SourceRange place, NestRule &rule);
  bool readInner(const Node &node, NestRule &rule);
  bool readRuleSplit(const Node &node, NestRule &rule);

  const Input &input;
  NodeReader &reader;
  Constraints constraints;
};

} // namespace

bool ConstraintReader::readKeep(const Node &node, llvm::StringRef key, bool keep,
                                PlacementRule &rule) {
  const Node *value = node.find(key);
  std::vector<unsigned> spaces;
  if (value && !readSpaceList(*value, input, reader, spaces))
    return false;
  for (unsigned space : spaces)
    rule.keep[space] = keep;
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
  (isLimit ? rule.most : rule.exact)[*dim] = value ? value : input.problem.bounds[*dim];
  if (!isLimit)
    rule.exactPlaces[*dim] = place;
  return true;
}

bool ConstraintReader::readFactors(const Node &node, NestRule &rule) {
  const Node *factors = node.find("factors");
  std::vector<std::pair<std::string, SourceRange>> words;
  if (!factors || factors->kind == yaml::NodeKind::Null)
    return true;
  if (!reader.readWords(*factors, "a factor", words))
    return false;
  return llvm::all_of(words,
                      [&](const auto &word) { return readFactor(word.first, word.second, rule); });
}

bool ConstraintReader::readInner(const Node &node, NestRule &rule) {
  if (!node.find("permutation"))
    return true;
  rule.inner.clear();
  return readPermutation(node, input, reader, rule.inner);
}

bool ConstraintReader::readRuleSplit(const Node &node, NestRule &rule) {
  const Node *split = node.find("split");
  unsigned value = 0;
  if (!split)
    return true;
  if (!readSplit(node, input, reader, value))
    return false;
  if (rule.inner.size() != input.dimCount())
    return reader.fail(split->place, diag::TimeloopNotModelled,
                       "a search with a `split` whose `permutation` leaves dimensions out");
  rule.split = value;
  return true;
}

bool ConstraintReader::readOne(const Node &node) {
  Directive directive;
  if (!readDirective(node, "a constraint", input, reader, directive))
    return false;
  PlacementRule &rule = constraints.memories[directive.memory];
  if (directive.isBypass())
    return readKeep(node, "keep", true, rule) && readKeep(node, "bypass", false, rule);
  if (!directive.isLoops())
    return reader.fail(directive.typeNode->place, diag::TimeloopNotModelled,
                       "a search with a constraint of the type `" + directive.type + "`");
  for (llvm::StringRef key : {"no_reuse", "no_temporal_reuse", "rmw_first_update",
                              "no_link_transfer", "no_multicast_no_reduction"})
    if (const Node *flag = node.find(key))
      return reader.fail(flag->place, diag::TimeloopNotModelled,
                         "a search with the constraint `" + key.str() + "`");
  bool spatial = directive.type == "spatial";
  NestRule &nest = spatial ? rule.spatial : rule.temporal;
  return readFactors(node, nest) && readInner(node, nest) &&
         (!spatial || readRuleSplit(node, nest));
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

/// Constraints that stand with a node of the architecture, as v0.4 has them; null where none do.
static const Node *constraintsInside(const Node &node) {
  if (const Node *own = node.find("constraints"))
    return own;
  if (const Node *nodes = node.find("nodes"))
    for (const Node *inner : nodes->items)
      if (const Node *found = constraintsInside(*inner))
        return found;
  return nullptr;
}

llvm::Optional<Constraints> timeloop::readConstraints(const yaml::Document &document,
                                                      const Input &input,
                                                      DiagnosticEngine &diagnostics) {
  NodeReader reader(diagnostics);
  ConstraintReader constraints(input, reader);
  const Node *architecture = document.root()->find("architecture");
  if (const Node *inside = architecture ? constraintsInside(*architecture) : nullptr) {
    reader.fail(inside->place, diag::TimeloopNotModelled,
                "a search with constraints inside the architecture");
    return llvm::None;
  }
  for (llvm::StringRef key :
       {"architecture_constraints", "mapspace_constraints", "constraints", "mapspace"})
    if (const Node *section = document.root()->find(key))
      if (!constraints.readSection(*section))
        return llvm::None;
  return constraints.take();
}
