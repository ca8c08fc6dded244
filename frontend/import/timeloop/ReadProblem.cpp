// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/Directives.h"
#include "frontend/import/timeloop/KnownShapes.h"
#include "frontend/import/timeloop/Sections.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::timeloop;
using yaml::Node;
using yaml::NodeReader;

static constexpr int64_t maxBound = int64_t(1) << 40;

static bool readDimensions(const Node &shape, Problem &problem, NodeReader &reader) {
  const Node *dims = reader.need(shape, "dimensions", "the problem's shape");
  std::vector<std::pair<std::string, SourceRange>> words;
  if (!dims || !reader.readWords(*dims, "a dimension", words))
    return false;
  for (const auto &[name, place] : words) {
    for (const std::string &other : problem.dims)
      if (other == name)
        return reader.fail(place, diag::YamlDuplicate, name);
    problem.dims.push_back(name);
  }
  return true;
}

static bool readBounds(const Node &instance, Problem &problem, NodeReader &reader) {
  for (const std::string &dim : problem.dims) {
    const Node *bound = reader.need(instance, dim, "the problem's instance");
    int64_t value = 0;
    if (!bound || !reader.readInteger(*bound, 1, value))
      return false;
    if (value > maxBound)
      return reader.fail(bound->place, diag::YamlNumber, bound->text, "a size up to 2^40 is");
    problem.bounds.push_back(value);
  }
  return true;
}

static bool readCoefficient(const Node &value, int64_t &coefficient, NodeReader &reader) {
  return reader.readInteger(value, -maxBound, coefficient) &&
         (coefficient <= maxBound ||
          reader.fail(value.place, diag::YamlNumber, value.text, "a value up to 2^40 is"));
}

static bool readCoefficients(const Node &shape, const Node &instance, Problem &problem,
                             NodeReader &reader) {
  const Node *list = shape.find("coefficients");
  if (!list || list->kind == yaml::NodeKind::Null)
    return true;
  if (!reader.expect(*list, yaml::NodeKind::Sequence, "`coefficients`"))
    return false;
  for (const Node *item : list->items) {
    const Node *name = reader.need(*item, "name", "a coefficient");
    Coefficient coefficient;
    if (!name || !reader.readText(*name, "a name", coefficient.name))
      return false;
    const Node *value = instance.find(coefficient.name);
    if (!value)
      value = item->find("default");
    if (!value)
      return reader.fail(item->place, diag::YamlMissing, coefficient.name,
                         "the problem's instance");
    if (!readCoefficient(*value, coefficient.value, reader))
      return false;
    problem.coefficients.push_back(std::move(coefficient));
    item->find("default");
    reader.warnOfUnread(*item, "a coefficient");
  }
  return true;
}

/// `[R, Wdilation]`: a dimension and perhaps its coefficient.
static bool readTerm(const Node &node, const Input &input, Term &term, NodeReader &reader) {
  std::vector<std::pair<std::string, SourceRange>> words;
  if (!reader.readWords(node, "a term of a projection", words))
    return false;
  if (words.empty() || words.size() > 2)
    return reader.fail(node.place, diag::YamlKind, "a term of a projection",
                       "a dimension and perhaps a coefficient",
                       fmt::format("{} words", words.size()));
  llvm::Optional<unsigned> dim = input.findDim(words[0].first);
  if (!dim)
    return reader.fail(words[0].second, diag::TimeloopUnknown, "dimension", words[0].first);
  term.dim = *dim;
  if (words.size() == 1)
    return true;
  term.name = words[1].first;
  for (const Coefficient &coefficient : input.problem.coefficients)
    if (coefficient.name == term.name) {
      term.coefficient = coefficient.value;
      return true;
    }
  return reader.fail(words[1].second, diag::TimeloopUnknown, "coefficient", term.name);
}

static bool readSpace(const Node &item, Input &input, NodeReader &reader) {
  Space space;
  const Node *name = reader.need(item, "name", "a data space");
  const Node *projection = name ? reader.needList(item, "projection", "a data space") : nullptr;
  if (!projection || !reader.readText(*name, "a name", space.name))
    return false;
  if (input.findSpace(space.name))
    return reader.fail(name->place, diag::YamlDuplicate, space.name);
  for (const Node *rank : projection->items) {
    if (!reader.expect(*rank, yaml::NodeKind::Sequence, "a rank of a projection"))
      return false;
    space.ranks.emplace_back();
    for (const Node *term : rank->items) {
      space.ranks.back().emplace_back();
      if (!readTerm(*term, input, space.ranks.back().back(), reader))
        return false;
    }
  }
  if (const Node *readWrite = item.find("read_write"))
    if (!reader.readFlag(*readWrite, space.readWrite))
      return false;
  input.problem.spaces.push_back(std::move(space));
  reader.warnOfUnread(item, "a data space");
  return true;
}

/// A shape that the tool has by name.
static bool readKnownShape(const Node &name, const Node &instance, Problem &problem,
                           NodeReader &reader) {
  llvm::Optional<Problem> shape = knownShape(name.text);
  if (!shape) {
    reader.diagnostics.report(name.place, diag::TimeloopUnknown, "problem shape", name.text)
        .help("by name the tool has " + knownShapeNames().str() +
              "; write another one out as a map");
    return false;
  }
  shape->place = problem.place;
  problem = std::move(*shape);
  for (Coefficient &coefficient : problem.coefficients) {
    const Node *value = instance.find(coefficient.name);
    if (value && !readCoefficient(*value, coefficient.value, reader))
      return false;
    if (coefficient.value < 1)
      return reader.fail(value->place, diag::YamlNumber, value->text,
                         "a whole number of at least 1 is");
    for (Space &space : problem.spaces)
      for (std::vector<Term> &rank : space.ranks)
        for (Term &term : rank)
          if (term.name == coefficient.name)
            term.coefficient = coefficient.value;
  }
  return readBounds(instance, problem, reader);
}

static bool readShape(const Node &shape, const Node &instance, Input &input, NodeReader &reader) {
  const Node *name = shape.find("name");
  if (name && !(name->isScalar() && name->text.empty()))
    if (!reader.readText(*name, "a name", input.problem.name))
      return false;
  if (!readDimensions(shape, input.problem, reader) ||
      !readBounds(instance, input.problem, reader) ||
      !readCoefficients(shape, instance, input.problem, reader))
    return false;
  const Node *spaces = reader.needList(shape, "data_spaces", "the problem's shape");
  static constexpr llvm::StringLiteral others[] = {"version"};
  reader.warnOfUnread(shape, "the problem's shape", others);
  return spaces && llvm::all_of(spaces->items, [&](const Node *item) {
           return reader.expect(*item, yaml::NodeKind::Map, "a data space") &&
                  readSpace(*item, input, reader);
         });
}

/// Sizes of the input and its padding, which files name beside the dimensions that give them.
static constexpr llvm::StringLiteral unusedSizes[] = {"H", "W", "Hpad", "Wpad", "version"};

bool timeloop::readProblem(const Node &node, Input &input, NodeReader &reader) {
  input.problem.place = node.place;
  const Node *shape = reader.need(node, "shape", "`problem`");
  const Node *given = node.find("instance"), *instance = given ? given : &node;
  if (!shape || !reader.expect(*instance, yaml::NodeKind::Map, "`instance`"))
    return false;
  bool isRead = shape->isScalar() ? readKnownShape(*shape, *instance, input.problem, reader)
                                  : reader.expect(*shape, yaml::NodeKind::Map, "`shape`") &&
                                        readShape(*shape, *instance, input, reader);
  if (!isRead || !readDensities(*instance, input, reader))
    return false;
  static constexpr llvm::StringLiteral others[] = {"version"};
  if (given)
    reader.warnOfUnread(*given, "the problem's instance", unusedSizes);
  reader.warnOfUnread(node, "`problem`", others);
  return true;
}
