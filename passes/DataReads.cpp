// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DataReads.h"

#include "ir/common/DType.h"
#include "ir/common/Rational.h"
#include "ir/op/Points.h"
#include "passes/analysis/ExpertLoads.h"
#include "passes/analysis/Images.h"
#include "passes/training/Routing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

bool passes::dependsOnData(const AttrDict &access) {
  return llvm::any_of(access.find("map")->asList(),
                      [](const Attribute &rank) { return !rank.fits(AttrKind::Affine); });
}

static op::OperandOp tensorOf(op::StatementOp statement, const AttrDict &access) {
  return as<op::OperandOp>(statement->parentRegion()->find(access.find("tensor")->asString()));
}

/// True for a tensor of whole numbers, which can be keys.
static bool holdsKeys(op::StatementOp statement, const AttrDict &access) {
  return !isFloating(*parseDType(tensorOf(statement, access).dtype()));
}

/// The accesses that give the keys of `access`: those right before it, one for each rank that
/// depends on data, as equations are read; else all of whole numbers.
static std::vector<const AttrDict *> keysOf(op::StatementOp statement, const AttrDict &access) {
  const AttrList &reads = statement.reads();
  size_t wanted = llvm::count_if(access.find("map")->asList(), [](const Attribute &rank) {
    return !rank.fits(AttrKind::Affine);
  });
  std::vector<const AttrDict *> keys;
  for (size_t at = 0; at < reads.size(); ++at) {
    if (&reads[at].asDict() == &access) {
      bool isNested = keys.size() >= wanted && at >= wanted;
      for (size_t i = at - wanted; isNested && i < at; ++i)
        isNested = holdsKeys(statement, reads[i].asDict());
      if (isNested)
        return {keys.end() - static_cast<ptrdiff_t>(wanted), keys.end()};
    } else if (holdsKeys(statement, reads[at].asDict()) &&
               reads[at].asDict().find("tensor")->asString() != access.find("tensor")->asString()) {
      keys.push_back(&reads[at].asDict());
    }
  }
  return keys;
}

static llvm::StringSet<> indicesOf(const AttrDict &access) {
  llvm::StringSet<> names;
  for (const Attribute &rank : access.find("map")->asList()) {
    AffineExpr expr = rank.fits(AttrKind::Affine) ? rank.asAffine() : AffineExpr();
    for (const AffineExpr::Term &term : expr.terms())
      names.insert(term.name);
  }
  return names;
}

/// By Zipf's law, the probability of each row to be in a group.
static std::vector<double> zipfShares(op::OperandOp keys, int64_t rows, int64_t chosen) {
  Routing routing;
  routing.kind = Routing::Zipf;
  routing.theta = keys.theta();
  return expertShares(routing, rows, chosen);
}

double passes::expectedRows(op::OperandOp keys, double count, int64_t rows) {
  llvm::Optional<int64_t> apart = keys.distinct();
  if (keys.draw() == "balanced" || keys.draw() == "power_law") {
    double active = 0;
    ExpertSpread spread{keys.draw(), keys.theta(), keys.most()};
    for (const ExpertRows &load : expertLoads(spread, count, rows, 0))
      active += load.experts;
    return active;
  }
  int64_t ranks = keys.among(), all = rows * ranks;
  int64_t chosen = apart ? std::min(keys.shape()[*apart], all) : 1;
  double groups =
      count * static_cast<double>(ranks) / static_cast<double>(std::max<int64_t>(chosen, 1));
  auto found = [&](double share) { return 1 - std::pow(1 - std::min(1.0, share), groups); };
  double sum = 0;
  if (keys.draw() == "uniform")
    sum = static_cast<double>(all) * found(static_cast<double>(chosen) / static_cast<double>(all));
  else
    for (double share : zipfShares(keys, all, chosen))
      sum += found(share);
  return sum / static_cast<double>(ranks);
}

namespace {

/// What one access through keys touches.
class KeyedAccess {
public:
  KeyedAccess(op::StatementOp statement, const AttrDict &access)
      : statement(statement), access(access), keys(keysOf(statement, access)) {
    std::vector<int64_t> shape = tensorOf(statement, access).shape();
    const AttrList &map = access.find("map")->asList();
    for (size_t rank = 0; rank < map.size(); ++rank) {
      if (map[rank].fits(AttrKind::Affine)) {
        plainShape.push_back(shape[rank]);
        plainMap.push_back(map[rank]);
      } else {
        rows = checkedMultiply(rows, shape[rank]).getValueOr(INT64_MAX);
      }
    }
  }

  int64_t elements() const;

private:
  double keysRead() const;
  double sharedSettings() const;

  op::StatementOp statement;
  const AttrDict &access;
  std::vector<const AttrDict *> keys;
  std::vector<int64_t> plainShape; ///< of the ranks that do not depend on data
  AttrList plainMap;
  int64_t rows = 1; ///< that the keys choose among
};

} // namespace

/// Keys that the statement reads: of several tensors, all combinations. Without any, one for each
/// setting of the indices that are in no subscript.
double KeyedAccess::keysRead() const {
  double count = 1;
  llvm::StringSet<> own = indicesOf(access);
  if (keys.empty())
    for (const AttrDict::Entry &index : statement.domain().entries())
      count *= own.count(index.first) ? 1 : static_cast<double>(index.second.asInt());
  for (const AttrDict *key : keys)
    count *=
        static_cast<double>(dependsOnData(*key) ? touchedByData(statement, *key)
                                                : touchedElements(tensorOf(statement, *key).shape(),
                                                                  {{statement, key}}));
  return count;
}

/// Settings of the indices that keys have in common with the other subscripts: for each of them
/// rows are chosen anew.
double KeyedAccess::sharedSettings() const {
  llvm::StringSet<> own = indicesOf(access), shared;
  for (const AttrDict *key : keys)
    for (const auto &name : indicesOf(*key))
      if (own.count(name.first()))
        shared.insert(name.first());
  double settings = 1;
  for (const auto &name : shared)
    settings *= static_cast<double>(statement.domain().find(name.first())->asInt());
  return settings;
}

int64_t KeyedAccess::elements() const {
  AttrDict plain{{"tensor", access.find("tensor")->asString()}, {"map", plainMap}};
  auto rest = static_cast<double>(touchedElements(plainShape, {{statement, &plain}}));
  double count = keysRead() / std::max(1.0, sharedSettings());
  double chosen = std::min(count, static_cast<double>(rows));
  op::OperandOp drawn = keys.size() == 1 ? tensorOf(statement, *keys[0]) : op::OperandOp();
  if (drawn && !drawn.draw().empty())
    chosen = std::min(chosen, expectedRows(drawn, count, rows));
  double points = static_cast<double>(op::pointsOf(statement).getValueOr(INT64_MAX));
  double elements = std::min(rest * chosen, points);
  return elements < 9e18 ? std::llround(elements) : INT64_MAX;
}

int64_t passes::touchedByData(op::StatementOp statement, const AttrDict &access) {
  return KeyedAccess(statement, access).elements();
}
