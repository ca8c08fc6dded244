// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

class MappingReader {
public:
  MappingReader(Input &input, NodeReader &reader) : input(input), reader(reader) {}

  bool readOne(const Node &node);

private:
  bool readOptions(const Node &node, const Directive &directive);
  bool readKeep(const Node &node, Placement &placement);
  bool readNest(const Node &node, bool spatial, Nest &nest);
  bool readFactors(const Node &node, Nest &nest);
  bool readFactor(llvm::StringRef &text, SourceRange place, Nest &nest);
  bool readOrder(const Node &node, Nest &nest);
  bool readFlags(const Node &node, llvm::StringRef key, SpaceFlags &flags);
  bool readSpaces(const Node &node, SpaceFlags &flags);

  Input &input;
  NodeReader &reader;
  std::vector<bool> isNamed; ///< dimensions in the factors that are read
};

} // namespace

bool MappingReader::readSpaces(const Node &node, SpaceFlags &flags) {
  std::vector<unsigned> spaces;
  if (!readSpaceList(node, input, reader, spaces))
    return false;
  flags.assign(input.spaceCount(), false);
  for (unsigned space : spaces)
    flags[space] = true;
  return true;
}

bool MappingReader::readFlags(const Node &node, llvm::StringRef key, SpaceFlags &flags) {
  const Node *value = node.find(key);
  return !value || readSpaces(*value, flags);
}

/// Memories keep what they do not bypass, so that `keep` says nothing new.
bool MappingReader::readKeep(const Node &node, Placement &placement) {
  const Node *bypass = node.find("bypass");
  SpaceFlags kept, bypassed;
  if (!readFlags(node, "keep", kept) || !readFlags(node, "bypass", bypassed))
    return false;
  for (unsigned space = 0; space < bypassed.size(); ++space) {
    if (!bypassed[space])
      continue;
    if (!kept.empty() && kept[space])
      return reader.fail(bypass->place, diag::YamlDuplicate, input.problem.spaces[space].name);
    placement.keep[space] = false;
  }
  return true;
}

static llvm::StringRef takeDigits(llvm::StringRef &text) {
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  return digits;
}

/// `M=8`, `M=8,3` with the last pass, or `M8`.
bool MappingReader::readFactor(llvm::StringRef &text, SourceRange place, Nest &nest) {
  llvm::StringRef whole = text;
  llvm::StringRef name = text.take_while([](char c) { return llvm::isAlpha(c) || c == '_'; });
  text = text.drop_front(name.size()).ltrim();
  text.consume_front("=");
  text = text.ltrim();
  llvm::StringRef end = takeDigits(text), residual = end;
  if (text.startswith(",") && text.size() > 1 && llvm::isDigit(text[1])) {
    text = text.drop_front();
    residual = takeDigits(text);
  }
  llvm::StringRef written = whole.drop_back(text.size());
  int64_t endValue = 0, residualValue = 0;
  if (name.empty() || end.getAsInteger(10, endValue) || residual.getAsInteger(10, residualValue) ||
      endValue > (int64_t(1) << 40))
    return reader.fail(place, diag::TimeloopFactor, written.empty() ? whole.str() : written.str(),
                       "a factor is written `M=8`, or `M=8,3` with the iterations of the last "
                       "pass");
  llvm::Optional<unsigned> dim = input.findDim(name);
  if (!dim)
    return reader.fail(place, diag::TimeloopUnknown, "dimension", name);
  if (endValue == 0)
    endValue = residualValue = input.problem.bounds[*dim];
  if (isNamed[*dim])
    return reader.fail(place, diag::YamlDuplicate, name);
  isNamed[*dim] = true;
  nest.factors[*dim] = {endValue, residualValue};
  return true;
}

bool MappingReader::readFactors(const Node &node, Nest &nest) {
  const Node *factors = node.find("factors");
  if (!factors || factors->kind == yaml::NodeKind::Null)
    return true;
  std::vector<std::pair<llvm::StringRef, SourceRange>> texts;
  if (factors->isSequence()) {
    for (const Node *item : factors->items) {
      if (!reader.expect(*item, yaml::NodeKind::Scalar, "a factor"))
        return false;
      texts.emplace_back(item->text, item->place);
    }
  } else if (reader.expect(*factors, yaml::NodeKind::Scalar, "`factors`")) {
    texts.emplace_back(factors->text, factors->place);
  } else {
    return false;
  }
  isNamed.assign(input.dimCount(), false);
  for (auto [text, place] : texts)
    for (text = text.ltrim(" \t\n,"); !text.empty(); text = text.ltrim(" \t\n,"))
      if (!readFactor(text, place, nest))
        return false;
  return true;
}

/// Innermost first; what is not named comes last.
bool MappingReader::readOrder(const Node &node, Nest &nest) {
  nest.order.clear();
  if (!readPermutation(node, input, reader, nest.order))
    return false;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    if (!llvm::is_contained(nest.order, dim))
      nest.order.push_back(dim);
  return true;
}

bool MappingReader::readNest(const Node &node, bool spatial, Nest &nest) {
  nest.given = true;
  nest.place = node.place;
  if (!readFactors(node, nest) || !readOrder(node, nest))
    return false;
  nest.split = input.dimCount();
  return !spatial || readSplit(node, input, reader, nest.split);
}

bool MappingReader::readOptions(const Node &node, const Directive &directive) {
  Placement &placement = input.placements[directive.memory];
  if (!placement.place.isValid())
    placement.place = directive.target->place;
  if (directive.isBypass())
    return readKeep(node, placement);
  if (!directive.isLoops())
    return reader.fail(directive.typeNode->place, diag::TimeloopUnknown, "type of directive",
                       directive.type);
  bool spatial = directive.type == "spatial";
  Nest &nest = spatial ? placement.spatial : placement.temporal;
  if (nest.given)
    return reader.fail(directive.target->place, diag::YamlDuplicate,
                       directive.type + " loops of " + directive.memoryName);
  if (!readNest(node, spatial, nest))
    return false;
  if (spatial)
    return readFlags(node, "no_link_transfer", placement.noLinks) &&
           readFlags(node, "no_multicast_no_reduction", placement.noMulticast) &&
           readFlags(node, "no_reuse", placement.noMulticast);
  return readFlags(node, "no_temporal_reuse", placement.noTemporalReuse) &&
         readFlags(node, "no_reuse", placement.noTemporalReuse) &&
         readFlags(node, "rmw_first_update", placement.rmwFirstUpdate);
}

bool MappingReader::readOne(const Node &node) {
  Directive directive;
  if (!readDirective(node, "a directive of the mapping", input, reader, directive) ||
      !readOptions(node, directive))
    return false;
  reader.warnOfUnread(node, "a directive of the mapping");
  return true;
}

bool timeloop::readMapping(const Node &node, Input &input, NodeReader &reader) {
  const Node *list = &node;
  for (llvm::StringRef key : {"nodes", "mapping"})
    if (list->isMap() && list->find(key))
      list = list->find(key);
  if (!reader.expect(*list, yaml::NodeKind::Sequence, "`mapping`"))
    return false;
  MappingReader mapping(input, reader);
  for (const Node *item : list->items)
    if (!reader.expect(*item, yaml::NodeKind::Map, "a directive of the mapping") ||
        !mapping.readOne(*item))
      return false;
  return true;
}
