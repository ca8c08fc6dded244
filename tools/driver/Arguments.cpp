// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Arguments.h"

#include "llvm/ADT/STLExtras.h"

#include "ir/common/diagnostics/Files.h"

using namespace perfc;
using namespace perfc::driver;

bool Arguments::has(llvm::StringRef name) const {
  return llvm::any_of(options, [&](const auto &option) { return option.first == name; });
}

llvm::StringRef Arguments::value(llvm::StringRef name, llvm::StringRef otherwise) const {
  for (const auto &option : llvm::reverse(options))
    if (option.first == name)
      return option.second;
  return otherwise;
}

std::vector<llvm::StringRef> Arguments::values(llvm::StringRef name) const {
  std::vector<llvm::StringRef> found;
  for (const auto &option : options)
    if (option.first == name)
      found.push_back(option.second);
  return found;
}

namespace {

/// Reads one word after the other.
class ArgumentReader {
public:
  ArgumentReader(llvm::StringRef command, llvm::ArrayRef<const char *> words,
                 llvm::ArrayRef<OptionSpec> specs, Arguments &arguments,
                 DiagnosticEngine &diagnostics)
      : command(command), words(words), specs(specs), arguments(arguments),
        diagnostics(diagnostics) {}

  bool read() {
    bool onlyFiles = false;
    while (next < words.size()) {
      llvm::StringRef word = words[next++];
      if (onlyFiles || word == "-" || !word.startswith("-"))
        arguments.addFile(word);
      else if (word == "--")
        onlyFiles = true;
      else if (!(word.startswith("--") ? readLong(word.drop_front(2)) : readShort(word)))
        return false;
    }
    return true;
  }

private:
  bool readLong(llvm::StringRef word) {
    auto [name, value] = word.split('=');
    bool glued = word.contains('=');
    for (const OptionSpec &spec : specs)
      if (spec.name == name)
        return take(spec, "--" + name.str(), glued, value);
    return reportUnknown("--" + name.str());
  }

  bool readShort(llvm::StringRef word) {
    for (const OptionSpec &spec : specs)
      if (spec.letter == word[1])
        return take(spec, word.take_front(2).str(), word.size() > 2, word.drop_front(2));
    return reportUnknown(word.str());
  }

  bool take(const OptionSpec &spec, const std::string &shown, bool glued, llvm::StringRef value) {
    std::string key = spec.name.empty() ? std::string(1, spec.letter) : spec.name.str();
    if (spec.value.empty()) {
      if (glued) {
        diagnostics.report({}, diag::OptionTakesNoValue, shown);
        return false;
      }
    } else if (!glued) {
      if (next == words.size()) {
        diagnostics.report({}, diag::OptionNeedsValue, shown)
            .help(fmt::format("write `{} {}`", shown, spec.value.str()));
        return false;
      }
      value = words[next++];
    }
    arguments.addOption(key, value);
    return true;
  }

  bool reportUnknown(const std::string &shown) {
    std::vector<std::string> names;
    for (const OptionSpec &spec : specs)
      if (!spec.name.empty())
        names.push_back("--" + spec.name.str());
    std::vector<llvm::StringRef> candidates(names.begin(), names.end());
    diagnostics.report({}, diag::UnknownOption, command.str(), shown)
        .suggest(shown, candidates, fmt::format("`perfc {} --help` lists them", command.str()));
    return false;
  }

  llvm::StringRef command;
  llvm::ArrayRef<const char *> words;
  llvm::ArrayRef<OptionSpec> specs;
  Arguments &arguments;
  DiagnosticEngine &diagnostics;
  size_t next = 0;
};

} // namespace

bool driver::parseArguments(llvm::StringRef command, llvm::ArrayRef<const char *> words,
                            llvm::ArrayRef<OptionSpec> specs, Arguments &arguments,
                            DiagnosticEngine &diagnostics) {
  return ArgumentReader(command, words, specs, arguments, diagnostics).read();
}
