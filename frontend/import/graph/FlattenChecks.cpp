// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a graph must be so that a program can say it.
#include "frontend/import/graph/Flattener.h"
#include "ir/common/diagnostics/Graphs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::graph;

static bool isEmpty(const Value &value) {
  return llvm::any_of(value.shape, [](const Dim &dim) { return dim.is(0); });
}

/// What computes something has tensors with elements, which a program can count. Of empty parts
/// nothing is left where parts are put together, a resize leaves out what it is not told, and a
/// list of no sizes is the shape of a single number.
bool Flattener::checkOperands(const Op &op) {
  bool leavesOut = llvm::StringSwitch<bool>(op.type)
                       .Cases("Concat", "ConstantOfShape", "Expand", "Reshape", "Resize", true)
                       .Default(false);
  bool makesNothing =
      llvm::all_of(op.outputs, [&](int value) { return value < 0 || isEmpty(net.values[value]); });
  for (size_t i = 0; i < op.inputs.size() && !makesNothing; ++i)
    if (!leavesOut && op.inputs[i] >= 0 && isEmpty(net.values[op.inputs[i]]))
      return fail(*op.node, fmt::format("operand {} has no elements", i + 1));
  for (llvm::ArrayRef<int> list : {llvm::ArrayRef<int>(op.inputs), llvm::ArrayRef<int>(op.outputs)})
    for (int value : list) {
      if (value < 0)
        continue;
      const Value &one = net.values[value];
      net.dims.multiply(net.dims.product(one.shape), std::max(bitsOf(one.type), 8u));
      if (net.dims.takeFailure())
        return fail(*op.node, fmt::format("`{}` has more bits than 64 bits can count",
                                          shown(one.name.empty() ? op.type : one.name)));
    }
  return true;
}

bool Flattener::checkTensors() {
  for (const Op &op : net.ops) {
    number = op.number;
    if (!op.isGone && !checkOperands(op))
      return false;
  }
  for (int output : net.outputs)
    if (isEmpty(net.values[output])) {
      diagnostics.report(
          at(0), diag::GraphBroken, model.format,
          fmt::format("its result `{}` has no elements", shown(net.values[output].name)));
      return false;
    }
  return true;
}
