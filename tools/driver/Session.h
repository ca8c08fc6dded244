// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of the command: its sources, its diagnostics, and how it talks. Results go to standard
// output, diagnostics to standard error once, at the end; the exit status follows from them.
#ifndef PERFC_TOOLS_DRIVER_SESSION_H
#define PERFC_TOOLS_DRIVER_SESSION_H

#include "ir/common/Diagnostics.h"
#include "tools/driver/Arguments.h"
#include "tools/driver/Progress.h"
#include "tools/driver/Table.h"

namespace perfc::driver {

/// What the process returns.
enum ExitStatus : int {
  ExitFine = 0,
  ExitExpectFailed = 1, ///< an `expect` failed, or `fmt --check` found something to do
  ExitWrongInput = 2,
  ExitDefect = 3, ///< a defect in perfc itself
};

enum class Verbosity { Quiet, Normal, Verbose };

struct Session {
  Session(llvm::raw_ostream &out, llvm::raw_ostream &err);

  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  llvm::raw_ostream &out;
  llvm::raw_ostream &err;
  Verbosity verbosity = Verbosity::Normal;
  /// ANSI escapes in results and in diagnostics.
  bool colorOut = false;
  bool colorErr = false;
  bool diagnosticsAsJson = false;
  /// Columns of what people read: those of the terminal, without bounds where there is none.
  unsigned width;
  Progress progress;

  api::Context context() { return {sources, diagnostics, progress}; }

  bool isQuiet() const { return verbosity == Verbosity::Quiet; }
  bool isVerbose() const { return verbosity == Verbosity::Verbose; }
  /// Columns of a result table.
  unsigned tableWidth() const { return isVerbose() ? anyWidth : width; }

  /// Takes over the options that every command has; false when one is wrong (reported).
  bool configure(const Arguments &arguments);
  /// Loads a file ("-" is standard input); 0 when it cannot be read (reported).
  FileId load(llvm::StringRef path);
  /// Loads all files; empty when one cannot be read (reported).
  std::vector<FileId> loadAll(llvm::ArrayRef<std::string> paths);
  /// Prints as where there is no terminal, whatever standard output is connected to: processes that
  /// mpirun starts are given terminals that nobody sees.
  void printAsToFile(const Arguments &arguments);
  /// Shows progress where somebody sees it: on a terminal, unless the session is quiet.
  void showProgress();
  /// Prints the diagnostics and returns the exit status that they give. Output that could not be
  /// written is an error.
  int finish();
};

/// The options of every command.
llvm::ArrayRef<OptionSpec> commonOptions();

/// `-D name=value` of `arguments`, or those of another option; false when one is malformed
/// (reported).
bool readDefines(const Arguments &arguments, DiagnosticEngine &diagnostics,
                 std::vector<std::pair<std::string, std::string>> &defines,
                 llvm::StringRef option = "D");

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SESSION_H
