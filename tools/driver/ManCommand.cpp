// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc man: the pages of the manual for `man`, of perfc and of each command, from the tables that
// the help prints.
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "llvm/ADT/Twine.h"

using namespace perfc;
using namespace perfc::driver;

/// `text` as roff prints it.
static std::string roff(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  return llvm::StringRef(result).startswith(".") || llvm::StringRef(result).startswith("'")
             ? "\\&" + result
             : result;
}

static void printTerm(llvm::raw_ostream &os, llvm::StringRef term, llvm::StringRef meaning) {
  os << ".TP\n.B " << roff(term) << '\n' << roff(meaning) << '\n';
}

static void printHead(llvm::raw_ostream &os, llvm::StringRef name, llvm::StringRef summary,
                      llvm::StringRef synopsis) {
  os << ".TH " << name.upper() << " 1 \"\" \"perfc " << PERFC_VERSION << "\"\n.SH NAME\n"
     << roff(name) << " \\- " << roff(summary) << "\n.SH SYNOPSIS\n"
     << ".B " << roff(synopsis) << '\n';
}

static void printPage(llvm::raw_ostream &os, const Command &command) {
  printHead(os, "perfc-" + command.name.str(), command.summary,
            ("perfc " + command.name + " " + command.usage).str());
  if (!command.details.empty())
    os << ".SH DESCRIPTION\n" << roff(command.details) << '\n';
  if (command.list)
    for (const auto &[term, meaning] : command.list())
      printTerm(os, term, meaning);
  os << ".SH OPTIONS\n";
  for (llvm::ArrayRef<OptionSpec> specs : {command.options, commonOptions()})
    for (const OptionSpec &option : specs)
      printTerm(os, llvm::StringRef(spelling(option)).trim(), option.doc);
  os << ".SH EXAMPLE\n.nf\n" << roff(command.example) << "\n.fi\n.SH SEE ALSO\n.BR perfc (1)\n";
}

static void printMainPage(llvm::raw_ostream &os) {
  printHead(os, "perfc",
            "from a workload, a chip and a mapping to latency, energy and the reasons why",
            "perfc COMMAND …");
  os << ".SH COMMANDS\n";
  for (const Command &command : commands())
    printTerm(os, command.name, command.summary);
  os << ".SH EXIT STATUS\n0 fine, 1 an expect failed, 2 the input is wrong, 3 a defect in perfc\n"
        ".SH SEE ALSO\n";
  for (const Command &command : commands())
    os << ".BR perfc\\-" << command.name << " (1)"
       << (&command == &commands().back() ? "\n" : ",\n");
}

bool driver::printManual(Session &session, const Arguments &arguments) {
  if (arguments.files().empty()) {
    printMainPage(session.out);
    return true;
  }
  const Command *command = findCommand(arguments.files().front());
  if (command)
    printPage(session.out, *command);
  else
    session.diagnostics.report({}, diag::UnknownCommand, arguments.files().front());
  return true;
}
