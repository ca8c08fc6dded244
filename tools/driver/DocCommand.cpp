// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc doc: one word of the language, of its library or of its IR; or a whole part of the manual.
#include "api/Library.h"
#include "ir/common/Metrics.h"
#include "ir/common/Providers.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/core/Printer.h"
#include "ir/study/AllOps.h"
#include "tools/driver/Command.h"
#include "tools/driver/EmbeddedText.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// One of the choices of a word: `switch`, `torus(4, 4)` or `fat_tree(radix, oversubscription)`.
static std::string choiceText(const WordSpec &spec, llvm::StringRef choice) {
  const ChoiceForm *form = findForm(spec, choice);
  if (!form)
    return choice.str();
  if (!form->sizes.empty())
    return choice.str() + "(n, …)";
  if (!form->members.empty())
    return choice.str() + "(a, b, …)";
  std::vector<llvm::StringRef> names;
  for (const ChoiceArgument &argument : form->arguments)
    names.push_back(argument.name);
  return choice.str() + "(" + llvm::join(names, ", ") + ")";
}

/// "one of switch, ring, fat_tree(radix, oversubscription)".
static std::string choicesText(const WordSpec &spec) {
  std::vector<std::string> texts;
  for (llvm::StringRef choice : llvm::split(spec.choices, " "))
    texts.push_back(choiceText(spec, choice));
  return "one of " + llvm::join(texts, ", ");
}

static std::string argumentValue(const ChoiceArgument &argument) {
  switch (argument.kind) {
  case ArgKind::Measure:
    return describe(argument.dims).str();
  case ArgKind::Flag:
    return "`true` or `false`";
  case ArgKind::Text:
    return "a string";
  default:
    return argument.isHole ? "a whole number or `any`" : "a whole number";
  }
}

/// What follows a word: "a bandwidth, such as 8B/cycle or 2TB/s".
static std::string valueText(const WordSpec &spec) {
  switch (spec.kind) {
  case ArgKind::Flag:
    return "";
  case ArgKind::Measure:
    return describe(spec.dims).str();
  case ArgKind::Integer:
    return "a whole number";
  case ArgKind::Name:
    return "a name";
  case ArgKind::Choice:
    return choicesText(spec);
  case ArgKind::Constant:
    return "a constant";
  case ArgKind::Reference:
    return "a declaration, with its arguments";
  case ArgKind::Metric:
    return "an expression over metrics";
  case ArgKind::Pairs:
    return "pairs such as `tensor = 8`";
  case ArgKind::Text:
    return "a string";
  case ArgKind::Syntax:
    return "";
  }
  return "";
}

static void printWord(llvm::raw_ostream &os, BlockKind kind, const WordSpec &spec) {
  os << "`" << spec.word << "` in " << describeBlock(kind) << ": " << spec.doc << '\n';
  std::string value = valueText(spec);
  if (!value.empty())
    os << "  value    " << value
       << (spec.maxArgs == anyNumber ? ", or several"
           : spec.maxArgs > 1        ? fmt::format(", up to {}", spec.maxArgs)
                                     : std::string())
       << '\n';
  if (!spec.byDefault.empty())
    os << "  default  " << spec.byDefault << '\n';
  for (const ChoiceForm &form : spec.forms) {
    if (!form.sizes.empty())
      os << "  " << choiceText(spec, form.choice) << ": " << form.sizes << '\n';
    if (!form.members.empty())
      os << "  " << choiceText(spec, form.choice) << ": " << form.members << '\n';
    for (const ChoiceArgument &argument : form.arguments)
      os << "  " << form.choice << '(' << argument.name << "): " << argumentValue(argument) << ", "
         << argument.doc
         << (argument.byDefault.empty() ? "" : ", by default " + argument.byDefault.str()) << '\n';
  }
  if (spec.block == BlockKind::None)
    return;
  std::vector<llvm::StringRef> words;
  for (const WordSpec &inner : wordsOf(spec.block))
    words.push_back(inner.word);
  if (!words.empty())
    os << "  block    " << llvm::join(words, ", ") << '\n';
}

/// `word` of a kind of block, and the words of it that may have `word` as their value.
static bool printInBlock(llvm::raw_ostream &os, BlockKind kind, llvm::StringRef word) {
  const WordSpec *own = findWord(kind, word);
  if (own)
    printWord(os, kind, *own);
  bool isValue = false;
  for (const WordSpec &spec : wordsOf(kind))
    if (llvm::is_contained(llvm::split(spec.choices, " "), word)) {
      os << "`" << word << "` is a value of `" << spec.word << "` in " << describeBlock(kind)
         << ": " << spec.doc << '\n';
      isValue = true;
    }
  return own || isValue;
}

/// The arguments of the choices of a block's words, as a Markdown table.
static void printArgumentTable(llvm::raw_ostream &os, llvm::ArrayRef<WordSpec> words) {
  if (llvm::all_of(words, [](const WordSpec &spec) { return spec.forms.empty(); }))
    return;
  os << "\n| choice | argument | value | default | meaning |\n|---|---|---|---|---|\n";
  for (const WordSpec &spec : words)
    for (const ChoiceForm &form : spec.forms) {
      std::string head = fmt::format("| `{} {}` | ", spec.word.str(), form.choice.str());
      if (!form.sizes.empty())
        os << head << "any number | a whole number |  | " << form.sizes << " |\n";
      if (!form.members.empty())
        os << head << "two or more | others of its choices |  | " << form.members << " |\n";
      for (const ChoiceArgument &argument : form.arguments)
        os << head << '`' << argument.name << "` | " << argumentValue(argument) << " | "
           << argument.byDefault << " | " << argument.doc << " |\n";
    }
}

/// The word tables as Markdown: one section per kind of block.
static void printWordTables(llvm::raw_ostream &os) {
  for (unsigned i = 0; i < blockKindCount; ++i) {
    BlockKind kind = static_cast<BlockKind>(i);
    if (wordsOf(kind).empty())
      continue;
    os << "### In " << describeBlock(kind)
       << "\n\n| word | value | default | meaning |\n|---|---|---|---|\n";
    for (const WordSpec &spec : wordsOf(kind))
      os << "| `" << spec.word << "` | " << valueText(spec) << " | " << spec.byDefault << " | "
         << spec.doc << " |\n";
    printArgumentTable(os, wordsOf(kind));
    os << '\n';
  }
}

/// A table of metrics for each kind of statement.
static void printMetricTables(llvm::raw_ostream &os) {
  for (ResultKind kind : resultKinds) {
    os << (kind == ResultKind::Evaluation ? "" : "\n") << "### Metrics of " << statementsOf(kind)
       << "\n\n| metric | unit | definition |\n|---|---|---|\n";
    for (const MetricSpec &metric : metricsOf(kind))
      os << "| `" << metric.name << "` | " << metric.unit << " | " << metric.definition
         << (metric.form == MetricForm::Distribution ? "; a distribution" : "") << " |\n";
  }
}

/// What the metric is for each statement that has it.
static bool printMetric(llvm::raw_ostream &os, llvm::StringRef name) {
  const MetricSpec *any = findMetric(name);
  if (!any)
    return false;
  os << "metric `" << name << "`, in " << (any->unit.empty() ? "plain numbers" : any->unit.data())
     << '\n';
  for (ResultKind kind : resultKinds)
    if (const MetricSpec *metric = findMetric(kind, name))
      os << "  " << statementsOf(kind) << ": " << metric->definition << '\n';
  return true;
}

static bool printProvider(llvm::raw_ostream &os, llvm::StringRef name) {
  const ProviderInfo *provider = findProvider(name);
  if (!provider)
    return false;
  os << "provider `" << provider->name << "`: " << provider->summary << '\n'
     << "  level    " << provider->level << '\n'
     << "  serves   " << provider->serves << '\n'
     << "  on       " << provider->on << '\n'
     << "  latency  " << provider->formula << '\n';
  return true;
}

/// The parser's and the lexer's rules, without the licence line.
static void printGrammar(llvm::raw_ostream &os) {
  for (llvm::StringRef part : {"parser", "lexer"}) {
    llvm::StringRef text = embeddedText(part);
    if (text.startswith("// Part of"))
      text = text.split('\n').second;
    os << text.trim() << "\n\n";
  }
}

static bool printIrOp(llvm::raw_ostream &os, llvm::StringRef word) {
  const ir::OpDecl *decl = allOps().find(word);
  if (!decl)
    return false;
  os << decl->name << ": " << decl->doc << '\n';
  for (const ir::AttrDecl &attr : decl->attrs)
    os << "  " << attr.name << (attr.required ? "" : "?") << ": " << attr.typeText() << "  "
       << attr.doc << '\n';
  return true;
}

/// Lines of a declaration, such as what an op computes, as its module writes them.
static void printLines(Session &session, llvm::StringRef title, llvm::StringRef lines) {
  if (lines.empty())
    return;
  session.out << "  " << title << '\n';
  for (llvm::StringRef line : llvm::split(lines.rtrim(), "\n"))
    session.out << "    " << line << '\n';
}

/// Declarations of the library named `word`.
static bool printLibraryEntries(Session &session, llvm::StringRef word,
                                std::vector<std::string> &names) {
  Program program(session.sources, session.diagnostics);
  bool found = false;
  for (const LibraryEntry &entry : libraryIndex(program)) {
    names.push_back(entry.name);
    if (entry.name != word && entry.module != word)
      continue;
    session.out << (found ? "\n" : "") << entry.signature << '\n';
    for (llvm::StringRef line : llvm::split(llvm::StringRef(entry.doc).trim(), "\n"))
      session.out << "  " << line << '\n';
    session.out << "  import   " << entry.module << '\n';
    printLines(session, "equations", entry.equations);
    printLines(session, "requires", entry.requirements);
    found = true;
  }
  return found;
}

static bool printParts(llvm::raw_ostream &os, const Arguments &arguments) {
  if (arguments.has("words"))
    printWordTables(os);
  if (arguments.has("metrics"))
    printMetricTables(os);
  if (arguments.has("grammar"))
    printGrammar(os);
  if (arguments.has("ir"))
    os << ir::renderIrReference(allOps());
  return arguments.has("words") || arguments.has("metrics") || arguments.has("grammar") ||
         arguments.has("ir");
}

static void reportNothing(Session &session, llvm::StringRef word, std::vector<std::string> names) {
  for (unsigned i = 0; i < blockKindCount; ++i)
    for (const WordSpec &spec : wordsOf(static_cast<BlockKind>(i)))
      names.push_back(spec.word.str());
  for (ResultKind kind : resultKinds)
    for (const MetricSpec &metric : metricsOf(kind))
      names.push_back(metric.name.str());
  names.push_back("metrics");
  for (const ProviderInfo &provider : allProviders)
    names.push_back(provider.name);
  for (const ir::OpDecl *decl : allOps().all())
    names.push_back(decl->name.str());
  std::vector<llvm::StringRef> candidates(names.begin(), names.end());
  session.diagnostics.report({}, diag::NothingDocumented, word.str())
      .suggest(word, candidates, "`perfc list` shows the library, `perfc doc --words` all words");
}

/// What there is to ask for.
static void printStart(Session &session) {
  session.out << "perfc doc WORD says what a word of the language, a metric, or a name of the "
                 "library means\n\n";
  printTerms(session.out,
             {{"perfc new design.perf", "a commented program to start from"},
              {"perfc list", "what the library has; perfc list op shows its ops alone"},
              {"perfc doc matmul", "an op: what it computes, and what to import"},
              {"perfc doc h100_sxm", "a chip; networks, systems and workloads go the same way"},
              {"perfc doc bandwidth", "a word, with its values and default"},
              {"perfc doc latency", "a metric, with its unit and definition"},
              {"perfc doc roofline", "a provider of costs: what it serves, and its formula"},
              {"perfc doc --words", "all words, by the blocks in which they stand"},
              {"perfc doc --metrics", "all metrics"},
              {"perfc explain PERF0101", "what a message means, with an example and its fix"}},
             24, session.width);
}

bool driver::printDocumentation(Session &session, const Arguments &arguments) {
  bool whole = printParts(session.out, arguments);
  if (arguments.files().empty()) {
    if (!whole)
      printStart(session);
    return true;
  }
  llvm::StringRef word = arguments.files().front();
  bool found = false;
  for (unsigned i = 0; i < blockKindCount; ++i)
    found |= printInBlock(session.out, static_cast<BlockKind>(i), word);
  found |= printMetric(session.out, word);
  found |= printProvider(session.out, word);
  if (word == "metrics") {
    printMetricTables(session.out);
    found = true;
  }
  found |= printIrOp(session.out, word);
  std::vector<std::string> names;
  found |= printLibraryEntries(session, word, names);
  if (!found)
    reportNothing(session, word, std::move(names));
  return true;
}
