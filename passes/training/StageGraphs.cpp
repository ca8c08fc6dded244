// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/StageGraphs.h"

#include "ir/op/OpOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

std::vector<std::vector<int64_t>> passes::dealEvenly(llvm::ArrayRef<int64_t> counts,
                                                     int64_t stages) {
  std::vector<std::vector<int64_t>> dealt;
  int64_t layers = std::accumulate(counts.begin(), counts.end(), INT64_C(0));
  size_t kind = 0;
  int64_t left = counts.empty() ? 0 : counts.front();
  for (int64_t stage = 0; stage < stages; ++stage) {
    std::vector<int64_t> &own = dealt.emplace_back(counts.size(), 0);
    for (int64_t open = layers / stages + (stage < layers % stages); open > 0;) {
      while (left == 0)
        left = counts[++kind];
      int64_t some = std::min(open, left);
      own[kind] += some;
      open -= some;
      left -= some;
    }
  }
  return dealt;
}

namespace {

class StageCutter {
public:
  StageCutter(Module &module, const OpRegistry &registry, const Operation &graph, int64_t stages,
              Operation &before)
      : module(module), builder(registry), graph(graph), stages(stages), before(before) {}

  std::vector<Operation *> run();

private:
  /// Where an operation of the graph runs: a repeat on all stages that have layers of it.
  struct Place {
    int64_t first = 0, last = 0;
    size_t kind = 0; ///< of a repeat
  };

  bool placeOperations();
  void findUses();
  void markUse(const Value &value, int64_t stage);
  Operation *cut(int64_t stage);
  Value &standIn(Region &into, const Value &value, ValueMap &map);
  void copy(const Operation &op, const Place &place, int64_t stage, Region &into, ValueMap &map);
  void handOn(int64_t stage, Region &into, ValueMap &map);
  bool isTop(const Value &value) const {
    const Operation *maker = value.definingOp();
    return maker && maker->parentRegion() == &graph.body();
  }

  Module &module;
  Builder builder;
  const Operation &graph;
  int64_t stages;
  Operation &before;
  std::vector<std::vector<int64_t>> dealt;
  llvm::MapVector<const Operation *, Place> places;
  llvm::DenseMap<const Value *, int64_t> lastUse;            ///< the last stage that uses it
  std::vector<llvm::SmallSetVector<const Value *, 16>> used; ///< by stage
};

} // namespace

/// What stands behind layers runs on the stage that has the last of these.
bool StageCutter::placeOperations() {
  std::vector<int64_t> counts;
  for (const Operation &op : graph.body())
    if (auto repeat = as<op::RepeatOp>(op))
      counts.push_back(repeat.count());
  if (std::accumulate(counts.begin(), counts.end(), INT64_C(0)) < stages)
    return false;
  dealt = dealEvenly(counts, stages);
  size_t kind = 0;
  int64_t now = 0;
  for (const Operation &op : graph.body()) {
    if (op.is(op::TensorOp::opName))
      continue;
    Place place{now, now, kind};
    if (auto repeat = as<op::RepeatOp>(op); repeat && repeat.count() > 0) {
      while (place.first + 1 < stages && dealt[place.first][kind] == 0)
        ++place.first;
      for (place.last = stages - 1; place.last > place.first && dealt[place.last][kind] == 0;)
        --place.last;
      now = place.last;
    }
    kind += op.is(op::RepeatOp::opName);
    places[&op] = place;
  }
  return true;
}

void StageCutter::markUse(const Value &value, int64_t stage) {
  if (!isTop(value))
    return;
  used[stage].insert(&value);
  int64_t &last = lastUse.try_emplace(&value, stage).first->second;
  last = std::max(last, stage);
}

void StageCutter::findUses() {
  used.resize(static_cast<size_t>(stages));
  for (const auto &[op, place] : places) {
    for (const Value *operand : op->operands())
      markUse(*operand, place.first);
    for (int64_t stage = place.first; stage <= place.last; ++stage)
      for (size_t i = 0; i < op->regionCount(); ++i)
        for (const Operation &inner : op->region(i))
          inner.walk([&](const Operation &user) {
            for (const Value *operand : user.operands())
              markUse(*operand, stage);
          });
  }
}

/// What comes in its place from the stage before.
Value &StageCutter::standIn(Region &into, const Value &value, ValueMap &map) {
  auto tensor = builder.create<op::TensorOp>(into, value.definingOp()->location());
  tensor->setAttr("kind", "input");
  tensor->setAttr("label", "handed on");
  Value &made = tensor->addResult(value.type());
  map[&value] = &made;
  return made;
}

/// A part of a repeat goes on with what the part on the stage before has made.
void StageCutter::copy(const Operation &op, const Place &place, int64_t stage, Region &into,
                       ValueMap &map) {
  llvm::SmallVector<Value *, 4> inputs;
  if (stage > place.first)
    for (size_t i = 0; i < op.resultCount(); ++i)
      inputs.push_back(map.lookup(&op.result(i)));
  Operation &made = op.clone(into, map);
  for (size_t i = 0; i < inputs.size(); ++i)
    made.setOperand(i, *inputs[i]);
  if (op.is(op::RepeatOp::opName))
    made.setAttr("count", dealt[stage][place.kind]);
}

void StageCutter::handOn(int64_t stage, Region &into, ValueMap &map) {
  Operation *made = builder.create(into, op::ReturnOp::opName, graph.location());
  for (const auto &[op, place] : places)
    for (size_t i = 0; i < op->resultCount() && place.first <= stage; ++i)
      if (place.last > stage || lastUse.lookup(&op->result(i)) > stage)
        made->addOperand(*map.lookup(&op->result(i)));
}

Operation *StageCutter::cut(int64_t stage) {
  Operation *made = builder.createBefore(before, op::GraphOp::opName, graph.location());
  made->setSymbol(module.uniqueName(fmt::format("{}__stage_{}", graph.symbol(), stage)));
  Region &into = made->body();
  ValueMap map;
  for (const Operation &op : graph.body())
    if (op.is(op::TensorOp::opName) && used[stage].count(&op.result()))
      op.clone(into, map);
  for (const auto &[op, place] : places)
    for (size_t i = 0; i < op->resultCount() && place.first < stage; ++i)
      if (place.last >= stage || lastUse.lookup(&op->result(i)) >= stage)
        standIn(into, op->result(i), map);
  for (const auto &[op, place] : places)
    if (place.first <= stage && stage <= place.last)
      copy(*op, place, stage, into, map);
  if (stage + 1 < stages)
    handOn(stage, into, map);
  return made;
}

std::vector<Operation *> StageCutter::run() {
  std::vector<Operation *> made;
  if (!placeOperations())
    return made;
  findUses();
  for (int64_t stage = 0; stage < stages; ++stage)
    made.push_back(cut(stage));
  return made;
}

std::vector<Operation *> passes::stageGraphs(Module &module, const OpRegistry &registry,
                                             const Operation &graph, int64_t stages,
                                             Operation &before) {
  return StageCutter(module, registry, graph, stages, before).run();
}
