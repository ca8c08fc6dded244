// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values: what an operation yields and others take. A value is a result of one operation or an
// argument of one region, and it lives as long as that.
#ifndef PERFC_IR_CORE_VALUE_H
#define PERFC_IR_CORE_VALUE_H

#include "ir/core/Type.h"
#include <string>

namespace perfc {
namespace ir {

class Operation;
class Region;

class Value {
public:
  Value(Operation &op, unsigned index, Type type)
      : op(&op), position(index), held(std::move(type)) {}
  Value(Region &region, unsigned index, Type type)
      : region(&region), position(index), held(std::move(type)) {}
  Value(const Value &) = delete;
  Value &operator=(const Value &) = delete;

  const Type &type() const { return held; }
  void setType(Type type) { held = std::move(type); }
  /// The operation that yields this; null for a region argument.
  Operation *definingOp() const { return op; }
  /// The region whose argument this is; null for a result.
  Region *owningRegion() const { return region; }
  /// Position among the results or arguments.
  unsigned index() const { return position; }
  /// The name to print if it is free; "" for none.
  llvm::StringRef hint() const { return name; }
  void setHint(llvm::StringRef hint) { name = hint.str(); }

private:
  Operation *op = nullptr;
  Region *region = nullptr;
  unsigned position;
  Type held;
  std::string name;
};

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_VALUE_H
