// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module: the operations of one program and its table of symbols. Operations at the top are found
// by symbol from anywhere; symbols deeper down name parts of their parent only.
#ifndef PERFC_IR_CORE_MODULE_H
#define PERFC_IR_CORE_MODULE_H

#include "ir/core/Operation.h"

namespace perfc {
namespace ir {

class Module {
public:
  Module() : top(nullptr, this) {}
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  Region &body() { return top; }
  const Region &body() const { return top; }

  /// The operation at the top with the symbol `name` (the first, if several have it), else null.
  Operation *lookup(llvm::StringRef name) const;
  /// The same as a view; null when it is another kind of operation.
  template <typename View> View lookup(llvm::StringRef name) const {
    return as<View>(lookup(name));
  }
  /// `base`, or `base_1`, `base_2`, … when that is taken.
  std::string uniqueName(llvm::StringRef base) const;

  void walk(llvm::function_ref<void(Operation &)> visit) { top.walk(visit); }
  void walk(llvm::function_ref<void(const Operation &)> visit) const {
    const_cast<const Region &>(top).walk(visit);
  }

private:
  mutable llvm::StringMap<unsigned> nextSuffix;
  Region top;
};

/// What `name` means at `from`: the operation with that symbol in the innermost region around
/// `from` that has one, in the end the module; else null.
Operation *resolve(const Operation &from, llvm::StringRef name);

/// Makes operations by name.
class Builder {
public:
  explicit Builder(const OpRegistry &registry) : registry(registry) {}

  /// An operation at the end of `region`; `opName` is declared (asserted).
  Operation *create(Region &region, llvm::StringRef opName, Location location);
  /// An operation directly before `next`.
  Operation *createBefore(Operation &next, llvm::StringRef opName, Location location);
  template <typename View> View create(Region &region, Location location) {
    return View(create(region, View::opName, std::move(location)));
  }
  const OpRegistry &ops() const { return registry; }

private:
  const OpRegistry &registry;
};

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_MODULE_H
