// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inline: each call of a graph becomes the operations of that graph, on the operands of the call.
// The graph's own tensors (weights, caches) come new with each call. Graphs that only calls
// referred to go away.
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/op/OpOps.h"
#include "passes/Pass.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class Inliner {
public:
  Inliner(Module &module) : module(module) {}

  void run() {
    for (Operation &op : module.body())
      if (op.is(op::GraphOp::opName))
        inlineInto(op);
    removeUnused();
  }

private:
  /// Makes `graph` free of calls, after all graphs that it calls.
  void inlineInto(Operation &graph);
  void inlineRegion(Region &region, ValueMap &map);
  void expand(Operation &call, ValueMap &map);
  void removeUnused();

  Module &module;
  llvm::SetVector<Operation *> called;
  llvm::DenseSet<const Operation *> done;
  // Calls that were expanded; they keep their results alive until all uses are replaced.
  std::vector<Operation *> expanded;
};

void Inliner::inlineInto(Operation &graph) {
  if (!done.insert(&graph).second)
    return;
  graph.body().walk([&](Operation &call) {
    if (!call.is(op::CallOp::opName))
      return;
    Operation *callee = resolve(call, as<op::CallOp>(call).graph());
    called.insert(callee);
    inlineInto(*callee);
  });
  ValueMap map;
  size_t before = expanded.size();
  inlineRegion(graph.body(), map);
  // From the last on, since a call's results may be operands of a later one.
  while (expanded.size() > before) {
    expanded.back()->erase();
    expanded.pop_back();
  }
}

void Inliner::inlineRegion(Region &region, ValueMap &map) {
  for (Operation &op : region) {
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (Value *value = map.lookup(&op.operand(i)))
        op.setOperand(i, *value);
    for (size_t i = 0; i < op.regionCount(); ++i)
      inlineRegion(op.region(i), map);
    if (op.is(op::CallOp::opName))
      expand(op, map);
  }
}

/// Copies the graph's operations before `call` and enters what its results become into `map`.
void Inliner::expand(Operation &call, ValueMap &map) {
  Operation *callee = resolve(call, as<op::CallOp>(call).graph());
  ValueMap copies;
  for (size_t i = 0; i < callee->body().argumentCount(); ++i)
    copies[&callee->body().argument(i)] = &call.operand(i);
  for (const Operation &op : callee->body()) {
    if (op.is(op::ReturnOp::opName)) {
      for (size_t i = 0; i < call.resultCount(); ++i) {
        Value *returned = &op.operand(i);
        Value *copy = copies.lookup(returned);
        map[&call.result(i)] = copy ? copy : returned;
      }
      continue;
    }
    Operation &copy = op.clone(*call.parentRegion(), copies, &call);
    copy.walk([&](Operation &inner) {
      Location place = inner.location();
      inner.setLocation(place.fuse(call.location()));
    });
  }
  expanded.push_back(&call);
}

/// Erases the graphs that were called and that nothing refers to any more.
void Inliner::removeUnused() {
  if (called.empty())
    return;
  llvm::StringSet<> used;
  module.walk([&](Operation &op) {
    for (const Operation::NamedAttribute &attr : op.attrs())
      if (attr.value.is(AttrKind::Symbol))
        used.insert(attr.value.asSymbol());
  });
  for (Operation *graph : called)
    if (!used.count(graph->symbol()))
      graph->erase();
}

} // namespace

/// Most operations of a graph without calls.
static constexpr int64_t mostOperations = 1'000'000;

namespace {

/// How many operations graphs have once their calls are written out, a little more than the most at
/// most: calls of calls double them again and again.
class Lengths {
public:
  int64_t of(const Operation &graph) {
    if (auto known = lengths.find(&graph); known != lengths.end())
      return known->second;
    int64_t length = 0;
    graph.body().walk([&](const Operation &op) {
      auto call = as<op::CallOp>(op);
      length += call ? of(*resolve(op, call.graph())) : 1;
      length = std::min(length, mostOperations + 1);
    });
    return lengths[&graph] = length;
  }

private:
  llvm::DenseMap<const Operation *, int64_t> lengths;
};

} // namespace

static bool runInline(Module &module, PassContext &context) {
  Lengths lengths;
  for (const Operation &op : module.body())
    if (op.is(op::GraphOp::opName) && lengths.of(op) > mostOperations) {
      context.diagnostics.report(op.range(), diag::ProgramTooLong, op.symbol(), mostOperations,
                                 "operations once its calls are written out");
      return false;
    }
  Inliner(module).run();
  return true;
}

const PassInfo passes::inlinePass = {
    "inline", "replace calls of graphs by what they compute",
    "Precondition: verified IR (no graph calls itself). Before:\n"
    "    op.graph @part { |%x: t| %y = op.apply %x …  op.return %y }\n"
    "    op.graph @main { %a = op.tensor …  %b = op.call %a (graph = @part) : t  op.return %b }\n"
    "After:\n"
    "    op.graph @main { %a = op.tensor …  %y = op.apply %a …  op.return %y }",
    runInline};
