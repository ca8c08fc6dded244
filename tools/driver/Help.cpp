// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Command.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;

void driver::printTerms(llvm::raw_ostream &os, const HelpTerms &terms, unsigned least,
                        unsigned width) {
  Table table({{"", Align::Left, least}, {"", Align::Left, 0, /*wraps=*/true}});
  for (const auto &[term, meaning] : terms)
    table.addRow({term, meaning});
  table.print(os, width, /*bold=*/false, /*titles=*/false);
}

void driver::printHelp(llvm::raw_ostream &os, unsigned width) {
  os << "perfc: from a workload, a chip and a mapping to latency, energy and the reasons why\n\n"
        "usage: perfc FILE            the same as perfc run FILE\n"
        "       perfc COMMAND …       perfc COMMAND --help says more\n\n";
  HelpTerms terms;
  for (const Command &command : commands())
    terms.emplace_back(command.name, command.summary);
  printTerms(os, terms, 8, width);
  os << "\nexit status: 0 fine, 1 an expect failed, 2 the input is wrong, 3 a defect in perfc\n"
        "example: perfc docs/examples/resnet50_a100.perf\n";
}

std::string driver::spelling(const OptionSpec &option) {
  std::string text = option.letter ? fmt::format("-{}", option.letter) : "  ";
  if (!option.name.empty())
    text += fmt::format("{} --{}", option.letter ? "," : " ", option.name.str());
  return option.value.empty() ? text : text + " " + option.value.str();
}

void driver::printHelp(llvm::raw_ostream &os, const Command &command, unsigned width) {
  std::string summary = fmt::format("perfc {}: {}", command.name.str(), command.summary.str());
  os << llvm::join(wrapped(summary, width), "\n") << "\n\nusage: perfc " << command.name << ' '
     << command.usage << '\n';
  if (!command.details.empty())
    os << '\n' << llvm::join(wrapped(command.details, width), "\n") << '\n';
  if (command.list)
    printTerms(os, command.list(), 24, width);
  os << "\noptions:\n";
  HelpTerms options;
  for (llvm::ArrayRef<OptionSpec> specs : {command.options, commonOptions()})
    for (const OptionSpec &option : specs)
      options.emplace_back(spelling(option), option.doc);
  printTerms(os, options, 24, width);
  os << "\nexample: " << command.example << '\n';
}
