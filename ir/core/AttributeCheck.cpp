// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/AttributeCheck.h"

#include "llvm/ADT/STLExtras.h"

#include "ir/common/diagnostics/Text.h"

using namespace perfc;
using namespace perfc::ir;

bool ir::unknownAttribute(const Operation &op, SourceRange where, llvm::StringRef name,
                          DiagnosticEngine &diagnostics) {
  std::vector<llvm::StringRef> known;
  for (const AttrDecl &decl : op.decl().attrs)
    known.push_back(decl.name);
  diagnostics.report(where, diag::UnknownAttribute, op.name(), name).suggest(name, known);
  return false;
}

namespace {

class AttributeCheck {
public:
  AttributeCheck(const Operation &op, const AttrDecl &decl, SourceRange where,
                 DiagnosticEngine &diagnostics)
      : op(op), decl(decl), where(where), diagnostics(diagnostics) {}

  /// The value itself, or one in it, as the `kind` that is declared for that.
  bool element(AttrKind kind, const Attribute &value);

private:
  bool range(const Attribute &value);
  template <typename... Args> bool error(const DiagnosticKind &kind, const Args &...args) {
    diagnostics.report(where, kind, decl.name, op.name(), args...);
    return false;
  }

  const Operation &op;
  const AttrDecl &decl;
  SourceRange where;
  DiagnosticEngine &diagnostics;
};

} // namespace

bool AttributeCheck::range(const Attribute &value) {
  if (value.is(AttrKind::Int) && value.asInt() < decl.minimum)
    return error(diag::AttributeTooSmall, decl.minimum, value.asInt());
  if (value.is(AttrKind::Quantity) && decl.minimum == 0 && value.asQuantity().sign() < 0)
    return error(diag::AttributeTooSmall, 0, value.text());
  if (!(decl.isPositive || decl.isShare) || !value.fits(AttrKind::Quantity))
    return true;
  Quantity quantity = value.asQuantity();
  if ((decl.isPositive && quantity.sign() <= 0) || (decl.isShare && quantity.toDouble() > 1))
    return error(diag::AttributeOutOfRange,
                 !decl.isShare      ? "above 0"
                 : !decl.isPositive ? "at most 1"
                                    : "above 0 and at most 1",
                 value.text());
  return true;
}

bool AttributeCheck::element(AttrKind kind, const Attribute &value) {
  if (!value.fits(kind))
    return error(diag::WrongAttributeKind, describe(value.kind()), describe(kind));
  if (kind == AttrKind::Quantity && decl.dimension &&
      !compatible(value.asQuantity().dimension(), *decl.dimension))
    return error(diag::WrongAttributeUnit, value.asQuantity().dimension().describe(),
                 decl.dimension->describe());
  if (kind == AttrKind::String && !decl.choices.empty() &&
      !llvm::is_contained(decl.choices, value.asString()))
    return error(diag::AttributeChoice, value.asString());
  return kind == AttrKind::Any || range(value);
}

bool ir::checkAttribute(const Operation &op, const AttrDecl &decl, const Attribute &value,
                        SourceRange where, DiagnosticEngine &diagnostics) {
  AttributeCheck check(op, decl, where, diagnostics);
  if (!value.fits(decl.kind))
    return check.element(decl.kind, value);
  if (decl.kind == AttrKind::List)
    return llvm::all_of(value.asList(), [&](const Attribute &element) {
      return check.element(decl.element, element);
    });
  if (decl.kind == AttrKind::Dict)
    return llvm::all_of(value.asDict().entries(), [&](const AttrDict::Entry &entry) {
      return check.element(decl.element, entry.second);
    });
  return check.element(decl.kind, value);
}
