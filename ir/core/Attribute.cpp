// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Attribute.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace perfc;
using namespace perfc::ir;

llvm::StringRef ir::describe(AttrKind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "a flag",  "true or false",        "an integer", "a quantity",   "a string",
      "a @name", "an affine expression", "a list",     "a dictionary", "any value"};
  return names[static_cast<unsigned>(kind)];
}

//===-- AttrDict
//-------------------------------------------------------------------------------===//

AttrDict::AttrDict(std::initializer_list<Entry> entries) {
  for (const Entry &entry : entries)
    set(entry.first, entry.second);
}

const Attribute *AttrDict::find(llvm::StringRef key) const {
  for (const Entry &entry : list)
    if (entry.first == key)
      return &entry.second;
  return nullptr;
}

void AttrDict::set(llvm::StringRef key, Attribute value) {
  for (Entry &entry : list) {
    if (entry.first == key) {
      entry.second = std::move(value);
      return;
    }
  }
  append(key, std::move(value));
}

void AttrDict::append(llvm::StringRef key, Attribute value) {
  list.emplace_back(key.str(), std::move(value));
}

bool AttrDict::operator==(const AttrDict &other) const { return list == other.list; }

//===-- Attribute
//------------------------------------------------------------------------------===//

Attribute::Attribute(Quantity value) {
  if (value.isInteger() && value.dimension().isNumber())
    data = value.rational().numerator();
  else
    data = share(Figure{std::move(value)});
}

Attribute::Attribute(AffineExpr value) {
  if (value.isConstant())
    data = value.constant();
  else
    data = share(std::move(value));
}

template <typename T> static Attribute listOf(llvm::ArrayRef<T> values) {
  AttrList list;
  list.reserve(values.size());
  for (const T &value : values)
    list.emplace_back(value);
  return list;
}

Attribute Attribute::strings(llvm::ArrayRef<std::string> values) { return listOf(values); }
Attribute Attribute::symbols(llvm::ArrayRef<std::string> names) {
  AttrList list;
  for (const std::string &name : names)
    list.push_back(symbol(name));
  return list;
}

Attribute Attribute::ints(llvm::ArrayRef<int64_t> values) { return listOf(values); }
Attribute Attribute::affines(llvm::ArrayRef<AffineExpr> values) { return listOf(values); }

bool Attribute::fits(AttrKind wanted) const {
  if (kind() == wanted || wanted == AttrKind::Any)
    return true;
  return kind() == AttrKind::Int && (wanted == AttrKind::Quantity || wanted == AttrKind::Affine);
}

Quantity Attribute::asQuantity() const {
  return kind() == AttrKind::Int ? Quantity(Rational(asInt())) : figure().read();
}

Attribute Attribute::variable(Quantity value) {
  Attribute attribute;
  attribute.data = share(Figure{std::move(value), /*isVariable=*/true});
  return attribute;
}

bool Attribute::sharesValueWith(const Attribute &other) const {
  auto shares = [&](const auto &one) {
    if constexpr (requires { one.value.get(); })
      return one.value == std::get<std::decay_t<decltype(one)>>(other.data).value;
    return false;
  };
  return kind() == other.kind() && std::visit(shares, data);
}

bool Attribute::isVariable() const { return is(AttrKind::Quantity) && figure().isVariable; }

void Attribute::setVariable(Quantity value) const {
  assert(isVariable());
  figure().value = std::move(value);
}

bool Attribute::isRead() const { return figure().isRead; }

bool Attribute::isSame(const Attribute &other) const {
  if (!is(AttrKind::Quantity) || !other.is(AttrKind::Quantity))
    return *this == other;
  return &figure() == &other.figure() || figure().value == other.figure().value;
}

AffineExpr Attribute::asAffine() const {
  const AffineExpr *expr = affine();
  return expr ? *expr : AffineExpr(asInt());
}

std::vector<std::string> Attribute::asStrings() const {
  std::vector<std::string> result;
  result.reserve(asList().size());
  for (const Attribute &element : asList())
    result.push_back(element.asString().str());
  return result;
}

std::vector<int64_t> Attribute::asInts() const {
  std::vector<int64_t> result;
  result.reserve(asList().size());
  for (const Attribute &element : asList())
    result.push_back(element.asInt());
  return result;
}

std::vector<AffineExpr> Attribute::asAffines() const {
  std::vector<AffineExpr> result;
  result.reserve(asList().size());
  for (const Attribute &element : asList())
    result.push_back(element.asAffine());
  return result;
}
