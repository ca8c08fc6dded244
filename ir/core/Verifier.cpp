// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Verifier.h"

#include "ir/common/diagnostics/Text.h"
#include "ir/core/AttributeCheck.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;

bool ir::invalidOp(const Operation &op, DiagnosticEngine &diagnostics, const std::string &reason) {
  diagnostics.report(op.range(), diag::InvalidOperation, op.name(), reason);
  return false;
}

namespace {

class Verifier {
public:
  explicit Verifier(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}

  bool verifyRegion(const Region &region);

private:
  bool verifyOp(const Operation &op);
  bool verifyPlace(const Operation &op);
  bool verifyArity(const Operation &op);
  bool verifyAttributes(const Operation &op);
  bool verifySymbols(const Operation &op, const AttrDecl &decl, const Attribute &value);

  template <typename... Args>
  bool error(const Operation &op, const DiagnosticKind &kind, const Args &...args) {
    diagnostics.report(op.range(), kind, args...);
    return false;
  }

  DiagnosticEngine &diagnostics;
  llvm::DenseSet<const Value *> visible;
};

} // namespace

//===-- Attributes
//-----------------------------------------------------------------------------===//

/// Symbols inside of values of any kind exist, and name what is declared.
bool Verifier::verifySymbols(const Operation &op, const AttrDecl &decl, const Attribute &value) {
  if (value.is(AttrKind::Symbol)) {
    const Operation *target = resolve(op, value.asSymbol());
    if (!target)
      return error(op, diag::UnknownSymbol, value.asSymbol());
    return decl.choices.empty() || llvm::is_contained(decl.choices, target->name()) ||
           error(op, diag::WrongSymbolTarget, decl.name, op.name(), value.asSymbol(),
                 target->name());
  }
  bool valid = true;
  if (value.is(AttrKind::List))
    for (const Attribute &element : value.asList())
      valid &= verifySymbols(op, decl, element);
  if (value.is(AttrKind::Dict))
    for (const AttrDict::Entry &entry : value.asDict().entries())
      valid &= verifySymbols(op, decl, entry.second);
  return valid;
}

bool Verifier::verifyAttributes(const Operation &op) {
  bool valid = true;
  for (const Operation::NamedAttribute &attribute : op.attrs()) {
    const AttrDecl *decl = op.decl().findAttr(attribute.name);
    if (!decl)
      valid = unknownAttribute(op, op.range(), attribute.name, diagnostics);
    else
      valid &= checkAttribute(op, *decl, attribute.value, op.range(), diagnostics) &&
               verifySymbols(op, *decl, attribute.value);
  }
  for (const AttrDecl &decl : op.decl().attrs)
    if (decl.required && !op.hasAttr(decl.name))
      valid = error(op, diag::MissingAttribute, op.name(), decl.name);
  return valid;
}

//===-- Operations
//-----------------------------------------------------------------------------===//

/// The operation may stand where it stands, and has a symbol as declared.
bool Verifier::verifyPlace(const Operation &op) {
  bool valid = true;
  const Operation *parent = op.parentOp();
  if (!parent) {
    if (!op.decl().topLevel)
      valid = error(op, diag::MisplacedOperation, op.name(), "at the top of a module");
  } else {
    size_t index = 0;
    while (&parent->region(index) != op.parentRegion())
      ++index;
    if (!llvm::is_contained(parent->decl().regions[index].allowed, op.name()))
      valid = error(op, diag::MisplacedOperation, op.name(), "in `" + parent->name().str() + "`");
  }
  SymbolUse use = op.decl().symbol;
  if (use == SymbolUse::Required && op.symbol().empty())
    valid = error(op, diag::WrongSymbolUse, op.name(), "needs");
  if (use == SymbolUse::None && !op.symbol().empty())
    valid = error(op, diag::WrongSymbolUse, op.name(), "does not take");
  return valid;
}

bool Verifier::verifyArity(const Operation &op) {
  auto within = [](size_t count, Arity arity) { return count >= arity.min && count <= arity.max; };
  bool valid = true;
  auto wanted = [](Arity arity, llvm::StringRef noun) {
    if (arity.max == arity.min)
      return counted(arity.min, noun);
    if (arity.max == Arity::any)
      return "at least " + counted(arity.min, noun);
    return fmt::format("{} to {}", arity.min, counted(arity.max, noun));
  };
  const OpDecl &decl = op.decl();
  if (!within(op.operandCount(), decl.operands))
    valid = error(op, diag::WrongValueCount, op.name(), wanted(decl.operands, "operand"),
                  op.operandCount());
  if (!within(op.resultCount(), decl.results))
    valid = error(op, diag::WrongValueCount, op.name(), wanted(decl.results, "result"),
                  op.resultCount());
  for (size_t i = 0; i < op.operandCount(); ++i)
    if (!visible.count(&op.operand(i)))
      valid = error(op, diag::ValueNotVisible, i + 1, op.name());
  for (size_t i = 0; i < op.regionCount(); ++i)
    if (!decl.regions[i].hasArguments && op.region(i).argumentCount())
      valid = error(op, diag::NoRegionArguments, op.name());
  return valid;
}

bool Verifier::verifyOp(const Operation &op) {
  bool valid = verifyPlace(op);
  valid &= verifyArity(op);
  valid &= verifyAttributes(op);
  for (size_t i = 0; i < op.regionCount(); ++i)
    valid &= verifyRegion(op.region(i));
  // Its own rules may rely on all that is declared, inside of it too.
  return valid && (!op.decl().verifier || op.decl().verifier(op, diagnostics));
}

bool Verifier::verifyRegion(const Region &region) {
  bool valid = true;
  llvm::StringMap<const Operation *> symbols;
  for (size_t i = 0; i < region.argumentCount(); ++i)
    visible.insert(&region.argument(i));
  for (const Operation &op : region) {
    valid &= verifyOp(op);
    for (size_t i = 0; i < op.resultCount(); ++i)
      visible.insert(&op.result(i));
    if (op.symbol().empty())
      continue;
    auto [known, isNew] = symbols.try_emplace(op.symbol(), &op);
    if (!isNew) {
      diagnostics.report(op.range(), diag::DuplicateSymbol, op.symbol())
          .note(known->second->range(), "first here");
      valid = false;
    }
  }
  for (size_t i = 0; i < region.argumentCount(); ++i)
    visible.erase(&region.argument(i));
  for (const Operation &op : region)
    for (size_t i = 0; i < op.resultCount(); ++i)
      visible.erase(&op.result(i));
  return valid;
}

bool ir::verify(const Module &module, DiagnosticEngine &diagnostics) {
  return Verifier(diagnostics).verifyRegion(module.body());
}
