// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/MapspaceText.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

class MapspaceText {
public:
  MapspaceText(const Input &input, llvm::ArrayRef<std::string> indices,
               DiagnosticEngine &diagnostics)
      : input(input), indices(indices), diagnostics(diagnostics) {}

  bool addTemporal(const NestRule &rule, const std::string &place);
  bool addSpatial(const NestRule &rule, const std::string &array, bool isPlane);
  bool addKeeps(const PlacementRule &rule, const Level &memory, bool isOutermost);
  std::vector<std::string> lines;

private:
  bool fail(const std::string &why, SourceRange place = {}) {
    diagnostics.report(place.isValid() ? place : input.place, diag::TimeloopNotModelled,
                       "a mapspace of the language with " + why);
    return false;
  }
  bool saysNothing(const NestRule &rule) const {
    auto isOpen = [](const llvm::Optional<int64_t> &factor) { return !factor; };
    return rule.inner.empty() && llvm::all_of(rule.exact, isOpen) &&
           llvm::all_of(rule.most, isOpen);
  }
  bool isOne(const NestRule &rule, unsigned dim) const {
    return rule.exact[dim] == int64_t(1) || input.problem.bounds[dim] == 1;
  }
  std::string hole(const NestRule &rule, unsigned dim) const;
  bool addLoops(const NestRule &rule, const std::string &place, const std::string &word);
  void addAxis(const NestRule &rule, const std::string &place, llvm::ArrayRef<unsigned> dims);

  const Input &input;
  llvm::ArrayRef<std::string> indices;
  DiagnosticEngine &diagnostics;
};

} // namespace

std::string MapspaceText::hole(const NestRule &rule, unsigned dim) const {
  std::string factor = rule.exact[dim]  ? fmt::format("{}", *rule.exact[dim])
                       : rule.most[dim] ? fmt::format("1..{}", *rule.most[dim])
                                        : "any";
  return indices[dim] + " = " + factor;
}

/// All dimensions with what they may have here, in any order or in the one that the rule gives.
bool MapspaceText::addLoops(const NestRule &rule, const std::string &place,
                            const std::string &word) {
  std::vector<std::string> holes;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim) {
    if (llvm::is_contained(rule.inner, dim))
      continue;
    holes.push_back(hole(rule, dim));
    if (!rule.inner.empty() && !isOne(rule, dim))
      return fail("an order of some of its loops, as that of " + place);
  }
  for (unsigned dim : llvm::reverse(rule.inner))
    holes.push_back(hole(rule, dim));
  lines.push_back(fmt::format("at {} {{ {} {}{} }}", place, word, llvm::join(holes, ", "),
                              rule.inner.empty() ? "; order any" : ""));
  return true;
}

bool MapspaceText::addTemporal(const NestRule &rule, const std::string &place) {
  return saysNothing(rule) || addLoops(rule, place, "for");
}

/// `dims` alone, the innermost first.
void MapspaceText::addAxis(const NestRule &rule, const std::string &place,
                           llvm::ArrayRef<unsigned> dims) {
  std::vector<std::string> holes;
  for (unsigned dim : llvm::reverse(dims))
    holes.push_back(hole(rule, dim));
  if (dims.empty())
    holes.push_back(indices.front() + " = 1");
  lines.push_back(fmt::format("at {} parallel {}", place, llvm::join(holes, ", ")));
}

bool MapspaceText::addSpatial(const NestRule &rule, const std::string &array, bool isPlane) {
  if (saysNothing(rule))
    return true;
  if (array.empty()) {
    for (unsigned dim = 0; dim < input.dimCount(); ++dim)
      if (rule.exact[dim].getValueOr(1) != 1)
        return fail("lanes where the architecture has none");
    return true;
  }
  if (rule.split) {
    auto dims = llvm::makeArrayRef(rule.inner);
    unsigned split = std::min<unsigned>(*rule.split, input.dimCount());
    addAxis(rule, array + ".x", dims.take_front(split));
    addAxis(rule, array + ".y", dims.drop_front(split));
    return true;
  }
  bool isSimple = rule.inner.empty();
  SourceRange place;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    if (!isOne(rule, dim) && (rule.exact[dim] || rule.most[dim])) {
      isSimple = false;
      place = rule.exactPlaces[dim];
    }
  if (isPlane && !isSimple)
    return fail("factors or an order of both axes of `" + array + "` together", place);
  return addLoops(rule, array + ".x", "parallel") &&
         (!isPlane || addLoops(rule, array + ".y", "parallel"));
}

bool MapspaceText::addKeeps(const PlacementRule &rule, const Level &memory, bool isOutermost) {
  if (isOutermost)
    return !llvm::is_contained(rule.keep, llvm::Optional<bool>(false)) ||
           fail("an outermost memory that is bypassed");
  if (llvm::is_contained(rule.keep, llvm::Optional<bool>()))
    lines.push_back("keep any at " + memory.name);
  for (bool keep : {true, false})
    for (unsigned space = 0; space < input.spaceCount(); ++space)
      if (rule.keep[space] == keep)
        lines.push_back(fmt::format("{} {} at {}", keep ? "keep" : "bypass",
                                    input.problem.spaces[space].name, memory.name));
  return true;
}

llvm::Optional<std::vector<std::string>>
timeloop::mapspaceLines(const Input &input, const Constraints &constraints,
                        llvm::ArrayRef<std::string> indices, llvm::ArrayRef<std::string> arrays,
                        DiagnosticEngine &diagnostics) {
  MapspaceText text(input, indices, diagnostics);
  for (size_t i = input.memories.size(); i-- > 0;) {
    const PlacementRule &rule = constraints.memories[i];
    const Level &memory = input.memories[i], &child = input.level(static_cast<unsigned>(i));
    if (!text.addTemporal(rule.temporal, memory.name) ||
        !text.addSpatial(rule.spatial, arrays[i], child.meshY != memory.meshY) ||
        !text.addKeeps(rule, memory, i + 1 == input.memories.size()))
      return llvm::None;
  }
  return std::move(text.lines);
}
