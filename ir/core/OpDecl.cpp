// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/OpDecl.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::ir;

AttrDecl AttrDecl::optional() const {
  AttrDecl copy = *this;
  copy.required = false;
  return copy;
}

AttrDecl AttrDecl::otherwise(Attribute value) const {
  AttrDecl copy = optional();
  if (kind == AttrKind::Quantity && dimension && value.is(AttrKind::Int))
    value = Quantity(Rational(value.asInt()), *dimension);
  copy.byDefault = std::move(value);
  return copy;
}

AttrDecl AttrDecl::positive() const {
  AttrDecl copy = *this;
  copy.isPositive = true;
  return copy;
}

AttrDecl AttrDecl::share() const {
  AttrDecl copy = *this;
  copy.isShare = true;
  return copy;
}

AttrDecl AttrDecl::of(AttrKind elements) const {
  AttrDecl copy = *this;
  copy.element = elements;
  return copy;
}

AttrDecl AttrDecl::in(Dimension unit) const {
  AttrDecl copy = *this;
  copy.dimension = unit;
  return copy;
}

AttrDecl AttrDecl::atLeast(int64_t value) const {
  AttrDecl copy = *this;
  copy.minimum = value;
  return copy;
}

AttrDecl AttrDecl::oneOf(std::vector<llvm::StringRef> values) const {
  AttrDecl copy = *this;
  copy.choices = std::move(values);
  return copy;
}

static llvm::StringRef plainKind(AttrKind kind) {
  static constexpr llvm::StringLiteral names[] = {"flag",  "bool",   "int",  "quantity", "string",
                                                  "@name", "affine", "list", "dict",     "any"};
  return names[static_cast<unsigned>(kind)];
}

std::string AttrDecl::typeText() const {
  bool collection = kind == AttrKind::List || kind == AttrKind::Dict;
  std::string text = plainKind(kind).str();
  if (collection && element != AttrKind::Any)
    text += " of " + plainKind(element).str();
  if (dimension)
    text += dimension->isNumber() ? " (number)" : " (" + dimension->unitText() + ")";
  if (minimum != INT64_MIN && !isPositive)
    text += " >= " + std::to_string(minimum);
  if (isPositive)
    text += " > 0";
  if (isShare)
    text += " <= 1";
  if (!choices.empty())
    text += ": " + llvm::join(choices, ", ");
  if (byDefault)
    text += "; else " + byDefault->text();
  return text;
}

AttrDecl ir::flagAttr(llvm::StringRef name, llvm::StringRef doc) {
  return AttrDecl{name, AttrKind::Unit, doc}.optional();
}
AttrDecl ir::boolAttr(llvm::StringRef name, llvm::StringRef doc) {
  return {name, AttrKind::Bool, doc};
}
AttrDecl ir::intAttr(llvm::StringRef name, llvm::StringRef doc) {
  return {name, AttrKind::Int, doc};
}
AttrDecl ir::quantityAttr(llvm::StringRef name, Dimension unit, llvm::StringRef doc) {
  return AttrDecl{name, AttrKind::Quantity, doc}.in(unit).atLeast(0);
}
AttrDecl ir::stringAttr(llvm::StringRef name, llvm::StringRef doc) {
  return {name, AttrKind::String, doc};
}
AttrDecl ir::symbolAttr(llvm::StringRef name, llvm::StringRef doc) {
  return {name, AttrKind::Symbol, doc};
}
AttrDecl ir::listAttr(llvm::StringRef name, AttrKind element, llvm::StringRef doc) {
  return AttrDecl{name, AttrKind::List, doc}.of(element);
}
AttrDecl ir::dictAttr(llvm::StringRef name, AttrKind element, llvm::StringRef doc) {
  return AttrDecl{name, AttrKind::Dict, doc}.of(element);
}

const AttrDecl *OpDecl::findAttr(llvm::StringRef attrName) const {
  for (const AttrDecl &attr : attrs)
    if (sameName(attr.name, attrName))
      return &attr;
  return nullptr;
}

void OpRegistry::add(llvm::ArrayRef<OpDecl> decls) {
  for (const OpDecl &decl : decls) {
    bool isNew = byName.try_emplace(decl.name, &decl).second;
    assert(isNew && "an operation is declared twice");
    (void)isNew;
    list.push_back(&decl);
  }
}

const OpDecl *OpRegistry::find(llvm::StringRef name) const { return byName.lookup(name); }

std::vector<llvm::StringRef> OpRegistry::names() const {
  std::vector<llvm::StringRef> names;
  for (const OpDecl *decl : list)
    names.push_back(decl->name);
  return names;
}
