// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of commands.
#include "tools/driver/Command.h"

using namespace perfc;
using namespace perfc::driver;

static constexpr OptionSpec fmtOptions[] = {
    {"check", 0, "", "say which files are not formatted; exit status 1 if there is one"},
    {"", 'i', "", "rewrite the files"},
};
static constexpr OptionSpec listOptions[] = {
    {"json", 0, "", "print one JSON document"},
};
static constexpr OptionSpec docOptions[] = {
    {"words", 0, "", "all words of the language, as Markdown tables"},
    {"metrics", 0, "", "all metrics, as a Markdown table"},
    {"grammar", 0, "", "the grammar"},
    {"ir", 0, "", "all operations of the IR, as Markdown"},
};

static const Command table[] = {
    {"fmt", "files in the one style of the language", "FILE… [options]",
     "perfc fmt -i designs/chip.perf", fmtOptions, 1, ~0u, formatFiles,
     "Prints the formatted text, unless --check or -i is given. - is standard input."},
    {"list", "what the standard library has", "[KIND] [options]", "perfc list hardware",
     listOptions, 0, 1, listLibrary, "KIND is op, workload, hardware, system, mapping, network, …"},
    {"doc", "what a word of the language, the library or the IR means", "[WORD] [options]",
     "perfc doc bandwidth", docOptions, 0, 1, printDocumentation},
};

llvm::ArrayRef<Command> driver::commands() { return table; }

const Command *driver::findCommand(llvm::StringRef name) {
  for (const Command &command : table)
    if (command.name == name)
      return &command;
  return nullptr;
}
