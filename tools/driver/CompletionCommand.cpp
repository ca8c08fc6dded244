// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc completion: what a shell reads to complete commands, their options and the words that these
// may have, from the tables that the help prints.
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;

/// `text` with a backslash before each character of `marks`.
static std::string marked(llvm::StringRef text, llvm::StringRef marks) {
  std::string result;
  for (char c : text)
    result += (marks.contains(c) ? "\\" : "") + std::string(1, c);
  return result;
}

/// In single quotes, which only a shell's own way ends.
static std::string quoted(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Calls `each` with the options of `command` and those that every command has.
static void forEachOption(const Command &command,
                          llvm::function_ref<void(const OptionSpec &)> each) {
  for (llvm::ArrayRef<OptionSpec> specs : {command.options, commonOptions()})
    for (const OptionSpec &option : specs)
      each(option);
}

static constexpr llvm::StringLiteral shells = "bash zsh fish";

/// What the first operand of `command` may be besides a file, with blanks between the words.
static std::string operandsOf(const Command &command) {
  if (command.run == printCompletion)
    return shells.str();
  std::vector<std::string> words;
  if (command.run == printManual)
    for (const Command &each : commands())
      words.push_back(each.name.str());
  else if (command.list && command.run != newFile) // whose list is of an option
    for (const auto &[term, meaning] : command.list())
      words.push_back(llvm::StringRef(term).split(' ').first.str());
  return llvm::join(words, " ");
}

/// "run:--mode" and what may stand behind it, a line each.
static void printBashChoices(llvm::raw_ostream &os, const Command &command) {
  forEachOption(command, [&](const OptionSpec &option) {
    if (!option.choices.empty())
      os << "  " << command.name << ":--" << option.name << ") choices='" << option.choices
         << "' ;;\n";
  });
  std::string operands = operandsOf(command);
  if (!operands.empty())
    os << "  " << command.name << ':' << command.name << ") [[ $word == -* ]] || options='"
       << operands << "' ;;\n";
}

static void printBash(llvm::raw_ostream &os) {
  os << "_perfc() {\n  local word=${COMP_WORDS[COMP_CWORD]} options= choices=\n"
        "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '";
  llvm::interleave(
      commands(), os, [&](const Command &command) { os << command.name; }, " ");
  os << "' -- \"$word\") $(compgen -f -- \"$word\"))\n    return\n  fi\n"
        "  case ${COMP_WORDS[1]} in\n";
  for (const Command &command : commands()) {
    os << "  " << command.name << ") options='";
    forEachOption(command, [&](const OptionSpec &option) {
      if (option.letter)
        os << '-' << option.letter << ' ';
      if (!option.name.empty())
        os << "--" << option.name << ' ';
    });
    os << "' ;;\n";
  }
  os << "  esac\n  [[ $word == -* ]] || options=\n"
        "  case ${COMP_WORDS[1]}:${COMP_WORDS[COMP_CWORD - 1]} in\n";
  for (const Command &command : commands())
    printBashChoices(os, command);
  os << "  esac\n  if [[ $choices ]]; then\n"
        "    COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n    return\n  fi\n"
        "  COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n}\n"
        "complete -o filenames -F _perfc perfc\n";
}

static void printZsh(llvm::raw_ostream &os) {
  os << "#compdef perfc\n_perfc() {\n  local -a commands\n  commands=(\n";
  for (const Command &command : commands())
    os << "    " << quoted(command.name.str() + ":" + marked(command.summary, ":\\")) << '\n';
  os << "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    _files\n"
        "    return\n  fi\n  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n";
  for (const Command &command : commands()) {
    os << "  " << command.name << ") _arguments";
    forEachOption(command, [&](const OptionSpec &option) {
      std::string doc = "[" + marked(option.doc, "[]:\\") + "]";
      if (!option.value.empty())
        doc += ":" + marked(option.value, ":\\") +
               (option.choices.empty() ? ":_files" : ":(" + option.choices.str() + ")");
      if (option.letter)
        os << " \\\n    " << quoted("*-" + std::string(1, option.letter) + doc);
      if (!option.name.empty())
        os << " \\\n    " << quoted("*--" + option.name.str() + doc);
    });
    if (std::string operands = operandsOf(command); !operands.empty() && !command.list)
      os << " \\\n    '1:word:(" << operands << ")'";
    os << " \\\n    '*:file:_files' ;;\n";
  }
  os << "  esac\n}\n_perfc \"$@\"\n";
}

static void printFish(llvm::raw_ostream &os) {
  auto text = [](llvm::StringRef doc) { return "'" + marked(doc, "'\\") + "'"; };
  for (const Command &command : commands()) {
    os << "complete -c perfc -n __fish_use_subcommand -a " << command.name << " -d "
       << text(command.summary) << '\n';
    forEachOption(command, [&](const OptionSpec &option) {
      os << "complete -c perfc -n '__fish_seen_subcommand_from " << command.name << '\'';
      if (option.letter)
        os << " -s " << option.letter;
      if (!option.name.empty())
        os << " -l " << option.name;
      if (!option.choices.empty())
        os << " -x -a '" << option.choices << '\'';
      else if (!option.value.empty())
        os << " -r";
      os << " -d " << text(option.doc) << '\n';
    });
    std::string operands = operandsOf(command);
    if (!operands.empty())
      os << "complete -c perfc -n '__fish_seen_subcommand_from " << command.name << "' -a '"
         << operands << "'\n";
  }
}

bool driver::printCompletion(Session &session, const Arguments &arguments) {
  struct Shell {
    llvm::StringLiteral name;
    void (*print)(llvm::raw_ostream &);
  };
  static constexpr Shell table[] = {{"bash", printBash}, {"zsh", printZsh}, {"fish", printFish}};
  llvm::StringRef wanted = arguments.files().front();
  for (const Shell &shell : table)
    if (shell.name == wanted) {
      shell.print(session.out);
      return true;
    }
  session.diagnostics.report({}, diag::BadOptionValue, "SHELL", wanted)
      .help("it is one of bash, zsh, fish");
  return true;
}
