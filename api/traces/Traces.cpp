// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/traces/Traces.h"

#include "api/TypedResult.h"
#include "api/perfc/Program.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;

static constexpr TraceFormat readers[] = {
    {"chakra", ".et", traceName, /*isReplayed=*/true, readChakra},
    {"torch_trace", ".json", "calls", /*isReplayed=*/false, readTorchTrace},
};

llvm::ArrayRef<TraceFormat> api::traceReaders() { return readers; }

const TraceFormat *api::findTraceReader(llvm::StringRef name) {
  const TraceFormat *found =
      llvm::find_if(readers, [&](const TraceFormat &one) { return one.name == name; });
  return found == std::end(readers) ? nullptr : found;
}

std::vector<std::pair<std::string, std::string>> api::traceFormats() {
  std::vector<std::pair<std::string, std::string>> formats;
  for (const TraceFormat &one : readers)
    formats.emplace_back(one.name.str(), one.suffix.str());
  return formats;
}

Traces api::readTraces(const std::string &format, const std::vector<std::string> &files) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  Watcher watcher;
  Traces traces;
  if (const TraceFormat *reader = findTraceReader(format)) {
    traces.subject = reader->subject.str();
    traces.isReplayed = reader->isReplayed;
    if (!reader->read({sources, diagnostics, watcher}, files, {}, traces.declaration))
      traces.declaration.clear();
  } else {
    diagnostics.report({}, diag::UnknownImportFormat, format);
  }
  for (const Diagnostic &diagnostic : diagnostics.all())
    traces.problems.push_back(typedProblem(diagnostic, sources));
  llvm::raw_string_ostream stream(traces.text);
  printDiagnostics(stream, diagnostics, /*color=*/false);
  return traces;
}
