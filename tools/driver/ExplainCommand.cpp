// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc explain: why a result is what it is, as a chain from the result down to the resource that
// limits it, each link with its place in the source; or what a diagnostic means.
#include "api/Providers.h"
#include "backends/emit/Emit.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "tools/driver/EmbeddedText.h"
#include "tools/driver/ProgramFile.h"
#include "tools/driver/Report.h"
#include "tools/driver/ReuseText.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// Longest kernels that are followed down.
static constexpr size_t chainLength = 3;

/// The section `## PERF0123 Name` of the manual, or "".
static llvm::StringRef findSection(llvm::StringRef code) {
  llvm::StringRef text = embeddedText("diagnostics");
  std::string heading = "## " + code.str() + " ";
  size_t begin = text.startswith(heading) ? 0 : text.find("\n" + heading);
  if (begin == llvm::StringRef::npos)
    return "";
  llvm::StringRef rest = text.drop_front(begin).ltrim('\n');
  return rest.take_front(rest.find("\n## ")).rtrim();
}

/// True when `word` has the form of a code, which is then in `code` in capitals.
static bool isCode(llvm::StringRef word, std::string &code) {
  code = word.upper();
  llvm::StringRef number = code;
  return number.consume_front("PERF") && number.size() == 4 &&
         llvm::all_of(number, [](char c) { return llvm::isDigit(c); });
}

static void explainCode(Session &session, const std::string &code) {
  unsigned number = 0;
  llvm::StringRef(code).drop_front(4).getAsInteger(10, number);
  for (const DiagnosticKind &kind : allDiagnosticKinds()) {
    if (kind.code != number)
      continue;
    llvm::StringRef section = findSection(code);
    if (section.empty())
      session.out << code << ' ' << kind.name << "\n\n" << kind.message << '\n';
    else
      session.out << section.ltrim("# ") << '\n';
    return;
  }
  session.diagnostics.report({}, diag::UnknownDiagnostic, code)
      .help("the code stands in brackets after `error` in a message");
}

//===-- Results
//--------------------------------------------------------------------------------===//

static std::string placeText(const SourceManager &sources, SourceRange place) {
  return place.isValid() ? "  (" + sources.describe(place) + ")" : "";
}

/// The parts of a kernel by time, the longest first. What takes none only has energy.
static void explainParts(Session &session, const CostPart &part, double runs) {
  std::vector<const CostPart *> parts;
  for (const CostPart &child : part.children)
    if (child.latency.central() > 0)
      parts.push_back(&child);
  llvm::stable_sort(parts, [](const CostPart *a, const CostPart *b) {
    return a->latency.central() > b->latency.central();
  });
  for (const CostPart *child : parts) {
    bool limits = child == parts.front();
    llvm::StringRef kind = partKindName(child->kind);
    bool saysKind =
        child->kind == PartKind::Launch || llvm::StringRef(child->label).startswith(kind);
    session.out << "       " << (limits ? "limited by " : "           ")
                << (saysKind ? "" : kind.str() + " ") << child->label << ": "
                << latencyText(child->latency * runs) << placeText(session.sources, child->location)
                << '\n';
  }
}

static void explainKernel(Session &session, const emit::KernelLine &line, const Uncertain &total,
                          size_t number) {
  const CostPart &part = *line.part;
  double share = total.central() > 0 ? line.latency.central() / total.central() : 0;
  session.out << fmt::format("  {}. {}", number, part.label)
              << (line.count > 1 ? fmt::format(", {} times", line.count) : std::string()) << ": "
              << latencyText(line.latency) << ", " << percent(share);
  if (!line.isRest())
    session.out << ", bound by " << (part.bound.empty() ? "nothing given" : part.bound);
  session.out << placeText(session.sources, part.location) << '\n';
  explainParts(session, part, static_cast<double>(line.count));
}

static void explainResult(Session &session, const emit::Result &result, llvm::StringRef mapping) {
  const Cost &cost = result.cost;
  session.out << result.label << placeText(session.sources, result.place) << '\n'
              << "  " << result.form->timeName << ' ' << latencyText(cost.latency) << ", by "
              << cost.provenance.provider;
  if (!cost.provenance.mapping.empty())
    session.out << " with mapping " << cost.provenance.mapping;
  session.out << '\n';
  if (!cost.provenance.formula.empty())
    session.out << "  formula " << cost.provenance.formula << '\n';
  for (const BoundTime &bound : cost.bounds)
    if (cost.latency.central() > 0)
      session.out << "  " << percent(bound.latency.central() / cost.latency.central())
                  << " of the time " << bound.resource << " limits\n";
  std::vector<emit::KernelLine> lines = emit::flatten(cost.breakdown);
  llvm::stable_sort(lines, [](const emit::KernelLine &a, const emit::KernelLine &b) {
    return a.latency.central() > b.latency.central();
  });
  size_t shown = session.isVerbose() ? lines.size() : std::min(chainLength, lines.size());
  for (size_t i = 0; i < shown; ++i)
    explainKernel(session, lines[i], cost.latency, i + 1);
  if (shown < lines.size())
    session.out << "  and " << lines.size() - shown << " shorter ones (-v shows them)\n";
  if (!cost.energy.isGiven())
    session.out << "  energy is not given by " << llvm::join(cost.energy.missing, ", ") << '\n';
  for (const std::string &note : cost.notes)
    session.out << "  note: " << note << '\n';
  session.out << mapping << '\n';
}

/// How memories use tensors again, of the results of that name or of all.
static void explainReuse(Session &session, const Arguments &arguments, Evaluation &evaluation,
                         FileId file, Compilation::Defines defines) {
  ReuseText text(session, arguments.value("reuse"), arguments.has("json"));
  evaluation.run(file, defines, [&](const Evaluated &evaluated) {
    auto isWanted = [&](const emit::Result *result) {
      return arguments.files().size() < 2 || result->name == arguments.files()[1];
    };
    if (llvm::any_of(evaluated.results, isWanted))
      text.print(evaluated.module);
  });
  text.finish(arguments.files().front());
}

bool driver::explain(Session &session, const Arguments &arguments) {
  std::string code;
  if (isCode(arguments.files().front(), code)) {
    explainCode(session, code);
    return true;
  }
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = loadProgramFile(session, arguments.files().front());
  if (!file || !readDefines(arguments, session.diagnostics, defines))
    return true;
  ProviderSet providers = defaultProviders();
  Evaluation evaluation(session.context(), providers);
  if (arguments.has("reuse")) {
    explainReuse(session, arguments, evaluation, file, defines);
    return true;
  }
  evaluation.run(file, defines, [](const Evaluated &) {});
  bool found = false, asJson = arguments.has("json");
  emit::Json results = emit::Json::array();
  for (const emit::Result &result : evaluation.results()) {
    if (arguments.files().size() > 1 && result.name != arguments.files()[1])
      continue;
    if (asJson)
      results.push(emit::resultJson(result, session.sources));
    else
      explainResult(session, result, evaluation.mappingText(result));
    found = true;
  }
  if (asJson) {
    emit::Json document = emit::Json::object();
    document.set("schema", 1).set("file", arguments.files().front());
    document.set("results", std::move(results)).print(session.out);
    session.out << '\n';
  }
  if (!found && arguments.files().size() > 1 && !session.diagnostics.hasErrors())
    session.diagnostics.report({}, diag::UnknownResult, arguments.files()[1])
        .help("`evaluate … as name` gives a result a name");
  return true;
}
