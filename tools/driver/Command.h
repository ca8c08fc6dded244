// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of perfc: one table entry and one file each. The entry feeds the parser of the
// command line, `perfc --help` and `perfc COMMAND --help`.
#ifndef PERFC_TOOLS_DRIVER_COMMAND_H
#define PERFC_TOOLS_DRIVER_COMMAND_H

#include "tools/driver/Session.h"

namespace perfc::driver {

/// Terms and what each means.
using HelpTerms = std::vector<std::pair<std::string, std::string>>;

/// Prints results; mistakes go to the session's diagnostics. Returns false only for what makes the
/// status 1 without a diagnostic (`fmt --check`).
using RunCommand = bool(Session &session, const Arguments &arguments);

struct Command {
  llvm::StringLiteral name;
  llvm::StringLiteral summary; ///< one line
  llvm::StringLiteral usage;   ///< what follows the name: "FILE [options]"
  llvm::StringLiteral example; ///< a command line that works
  llvm::ArrayRef<OptionSpec> options;
  unsigned minFiles = 1;
  unsigned maxFiles = 1;
  RunCommand *run;
  llvm::StringLiteral details = ""; ///< further lines of the help
  /// A list that belongs to the help, where there is one.
  HelpTerms (*list)() = nullptr;
};

/// All commands, in the order of the help.
llvm::ArrayRef<Command> commands();
const Command *findCommand(llvm::StringRef name);

/// Prints terms, each with what it means beside it, which begins at column `least` + 4 or behind
/// the longest term.
void printTerms(llvm::raw_ostream &os, const HelpTerms &terms, unsigned least, unsigned width);

/// "-o, --output FILE".
std::string spelling(const OptionSpec &option);

/// The text of `perfc --help` and of `perfc COMMAND --help`, in lines of `width` characters.
void printHelp(llvm::raw_ostream &os, unsigned width);
void printHelp(llvm::raw_ostream &os, const Command &command, unsigned width);

// The lists of the help.
HelpTerms tableKindTerms();
HelpTerms importFormatTerms();
HelpTerms starterTerms();

/// What `perfc new` writes of that kind; "" for none.
llvm::StringRef starterProgram(llvm::StringRef kind);

// The commands, one file each.
RunCommand runFile, searchFile, sweepFile, mergeResults, checkFile, printIr, runPasses, emitFile,
    importFile, formatFiles, listLibrary, explain, compareFiles, listTools, printCompletion,
    printManual, newFile, printDocumentation, validateTable, calibrateFile;

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_COMMAND_H
