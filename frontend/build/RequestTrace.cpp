// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/RequestTrace.h"

#include "ir/common/diagnostics/Serving.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>

using namespace perfc;

/// Tokens of a prompt or an answer at most.
static constexpr double mostTokens = 1e7;

namespace {

class TraceReader {
public:
  TraceReader(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics)
      : text(sources.text(file)), file(file), diagnostics(diagnostics) {}

  llvm::Optional<RequestTrace> run(bool needsArrivals);

private:
  using Cells = llvm::SmallVector<llvm::StringRef, 8>;

  bool titles(llvm::StringRef line, bool needsArrivals);
  bool row(const Cells &cells, llvm::StringRef line);
  llvm::Optional<double> number(const Cells &cells, int column, llvm::StringRef line, double least);
  SourceRange rangeOf(llvm::StringRef part) const {
    auto begin = static_cast<uint32_t>(part.data() - text.data());
    return {file, begin, begin + static_cast<uint32_t>(part.size())};
  }
  void bad(llvm::StringRef part, std::string what) {
    diagnostics.report(rangeOf(part), diag::BadRequestTrace, std::move(what));
  }

  llvm::StringRef text;
  FileId file;
  DiagnosticEngine &diagnostics;
  int arrival = -1, prompt = -1, answer = -1;
  RequestTrace trace;
};

} // namespace

static llvm::SmallVector<llvm::StringRef, 8> split(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef, 8> cells;
  line.split(cells, ',');
  for (llvm::StringRef &cell : cells)
    cell = cell.trim();
  return cells;
}

bool TraceReader::titles(llvm::StringRef line, bool needsArrivals) {
  Cells cells = split(line);
  auto find = [&](llvm::StringRef one, llvm::StringRef two) {
    for (size_t i = 0; i < cells.size(); ++i)
      if (cells[i] == one || cells[i] == two)
        return static_cast<int>(i);
    return -1;
  };
  arrival = needsArrivals ? find("arrived_at", "arrival_s") : -1;
  prompt = find("num_prefill_tokens", "prefill_tokens");
  answer = find("num_decode_tokens", "decode_tokens");
  const char *missing = needsArrivals && arrival < 0 ? "arrived_at"
                        : prompt < 0                 ? "num_prefill_tokens"
                        : answer < 0                 ? "num_decode_tokens"
                                                     : nullptr;
  if (missing)
    bad(line, fmt::format("a list of requests needs a column `{}`", missing));
  return !missing;
}

llvm::Optional<double> TraceReader::number(const Cells &cells, int column, llvm::StringRef line,
                                           double least) {
  double value = 0;
  bool has = column < static_cast<int>(cells.size());
  llvm::StringRef cell = has ? cells[column] : line;
  if (has && !cell.getAsDouble(value) && std::isfinite(value) && value >= least)
    return value;
  bad(cell, has ? fmt::format("`{}` is no number of at least {}", cell.str(), least)
                : "the line has too few cells");
  return llvm::None;
}

bool TraceReader::row(const Cells &cells, llvm::StringRef line) {
  if (arrival >= 0) {
    auto time = number(cells, arrival, line, 0);
    if (!time)
      return false;
    if (!trace.arrivals.empty() && *time < trace.arrivals.back()) {
      bad(cells[arrival], "requests stand in the order of their arrivals");
      return false;
    }
    trace.arrivals.push_back(*time);
  }
  for (auto [column, into] : {std::make_pair(prompt, &trace.prompts), {answer, &trace.answers}}) {
    auto tokens = number(cells, column, line, 1);
    if (!tokens)
      return false;
    if (*tokens != std::floor(*tokens) || *tokens > mostTokens) {
      bad(cells[column], fmt::format("tokens are a whole number of at most {:.0f}", mostTokens));
      return false;
    }
    into->push_back(static_cast<int64_t>(*tokens));
  }
  return true;
}

llvm::Optional<RequestTrace> TraceReader::run(bool needsArrivals) {
  bool hasTitles = false;
  for (llvm::StringRef rest = text; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    line = line.rtrim("\r");
    if (line.trim().empty())
      continue;
    if (!hasTitles) {
      if (!titles(line, needsArrivals))
        return llvm::None;
      hasTitles = true;
    } else if (!row(split(line), line)) {
      return llvm::None;
    }
  }
  if (!trace.prompts.empty())
    return std::move(trace);
  bad(text.take_front(0), "the file has no requests");
  return llvm::None;
}

llvm::Optional<RequestTrace> perfc::readRequestTrace(const SourceManager &sources, FileId file,
                                                     bool needsArrivals,
                                                     DiagnosticEngine &diagnostics) {
  return TraceReader(sources, file, diagnostics).run(needsArrivals);
}
