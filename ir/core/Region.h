// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region: an ordered list of operations that it owns, and the arguments they may use. A region
// belongs to an operation or is the top of a module.
#ifndef PERFC_IR_CORE_REGION_H
#define PERFC_IR_CORE_REGION_H

#include "ir/core/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/ilist.h"
#include <memory>
#include <vector>

namespace perfc {
namespace ir {

class Module;
class Operation;

class Region {
public:
  using iterator = llvm::iplist<Operation>::iterator;
  using const_iterator = llvm::iplist<Operation>::const_iterator;

  explicit Region(Operation *parent, Module *module = nullptr) : owner(parent), top(module) {}
  Region(const Region &) = delete;
  Region &operator=(const Region &) = delete;
  ~Region();

  iterator begin();
  iterator end();
  const_iterator begin() const;
  const_iterator end() const;
  bool empty() const;
  size_t size() const;
  Operation &front();
  Operation &back();
  const Operation &front() const;
  const Operation &back() const;

  /// The operation that this is part of; null at the top of a module.
  Operation *parentOp() const { return owner; }

  Value &addArgument(Type type, llvm::StringRef hint = "");
  size_t argumentCount() const { return args.size(); }
  Value &argument(size_t i) const { return *args[i]; }

  /// Takes `op`, before `before` or at the end.
  Operation &insert(std::unique_ptr<Operation> op, Operation *before = nullptr);
  /// Gives `op`, which stands here, away.
  std::unique_ptr<Operation> take(Operation &op);
  /// The first operation directly here that bears the symbol `name`, else null.
  Operation *find(llvm::StringRef name);
  const Operation *find(llvm::StringRef name) const;

  /// Visits all operations in here, outer ones first.
  void walk(llvm::function_ref<void(Operation &)> visit);
  void walk(llvm::function_ref<void(const Operation &)> visit) const;
  /// Inner ones first; `visit` may erase the operation it is given.
  void walkPost(llvm::function_ref<void(Operation &)> visit);
  /// Makes all operations in here that use `from` use `to`.
  void replaceUses(const Value &from, Value &to);

private:
  friend class Operation;
  void addSymbol(Operation &op);
  void removeSymbol(Operation &op);
  /// The first operation of that symbol, one after another.
  Operation *search(llvm::StringRef name);

  Operation *owner;
  Module *top;
  // Declared before the operations, which sign off from it.
  llvm::StringMap<Operation *> symbols;
  llvm::StringMap<unsigned> further; ///< how many besides the first bear a symbol of several
  std::vector<std::unique_ptr<Value>> args;
  llvm::iplist<Operation> ops;
};

} // namespace ir
} // namespace perfc

#include "ir/core/Operation.h"

#endif // PERFC_IR_CORE_REGION_H
