// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Region.h"

#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"

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
  addSymbol(inserted);
  return inserted;
}

std::unique_ptr<Operation> Region::take(Operation &op) {
  assert(op.parent == this);
  ops.remove(op.getIterator());
  op.parent = nullptr;
  removeSymbol(op);
  return std::unique_ptr<Operation>(&op);
}

void Region::addSymbol(Operation &op) {
  if (op.symbol().empty())
    return;
  auto [known, isNew] = symbols.try_emplace(op.symbol(), &op);
  if (isNew)
    return;
  ++further[op.symbol()];
  known->second = search(op.symbol());
}

void Region::removeSymbol(Operation &op) {
  auto known = symbols.find(op.symbol());
  if (known == symbols.end())
    return;
  auto others = further.find(op.symbol());
  if (others == further.end()) {
    symbols.erase(known);
    return;
  }
  if (--others->second == 0)
    further.erase(others);
  if (known->second == &op)
    known->second = &*llvm::find_if(ops, [&](const Operation &other) {
      return &other != &op && other.symbol() == op.symbol();
    });
}

Operation *Region::search(llvm::StringRef name) {
  for (Operation &op : ops)
    if (op.symbol() == name)
      return &op;
  return nullptr;
}

Operation *Region::find(llvm::StringRef name) { return symbols.lookup(name); }

const Operation *Region::find(llvm::StringRef name) const { return symbols.lookup(name); }

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
