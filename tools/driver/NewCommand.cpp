// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc new: a commented program to start from, of the kind that the user is about; the programs
// are in starters/.
#include "api/OutputFile.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "tools/driver/EmbeddedText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include <iostream>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

namespace {

struct Starter {
  llvm::StringLiteral kind;
  llvm::StringLiteral summary;
};

} // namespace

/// The first is what there is without a choice.
static constexpr Starter starters[] = {
    {"accelerator", "an op with a mapping on an array of multiply-accumulate units"},
    {"gpu", "inference of a language model on a GPU"},
    {"serving", "requests that arrive at a language model, and how long users wait"},
    {"cluster", "training of a language model on nodes of GPUs"},
    {"edge", "a network on a small chip"},
};

HelpTerms driver::starterTerms() {
  HelpTerms terms;
  for (const Starter &starter : starters)
    terms.emplace_back(starter.kind, starter.summary);
  return terms;
}

llvm::StringRef driver::starterProgram(llvm::StringRef kind) {
  bool isKnown = llvm::any_of(starters, [&](const Starter &each) { return each.kind == kind; });
  return isKnown ? embeddedText(("starter_" + kind).str()) : "";
}

/// Asks on the terminal; the first kind for an empty line and for the end of input.
static std::string askedKind(Session &session) {
  session.out << "What is it about?\n";
  printTerms(session.out, starterTerms(), 12, session.width);
  session.out << "[" << starters[0].kind << "] ";
  session.out.flush();
  std::string line;
  std::getline(std::cin, line);
  llvm::StringRef word = llvm::StringRef(line).trim();
  return word.empty() ? starters[0].kind.str() : word.str();
}

static bool isOnTerminal() {
  return llvm::sys::Process::StandardInIsUserInput() &&
         llvm::sys::Process::StandardOutIsDisplayed();
}

bool driver::newFile(Session &session, const Arguments &arguments) {
  const std::string &path = arguments.files().front();
  if (path != "-" && llvm::sys::fs::exists(path)) {
    session.diagnostics.report({}, diag::FileExists, path).help("give the name of a new file");
    return true;
  }
  std::string kind = arguments.has("kind") ? arguments.value("kind").str()
                     : path != "-" && isOnTerminal() && !session.isQuiet() ? askedKind(session)
                                                                           : starters[0].kind.str();
  llvm::StringRef text = starterProgram(kind);
  if (text.empty()) {
    std::vector<llvm::StringRef> kinds;
    for (const Starter &starter : starters)
      kinds.push_back(starter.kind);
    session.diagnostics.report({}, diag::BadOptionValue, "--kind", kind)
        .help("it is one of " + llvm::join(kinds, ", "));
    return true;
  }
  if (writeOutput(path, text, {}, session.diagnostics) && path != "-" && !session.isQuiet())
    session.out << "wrote " << path << "; try: perfc " << path << '\n';
  return true;
}
