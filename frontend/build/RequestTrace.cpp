// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/RequestTrace.h"

#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/Serving.h"
#include <cmath>

using namespace perfc;

/// Tokens of a prompt or an answer at most.
static constexpr double mostTokensOfRequest = 1e7;

namespace {

class TraceReader {
public:
  TraceReader(LocatedCsv table, DiagnosticEngine &diagnostics)
      : table(std::move(table)), diagnostics(diagnostics) {}

  bool run(bool hasArrivals, bool hasLengths);
  RequestTrace trace;

private:
  using Column = llvm::Optional<size_t>;

  bool column(llvm::StringRef title, llvm::StringRef other, Column &into);
  bool arrivalIn(const CsvRow &row);
  bool tokensIn(const CsvRow &row, Column column, std::vector<int64_t> &into);
  const CsvCell *cell(const CsvRow &row, Column column);
  bool bad(SourceRange place, const std::string &what) {
    diagnostics.report(place, diag::BadRequestTrace, what);
    return false;
  }

  LocatedCsv table;
  DiagnosticEngine &diagnostics;
  Column arrival, prompt, answer;
};

} // namespace

bool TraceReader::column(llvm::StringRef title, llvm::StringRef other, Column &into) {
  into = table.column(title);
  if (!into)
    into = table.column(other);
  return into || bad(table.titleRow().place,
                     fmt::format("a list of requests needs a column `{}`", title.str()));
}

const CsvCell *TraceReader::cell(const CsvRow &row, Column column) {
  if (*column < row.cells.size())
    return &row.cells[*column];
  bad(row.place, "the line has too few cells");
  return nullptr;
}

bool TraceReader::arrivalIn(const CsvRow &row) {
  const CsvCell *written = cell(row, arrival);
  llvm::Optional<double> time =
      written ? realNumber(*written, "an arrival", diagnostics) : llvm::None;
  if (!time)
    return false;
  if (*time < 0)
    return bad(written->place, "an arrival is at least 0");
  if (!trace.arrivals.empty() && *time < trace.arrivals.back())
    return bad(written->place, "requests stand in the order of their arrivals");
  trace.arrivals.push_back(*time);
  return true;
}

bool TraceReader::tokensIn(const CsvRow &row, Column column, std::vector<int64_t> &into) {
  const CsvCell *written = cell(row, column);
  llvm::Optional<double> tokens =
      written ? realNumber(*written, "a number of tokens", diagnostics) : llvm::None;
  if (!tokens)
    return false;
  if (*tokens != std::floor(*tokens) || *tokens < 1 || *tokens > mostTokensOfRequest)
    return bad(written->place,
               fmt::format("tokens are a whole number from 1 to {:.0f}", mostTokensOfRequest));
  into.push_back(static_cast<int64_t>(*tokens));
  return true;
}

bool TraceReader::run(bool hasArrivals, bool hasLengths) {
  if (hasArrivals && !column("arrived_at", "arrival_s", arrival))
    return false;
  if (hasLengths && (!column("num_prefill_tokens", "prefill_tokens", prompt) ||
                     !column("num_decode_tokens", "decode_tokens", answer)))
    return false;
  for (const CsvRow &row : table.rows()) {
    if (hasArrivals && !arrivalIn(row))
      return false;
    if (hasLengths &&
        !(tokensIn(row, prompt, trace.prompts) && tokensIn(row, answer, trace.answers)))
      return false;
  }
  return !table.rows().empty() || bad(table.titleRow().place, "the file has no requests");
}

llvm::Optional<RequestTrace> perfc::readRequestTrace(const SourceManager &sources, FileId file,
                                                     bool hasArrivals, bool hasLengths,
                                                     DiagnosticEngine &diagnostics) {
  llvm::Optional<LocatedCsv> table = LocatedCsv::read(sources, file, diagnostics);
  if (!table)
    return llvm::None;
  TraceReader reader(std::move(*table), diagnostics);
  return reader.run(hasArrivals, hasLengths) ? llvm::Optional<RequestTrace>(std::move(reader.trace))
                                             : llvm::None;
}
