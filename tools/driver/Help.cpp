// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Command.h"

using namespace perfc;
using namespace perfc::driver;

void driver::printHelp(llvm::raw_ostream &os) {
  os << "perfc: from a workload, a chip and a mapping to latency, energy and the reasons why\n\n"
        "usage: perfc FILE            the same as perfc run FILE\n"
        "       perfc COMMAND …       perfc COMMAND --help says more\n\n";
  for (const Command &command : commands())
    os << fmt::format("  {:<10}{}\n", command.name.str(), command.summary.str());
  os << "\nexit status: 0 fine, 1 an expect failed, 2 the input is wrong, 3 a defect in perfc\n"
        "example: perfc docs/examples/resnet50_a100.perf\n";
}

static void printOptions(llvm::raw_ostream &os, llvm::ArrayRef<OptionSpec> options) {
  for (const OptionSpec &option : options) {
    std::string text = option.letter ? fmt::format("-{}", option.letter) : "  ";
    if (!option.name.empty())
      text += fmt::format("{} --{}", option.letter ? "," : " ", option.name.str());
    if (!option.value.empty())
      text += " " + option.value.str();
    os << fmt::format("  {:<25} {}\n", text, option.doc.str());
  }
}

void driver::printHelp(llvm::raw_ostream &os, const Command &command) {
  os << "perfc " << command.name << ": " << command.summary << "\n\nusage: perfc " << command.name
     << ' ' << command.usage << '\n';
  if (!command.details.empty())
    os << '\n' << command.details << '\n';
  if (command.printList)
    command.printList(os);
  os << "\noptions:\n";
  printOptions(os, command.options);
  printOptions(os, commonOptions());
  os << "\nexample: " << command.example << '\n';
}
