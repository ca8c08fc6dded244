// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Region.h"

#include "ir/core/Module.h"

using namespace perfc;
using namespace perfc::ir;

Region::~Region() = default;

Value &Region::addArgument(Type type, llvm::StringRef hint) {
  args.push_back(std::make_unique<Value>(*this, args.size(), std::move(type)));
  args.back()->setHint(hint);
  return *args.back();
}

Operation &Region::insert(std::unique_ptr<Operation> op, Operation *before) {
  assert(!op->parent && (!before || before->parent == this));
  Operation &inserted = *op.release();
  inserted.parent = this;
  ops.insert(before ? before->getIterator() : ops.end(), &inserted);
  if (top && !inserted.symbol().empty())
    top->addSymbol(inserted);
  return inserted;
}

std::unique_ptr<Operation> Region::take(Operation &op) {
  assert(op.parent == this);
  ops.remove(op.getIterator());
  op.parent = nullptr;
  if (top && !op.symbol().empty())
    top->removeSymbol(op);
  return std::unique_ptr<Operation>(&op);
}

Operation *Region::find(llvm::StringRef name) {
  return const_cast<Operation *>(static_cast<const Region *>(this)->find(name));
}

const Operation *Region::find(llvm::StringRef name) const {
  for (const Operation &op : ops)
    if (!name.empty() && op.symbol() == name)
      return &op;
  return nullptr;
}

void Region::walk(llvm::function_ref<void(Operation &)> visit) {
  for (Operation &op : ops)
    op.walk(visit);
}

void Region::walk(llvm::function_ref<void(const Operation &)> visit) const {
  for (const Operation &op : ops)
    op.walk(visit);
}

void Region::walkPost(llvm::function_ref<void(Operation &)> visit) {
  for (iterator it = ops.begin(); it != ops.end();) {
    Operation &op = *it++; // before the visit, which may erase it
    for (size_t i = 0; i < op.regionCount(); ++i)
      op.region(i).walkPost(visit);
    visit(op);
  }
}

void Region::replaceUses(const Value &from, Value &to) {
  walk([&](Operation &op) {
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (&op.operand(i) == &from)
        op.setOperand(i, to);
  });
}
