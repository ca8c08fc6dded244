// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/op/Arithmetic.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::op;

std::vector<FunctionCalls> op::functionsOf(StatementOp statement) {
  std::vector<FunctionCalls> calls;
  int64_t rest = statement.flops();
  auto add = [&](llvm::StringRef function, int64_t count) {
    rest -= count;
    if (count > 0)
      calls.push_back({function, count});
  };
  if (statement.isMac())
    rest -= 2;
  else if (!statement.reduce().empty())
    add(statement.reduce() == "+" ? "add" : statement.reduce(), 1);
  for (const ir::AttrDict::Entry &entry : statement.functions().entries())
    add(entry.first, entry.second.asInt());
  add("add", rest);
  return calls;
}

DType op::formatOf(StatementOp statement, const ir::AttrDict &access) {
  llvm::StringRef name = access.find("tensor")->asString();
  auto tensor = ir::as<OperandOp>(statement->parentRegion()->find(name));
  return tensor ? parseDType(tensor.dtype()).getValueOr(DType::FP32) : DType::FP32;
}

DType op::computeFormat(StatementOp statement) {
  DType result = formatOf(statement, statement.write());
  if (!statement.isMac())
    return result;
  llvm::Optional<DType> widest;
  for (const ir::Attribute &read : statement.reads()) {
    DType dtype = formatOf(statement, read.asDict());
    auto rank = [](DType format) { return std::make_pair(isFloating(format), bitsOf(format)); };
    if (!widest || rank(dtype) > rank(*widest))
      widest = dtype;
  }
  return widest.getValueOr(result);
}
