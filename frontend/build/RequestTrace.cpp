// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/RequestTrace.h"

#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/Serving.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <cstdio>

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

  bool column(llvm::ArrayRef<llvm::StringRef> titles, Column &into);
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
  double firstDate = 0; ///< s
};

/// Lines of JSON.
class JsonTrace {
public:
  JsonTrace(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics)
      : text(sources.text(file)), file(file), diagnostics(diagnostics) {}

  bool run(bool hasArrivals, bool hasLengths);
  RequestTrace trace;

private:
  bool line(llvm::StringRef written, bool hasArrivals, bool hasLengths);
  bool tokens(const llvm::json::Object &object, llvm::StringRef key, std::vector<int64_t> &into);
  bool pieces(const llvm::json::Object &object);
  bool bad(const std::string &what) {
    diagnostics.report(place, diag::BadRequestTrace, what);
    return false;
  }

  llvm::StringRef text;
  FileId file;
  DiagnosticEngine &diagnostics;
  SourceRange place; ///< of the line at hand
};

} // namespace

/// The first of `titles` that the table has.
bool TraceReader::column(llvm::ArrayRef<llvm::StringRef> titles, Column &into) {
  for (llvm::StringRef title : titles)
    if (!into)
      into = table.column(title);
  if (into)
    return true;
  const CsvRow &row = table.titleRow();
  Diagnostic &error = diagnostics.report(
      row.place, diag::BadRequestTrace,
      fmt::format("a list of requests needs a column `{}`", titles.front().str()));
  if (row.cells.size() == 1)
    error.help("cells stand between commas");
  else
    error.help(fmt::format("it may also be called `{}`",
                           fmt::join(titles.drop_front().begin(), titles.end(), "`, `")));
  return false;
}

/// Seconds by which the times of a zone are later than those of Greenwich: of "", "Z", "+02:00" or
/// "-0530"; nothing for another text.
static llvm::Optional<double> zoneSeconds(llvm::StringRef zone) {
  if (zone.empty() || zone == "Z")
    return 0;
  double sign = zone.consume_front("-") ? -1 : zone.consume_front("+") ? 1 : 0;
  unsigned hours = 0, minutes = 0;
  bool hasHours = !zone.take_front(2).getAsInteger(10, hours);
  llvm::StringRef rest = zone.drop_front(std::min<size_t>(2, zone.size()));
  rest.consume_front(":");
  bool hasMinutes = rest.empty() || (rest.size() == 2 && !rest.getAsInteger(10, minutes));
  if (sign == 0 || !hasHours || !hasMinutes || hours > 23 || minutes > 59)
    return llvm::None;
  return sign * (hours * 3600.0 + minutes * 60.0);
}

/// Seconds of "2023-11-16 18:15:46.6805900" at Greenwich since the year 0, by the Gregorian
/// calendar; nothing for another text.
static llvm::Optional<double> dateSeconds(llvm::StringRef text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, used = 0;
  double second = 0;
  std::string copy = text.str();
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2d%*[ T]%2d:%2d:%lf%n", &year, &month, &day, &hour,
                  &minute, &second, &used) != 6 ||
      used < 19)
    return llvm::None;
  auto zone = zoneSeconds(llvm::StringRef(copy).drop_front(static_cast<size_t>(used)));
  bool isFine = zone && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour >= 0 &&
                hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 61;
  if (!isFine)
    return llvm::None;
  year -= month <= 2; // years from March on, so that the leap day is their last
  int64_t days = 365LL * year + year / 4 - year / 100 + year / 400 +
                 (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day;
  return static_cast<double>(days * 86400 + hour * 3600 + minute * 60) + second - *zone;
}

const CsvCell *TraceReader::cell(const CsvRow &row, Column column) {
  if (*column < row.cells.size())
    return &row.cells[*column];
  bad(row.place, "the line has too few cells");
  return nullptr;
}

bool TraceReader::arrivalIn(const CsvRow &row) {
  const CsvCell *written = cell(row, arrival);
  llvm::Optional<double> time;
  if (written && written->text.find(':') != std::string::npos) {
    time = dateSeconds(written->text);
    if (!time)
      return bad(written->place, "an arrival is a number of seconds or a date and time");
    if (trace.arrivals.empty())
      firstDate = *time;
    *time -= firstDate;
  } else if (written) {
    time = realNumber(*written, "an arrival", diagnostics);
  }
  if (!time)
    return false;
  if (!trace.arrivals.empty() && *time < trace.arrivals.back())
    return bad(written->place, "requests stand in the order of their arrivals");
  if (*time < 0)
    return bad(written->place, "an arrival is at least 0");
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
    return bad(written->place, fmt::format("tokens are a whole number from 1 to {:.0f}, not `{}`",
                                           mostTokensOfRequest, written->text));
  into.push_back(static_cast<int64_t>(*tokens));
  return true;
}

bool TraceReader::run(bool hasArrivals, bool hasLengths) {
  if (hasArrivals &&
      !column({"arrived_at", "arrival_s", "arrival_time", "Timestamp", "TIMESTAMP", "timestamp"},
              arrival))
    return false;
  if (hasLengths &&
      (!column({"num_prefill_tokens", "prefill_tokens", "ContextTokens", "Request tokens",
                "prompt_tokens", "input_tokens", "input_length"},
               prompt) ||
       !column({"num_decode_tokens", "decode_tokens", "GeneratedTokens", "Response tokens",
                "output_tokens", "completion_tokens", "output_length"},
               answer)))
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

bool JsonTrace::tokens(const llvm::json::Object &object, llvm::StringRef key,
                       std::vector<int64_t> &into) {
  auto value = object.getInteger(key);
  if (!value || *value < 1 || static_cast<double>(*value) > mostTokensOfRequest)
    return bad(fmt::format("`{}` is a whole number of tokens from 1 to {:.0f}", key.str(),
                           mostTokensOfRequest));
  into.push_back(*value);
  return true;
}

bool JsonTrace::pieces(const llvm::json::Object &object) {
  const llvm::json::Array *ids = object.getArray("hash_ids");
  if (!ids)
    return trace.pieceCounts.empty() || bad("the lines before have `hash_ids`");
  if (trace.pieceCounts.size() + 1 != trace.prompts.size())
    return bad("the lines before have no `hash_ids`");
  auto needed = static_cast<size_t>((trace.prompts.back() + 511) / 512);
  if (ids->size() != needed)
    return bad(fmt::format("{} tokens are {} of 512, not {}", trace.prompts.back(),
                           counted(needed, "piece"), ids->size()));
  for (const llvm::json::Value &id : *ids) {
    auto number = id.getAsInteger();
    if (!number || *number < 0)
      return bad("`hash_ids` are whole numbers from 0");
    trace.pieces.push_back(*number);
  }
  trace.pieceCounts.push_back(static_cast<int64_t>(ids->size()));
  return true;
}

bool JsonTrace::line(llvm::StringRef written, bool hasArrivals, bool hasLengths) {
  auto value = llvm::json::parse(written);
  if (!value) {
    llvm::consumeError(value.takeError());
    return bad("the line is no JSON");
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return bad("a line is an object with `timestamp`, `input_length` and `output_length`");
  if (hasArrivals) {
    auto time = object->getNumber("timestamp");
    if (!time || !(*time >= 0))
      return bad("`timestamp` is a time from 0, in ms");
    if (!trace.arrivals.empty() && *time * 1e-3 < trace.arrivals.back())
      return bad("requests stand in the order of their arrivals");
    trace.arrivals.push_back(*time * 1e-3);
  }
  return !hasLengths || (tokens(*object, "input_length", trace.prompts) &&
                         tokens(*object, "output_length", trace.answers) && pieces(*object));
}

bool JsonTrace::run(bool hasArrivals, bool hasLengths) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(text.find('\n', begin), text.size());
    llvm::StringRef written = text.slice(begin, end);
    place = {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    if (!written.trim().empty() && !line(written, hasArrivals, hasLengths))
      return false;
    begin = end + 1;
  }
  place = {file, 0, 0};
  return !trace.arrivals.empty() || !trace.prompts.empty() || bad("the file has no requests");
}

llvm::Optional<RequestTrace> perfc::readRequestTrace(const SourceManager &sources, FileId file,
                                                     bool hasArrivals, bool hasLengths,
                                                     DiagnosticEngine &diagnostics) {
  if (llvm::StringRef(sources.path(file)).endswith(".jsonl")) {
    JsonTrace reader(sources, file, diagnostics);
    return reader.run(hasArrivals, hasLengths)
               ? llvm::Optional<RequestTrace>(std::move(reader.trace))
               : llvm::None;
  }
  llvm::Optional<LocatedCsv> table = LocatedCsv::read(sources, file, diagnostics);
  if (!table)
    return llvm::None;
  TraceReader reader(std::move(*table), diagnostics);
  return reader.run(hasArrivals, hasLengths) ? llvm::Optional<RequestTrace>(std::move(reader.trace))
                                             : llvm::None;
}
