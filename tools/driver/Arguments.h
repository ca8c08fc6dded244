// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of one command: options by name and the rest by position. `--name value`,
// `--name=value`, `-o value` and `-Dname=value` are read; `-` is a file name, `--` ends the
// options.
#ifndef PERFC_TOOLS_DRIVER_ARGUMENTS_H
#define PERFC_TOOLS_DRIVER_ARGUMENTS_H

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <utility>
#include <vector>

namespace perfc::driver {

/// An option of a command.
struct OptionSpec {
  llvm::StringLiteral name;       ///< without dashes; "" when there is only a letter
  char letter = 0;                ///< 0 when there is none
  llvm::StringLiteral value = ""; ///< what the help calls its value; "" for a switch
  llvm::StringLiteral doc = "";
  /// The values that it may have, where these are a few words, with blanks between them.
  llvm::StringLiteral choices = "";
};

class Arguments {
public:
  llvm::ArrayRef<std::string> files() const { return positional; }
  bool has(llvm::StringRef name) const;
  /// The last value of an option, or `otherwise`.
  llvm::StringRef value(llvm::StringRef name, llvm::StringRef otherwise = "") const;
  std::vector<llvm::StringRef> values(llvm::StringRef name) const;

  void addFile(llvm::StringRef text) { positional.push_back(text.str()); }
  void addOption(llvm::StringRef name, llvm::StringRef value) {
    options.emplace_back(name.str(), value.str());
  }

private:
  std::vector<std::string> positional;
  std::vector<std::pair<std::string, std::string>> options;
};

/// Reads `words` by the options of `command`; an option that has only a letter is stored under it.
/// False when something is wrong (reported).
bool parseArguments(llvm::StringRef command, llvm::ArrayRef<const char *> words,
                    llvm::ArrayRef<OptionSpec> specs, Arguments &arguments,
                    DiagnosticEngine &diagnostics);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_ARGUMENTS_H
