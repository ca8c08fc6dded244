// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one kind of node in the IR, in the manner of MLIR: a declared name, an optional symbol,
// operands and results, named attributes, regions with operations of their own, and a location.
// What the attributes and regions of a name may be stands in its OpDecl.
#ifndef PERFC_IR_CORE_OPERATION_H
#define PERFC_IR_CORE_OPERATION_H

#include "ir/core/Attribute.h"
#include "ir/core/Location.h"
#include "ir/core/OpDecl.h"
#include "ir/core/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/ilist_node.h"
#include <forward_list>

namespace perfc {
namespace ir {

/// Which value stands for which in a copy.
using ValueMap = llvm::DenseMap<const Value *, Value *>;

class Operation : public llvm::ilist_node<Operation> {
public:
  struct NamedAttribute {
    llvm::StringRef name; ///< the declaration's, or one of `undeclared`
    Attribute value;
  };

  /// An operation that stands nowhere yet, with the regions of its declaration.
  Operation(const OpDecl &decl, Location location);
  Operation(const Operation &) = delete;
  Operation &operator=(const Operation &) = delete;

  const OpDecl &decl() const { return *declaration; }
  llvm::StringRef name() const { return declaration->name; }
  bool is(llvm::StringRef opName) const { return sameName(name(), opName); }

  const Location &location() const { return place; }
  SourceRange range() const { return place.primary(); }
  void setLocation(Location location) { place = std::move(location); }

  /// The symbol without `@`; "" for none.
  llvm::StringRef symbol() const { return symbolName; }
  void setSymbol(llvm::StringRef name);

  // Attributes, kept in the order of the declaration.
  llvm::ArrayRef<NamedAttribute> attrs() const { return attributes; }
  /// Null when it is not set.
  const Attribute *attr(llvm::StringRef name) const;
  bool hasAttr(llvm::StringRef name) const { return attr(name) != nullptr; }
  void setAttr(llvm::StringRef name, Attribute value);
  void removeAttr(llvm::StringRef name);
  /// The one that is set, else what the declaration says for that; null when it says nothing.
  const Attribute *valueOf(llvm::StringRef name) const;
  // Typed reads of that value; `otherwise` when there is none. The kind must fit (asserted).
  int64_t intAttr(llvm::StringRef name, int64_t otherwise = 0) const;
  llvm::StringRef stringAttr(llvm::StringRef name, llvm::StringRef otherwise = "") const;
  llvm::StringRef symbolAttr(llvm::StringRef name) const;
  llvm::Optional<Quantity> quantityAttr(llvm::StringRef name) const;
  /// The centre of a quantity in base units.
  double realAttr(llvm::StringRef name, double otherwise = 0) const;
  std::vector<std::string> stringsAttr(llvm::StringRef name) const;
  std::vector<std::string> symbolsAttr(llvm::StringRef name) const;
  std::vector<int64_t> intsAttr(llvm::StringRef name) const;
  /// An empty one when it is not set.
  const AttrList &listAttr(llvm::StringRef name) const;
  const AttrDict &dictAttr(llvm::StringRef name) const;

  size_t operandCount() const { return inputs.size(); }
  Value &operand(size_t i) const { return *inputs[i]; }
  llvm::ArrayRef<Value *> operands() const { return inputs; }
  void addOperand(Value &value) { inputs.push_back(&value); }
  void setOperand(size_t i, Value &value) { inputs[i] = &value; }
  void setOperands(llvm::ArrayRef<Value *> values) { inputs.assign(values.begin(), values.end()); }

  size_t resultCount() const { return outputs.size(); }
  Value &result(size_t i = 0) const { return *outputs[i]; }
  Value &addResult(Type type, llvm::StringRef hint = "");

  size_t regionCount() const { return bodies.size(); }
  Region &region(size_t i = 0) { return *bodies[i]; }
  const Region &region(size_t i = 0) const { return *bodies[i]; }
  /// The first region.
  Region &body() { return *bodies.front(); }
  const Region &body() const { return *bodies.front(); }

  /// The region this stands in, and the operation that is part of; null at the top or nowhere.
  Region *parentRegion() const { return parent; }
  Operation *parentOp() const { return parent ? parent->parentOp() : nullptr; }
  /// The module this stands in, or null.
  Module *module() const;
  /// Takes this out of its region and destroys it. Its results must have no uses left.
  void erase();
  void moveBefore(Operation &other);
  /// A copy at the end of `into` (or before `before`). Operands found in `map` are replaced; the
  /// copy's own results and arguments are entered into it.
  Operation &clone(Region &into, ValueMap &map, Operation *before = nullptr) const;

  /// Visits this and all operations in it, outer ones first.
  void walk(llvm::function_ref<void(Operation &)> visit);
  void walk(llvm::function_ref<void(const Operation &)> visit) const;

private:
  friend class Region;
  const OpDecl *declaration;
  Location place;
  Region *parent = nullptr;
  std::string symbolName;
  std::vector<NamedAttribute> attributes;
  /// Names of attributes that the declaration lacks; null where there are none.
  std::unique_ptr<std::forward_list<std::string>> undeclared;
  llvm::SmallVector<Value *, 2> inputs;
  llvm::SmallVector<std::unique_ptr<Value>, 1> outputs;
  llvm::SmallVector<std::unique_ptr<Region>, 1> bodies;
};

/// Base of the typed views: a null or a matching operation.
struct OpView {
  Operation *op = nullptr;

  OpView(Operation *op = nullptr) : op(op) {}
  explicit operator bool() const { return op != nullptr; }
  Operation *operator->() const { return op; }
  Operation &operator*() const { return *op; }
  llvm::StringRef symbol() const { return op->symbol(); }
};

/// `op` as a `View`; null when it is another operation (or null).
template <typename View> View as(Operation *op) {
  return View(op && op->is(View::opName) ? op : nullptr);
}
template <typename View> View as(Operation &op) { return as<View>(&op); }
/// Views read; passes that only read may view what is const.
template <typename View> View as(const Operation &op) {
  return as<View>(const_cast<Operation *>(&op));
}
template <typename View> View as(const Operation *op) {
  return as<View>(const_cast<Operation *>(op));
}

inline Region::iterator Region::begin() { return ops.begin(); }
inline Region::iterator Region::end() { return ops.end(); }
inline Region::const_iterator Region::begin() const { return ops.begin(); }
inline Region::const_iterator Region::end() const { return ops.end(); }
inline bool Region::empty() const { return ops.empty(); }
inline size_t Region::size() const { return ops.size(); }
inline Operation &Region::front() { return ops.front(); }
inline Operation &Region::back() { return ops.back(); }
inline const Operation &Region::front() const { return ops.front(); }
inline const Operation &Region::back() const { return ops.back(); }

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_OPERATION_H
