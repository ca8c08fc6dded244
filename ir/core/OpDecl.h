// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of operations: the single description that the verifier, the printer, the parser and
// the reference manual (docs/ir.md) work from. A level of the IR is a table of these.
#ifndef PERFC_IR_CORE_OPDECL_H
#define PERFC_IR_CORE_OPDECL_H

#include "ir/common/Diagnostics.h"
#include "ir/common/SameName.h"
#include "ir/core/Attribute.h"
#include "llvm/ADT/StringMap.h"
#include <climits>
#include <vector>

namespace perfc {
namespace ir {

class Operation;

/// One attribute of an operation.
struct AttrDecl {
  llvm::StringRef name;
  AttrKind kind;
  llvm::StringRef doc;
  bool required = true;
  /// Kind of the elements of a list and of the values of a dictionary.
  AttrKind element = AttrKind::Any;
  /// Of a quantity, or of the quantities in a list or dictionary; nothing where any will do.
  llvm::Optional<Dimension> dimension = llvm::None;
  /// Smallest value of an integer, or of those in a list or dictionary. For quantities only 0
  /// counts: they are not negative.
  int64_t minimum = INT64_MIN;
  /// The values a string (or a string in a list) may take, or the operations that a symbol may
  /// name; empty where any will do.
  std::vector<llvm::StringRef> choices = {};
  /// Of quantities: above 0, and at most 1.
  bool isPositive = false, isShare = false;
  /// What counts where it is not set; nothing where that says something of its own.
  llvm::Optional<Attribute> byDefault = llvm::None;

  // For tables: `intAttr("count", "how often").atLeast(1).optional()`.
  AttrDecl optional() const;
  /// Optional, with that value by default; a plain number has the declared unit.
  AttrDecl otherwise(Attribute value) const;
  AttrDecl positive() const;
  AttrDecl share() const;
  AttrDecl of(AttrKind elements) const;
  AttrDecl in(Dimension unit) const;
  AttrDecl atLeast(int64_t value) const;
  AttrDecl oneOf(std::vector<llvm::StringRef> values) const;
  /// "list of String", "Quantity (B/s)", for the manual.
  std::string typeText() const;
};

AttrDecl flagAttr(llvm::StringRef name, llvm::StringRef doc); ///< always optional
AttrDecl boolAttr(llvm::StringRef name, llvm::StringRef doc);
AttrDecl intAttr(llvm::StringRef name, llvm::StringRef doc);
AttrDecl quantityAttr(llvm::StringRef name, Dimension unit, llvm::StringRef doc);
AttrDecl stringAttr(llvm::StringRef name, llvm::StringRef doc);
AttrDecl symbolAttr(llvm::StringRef name, llvm::StringRef doc);
AttrDecl listAttr(llvm::StringRef name, AttrKind element, llvm::StringRef doc);
AttrDecl dictAttr(llvm::StringRef name, AttrKind element, llvm::StringRef doc);

/// How many operands or results.
struct Arity {
  unsigned min = 0;
  unsigned max = 0;
  static constexpr unsigned any = UINT_MAX;
};

/// What may stand in one region.
struct RegionDecl {
  /// Names of operations, in the order of the manual.
  std::vector<llvm::StringRef> allowed;
  bool hasArguments = false;
};

enum class SymbolUse : uint8_t { None, Optional, Required };

/// The operation's own rules, beyond its declaration: false when something is wrong (reported).
using OpVerifier = bool (*)(const Operation &, DiagnosticEngine &);

struct OpDecl {
  llvm::StringRef name; ///< "loopnest.for"
  llvm::StringRef doc;  ///< one line
  SymbolUse symbol = SymbolUse::None;
  bool topLevel = false; ///< may stand at the top of a module
  Arity operands = {};
  Arity results = {};
  std::vector<AttrDecl> attrs = {};
  std::vector<RegionDecl> regions = {};
  OpVerifier verifier = nullptr;

  const AttrDecl *findAttr(llvm::StringRef attrName) const;
};

/// All operations that a tool knows.
class OpRegistry {
public:
  /// `decls` must outlive the registry; names are unique (asserted).
  void add(llvm::ArrayRef<OpDecl> decls);
  /// Null when there is none of that name.
  const OpDecl *find(llvm::StringRef name) const;
  /// In the order in which they were added.
  llvm::ArrayRef<const OpDecl *> all() const { return list; }
  std::vector<llvm::StringRef> names() const;

private:
  std::vector<const OpDecl *> list;
  llvm::StringMap<const OpDecl *> byName;
};

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_OPDECL_H
