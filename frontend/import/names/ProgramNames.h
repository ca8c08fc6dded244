// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of an imported program. Other tools let any text be a name, and let a layer be called what
// the program calls something else: an op that it imports, its chip, a number format.
#ifndef PERFC_FRONTEND_IMPORT_NAMES_PROGRAMNAMES_H
#define PERFC_FRONTEND_IMPORT_NAMES_PROGRAMNAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <initializer_list>
#include <string>

namespace perfc {

/// `text` as a string of the language; control characters become blanks.
std::string quotedText(llvm::StringRef text);

class ProgramNames {
public:
  /// `own`: what the program itself imports, declares and says.
  explicit ProgramNames(std::initializer_list<llvm::StringRef> own = {});

  /// The program itself says `name`, too.
  void takeOwn(llvm::StringRef name);
  bool isTaken(llvm::StringRef name) const { return taken.contains(name); }
  /// A name that the language accepts and that nothing else has, made of `text`: other characters
  /// become `_`; what begins with no letter, is a reserved word or a name that the program needs
  /// for itself gets `prefix` before it, and what an earlier one has a number after it.
  std::string add(llvm::StringRef text, llvm::StringRef prefix);

private:
  llvm::StringSet<> own, taken;
};

} // namespace perfc

#endif // PERFC_FRONTEND_IMPORT_NAMES_PROGRAMNAMES_H
