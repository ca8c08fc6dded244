// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes: the constant data of an operation. A value is a flag, a truth value, a 64-bit
// integer, a quantity, a string, the name of another operation, an affine expression, or a list or
// ordered dictionary of such values. Each value has one text and each text one value: whole plain
// numbers are always integers, constant affine expressions too, so a program round-trips byte for
// byte.
#ifndef PERFC_IR_CORE_ATTRIBUTE_H
#define PERFC_IR_CORE_ATTRIBUTE_H

#include "ir/common/Affine.h"
#include "ir/common/Quantity.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace perfc {
namespace ir {

/// What an attribute holds; `Any` stands in declarations only.
enum class AttrKind : uint8_t {
  Unit,
  Bool,
  Int,
  Quantity,
  String,
  Symbol,
  Affine,
  List,
  Dict,
  Any
};

/// "an integer", "a list", …, for messages and documentation.
llvm::StringRef describe(AttrKind kind);

class Attribute;
using AttrList = std::vector<Attribute>;

/// A dictionary that keeps the order in which its keys were first set.
class AttrDict {
public:
  using Entry = std::pair<std::string, Attribute>;

  AttrDict() = default;
  AttrDict(std::initializer_list<Entry> entries);

  llvm::ArrayRef<Entry> entries() const;
  size_t size() const;
  bool empty() const { return size() == 0; }
  /// Null when there is no such key.
  const Attribute *find(llvm::StringRef key) const;
  void set(llvm::StringRef key, Attribute value);
  /// The same for a `key` that is known to be new, without a search.
  void append(llvm::StringRef key, Attribute value);
  /// Equal keys and values in equal order.
  bool operator==(const AttrDict &other) const;
  bool operator!=(const AttrDict &other) const { return !(*this == other); }

private:
  std::vector<Entry> list;
};

class Attribute {
public:
  /// A flag.
  Attribute() = default;
  Attribute(bool value) : data(value) {}
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer> &&
                                                          !std::is_same_v<Integer, bool>>>
  Attribute(Integer value) : data(static_cast<int64_t>(value)) {}
  Attribute(Quantity value);
  Attribute(const char *text) : data(std::string(text)) {}
  Attribute(llvm::StringRef text) : data(text.str()) {}
  Attribute(std::string text) : data(std::move(text)) {}
  Attribute(AffineExpr value);
  Attribute(AttrList value) : data(share(std::move(value))) {}
  Attribute(AttrDict value) : data(share(std::move(value))) {}
  static Attribute unit() { return Attribute(); }
  static Attribute symbol(llvm::StringRef name) { return Attribute(SymbolName{name.str()}); }
  static Attribute strings(llvm::ArrayRef<std::string> values);
  static Attribute symbols(llvm::ArrayRef<std::string> names);
  static Attribute ints(llvm::ArrayRef<int64_t> values);
  static Attribute affines(llvm::ArrayRef<AffineExpr> values);

  AttrKind kind() const { return static_cast<AttrKind>(data.index()); }
  bool is(AttrKind wanted) const { return kind() == wanted; }
  /// True when this may stand where `wanted` is declared: an integer is also a quantity and an
  /// affine expression, and everything is `Any`.
  bool fits(AttrKind wanted) const;

  // Accessors; the kind must fit (asserted).
  bool asBool() const { return std::get<bool>(data); }
  int64_t asInt() const { return std::get<int64_t>(data); }
  Quantity asQuantity() const;
  llvm::StringRef asString() const { return std::get<std::string>(data); }
  llvm::StringRef asSymbol() const { return std::get<SymbolName>(data).name; }
  AffineExpr asAffine() const;
  /// The expression without a copy; null for an integer.
  const AffineExpr *affine() const {
    return is(AttrKind::Int) ? nullptr : std::get<Shared<AffineExpr>>(data).value.get();
  }
  const AttrList &asList() const { return *std::get<Shared<AttrList>>(data).value; }
  const AttrDict &asDict() const { return *std::get<Shared<AttrDict>>(data).value; }
  /// Lists with elements of one kind.
  std::vector<std::string> asStrings() const;
  std::vector<int64_t> asInts() const;
  std::vector<AffineExpr> asAffines() const;

  // Variables: quantities that get other values. Copies of the attribute, and of what it is in,
  // have the value in common, so that it changes in all that was made of an operation as well. No
  // two threads have the same variable.
  static Attribute variable(Quantity value);
  /// Whether it is such a quantity itself, not a list or dictionary with one.
  bool isVariable() const;
  /// Gives the variable another value.
  void setVariable(Quantity value) const;
  /// Whether anything has asked for the value.
  bool isRead() const;
  /// Whether both have one large value in common, in which nothing differs.
  bool sharesValueWith(const Attribute &other) const;
  /// The same value or, of two quantities, equal ones, which is no read.
  bool isSame(const Attribute &other) const;

  bool operator==(const Attribute &other) const { return data == other.data; }
  bool operator!=(const Attribute &other) const { return !(*this == other); }

  /// The text of the printer.
  std::string text() const;

private:
  struct SymbolName {
    std::string name;
    bool operator==(const SymbolName &other) const { return name == other.name; }
  };
  explicit Attribute(SymbolName symbol) : data(std::move(symbol)) {}

  /// A large value, which never changes: copies of an attribute, and of operations with it, have it
  /// in common.
  template <typename T> struct Shared {
    std::shared_ptr<const T> value;
    bool operator==(const Shared &other) const { return *value == *other.value; }
  };
  template <typename T> static Shared<T> share(T value) {
    return {std::make_shared<const T>(std::move(value))};
  }
  /// A quantity that may be a variable; those that are none never change.
  struct Figure {
    mutable Quantity value;
    bool isVariable = false;
    mutable bool isRead = false;
    const Quantity &read() const {
      if (isVariable) // what is none is read by several threads
        isRead = true;
      return value;
    }
    bool operator==(const Figure &other) const { return read() == other.read(); }
  };
  const Figure &figure() const { return *std::get<Shared<Figure>>(data).value; }

  // In the order of AttrKind.
  std::variant<std::monostate, bool, int64_t, Shared<Figure>, std::string, SymbolName,
               Shared<AffineExpr>, Shared<AttrList>, Shared<AttrDict>>
      data;
};

inline llvm::ArrayRef<AttrDict::Entry> AttrDict::entries() const { return list; }
inline size_t AttrDict::size() const { return list.size(); }

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_ATTRIBUTE_H
