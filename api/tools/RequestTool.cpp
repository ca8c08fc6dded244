// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/tools/RequestTool.h"

#include "api/tools/ToolRun.h"
#include "backends/serving/Serving.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Maestro.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;
using serving::Request;

namespace {

/// Reads the table that a tool writes of requests: a line each, under titles.
class RequestTable {
public:
  RequestTable(const RequestColumns &columns, std::vector<Request> &requests)
      : titles{columns.id, columns.queueDelay, columns.firstToken, columns.latency,
               columns.restarts},
        requests(requests) {}

  /// Why it cannot be read, or "".
  std::string read(llvm::StringRef text);

private:
  std::string readTitles(llvm::StringRef line);
  std::string readLine(llvm::StringRef line, unsigned number);

  static constexpr size_t columnCount = 5;
  llvm::StringRef titles[columnCount];
  std::vector<Request> &requests;
  size_t places[columnCount] = {};
  size_t known = 0;
};

} // namespace

std::string RequestTable::readTitles(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef, 32> cells;
  line.split(cells, ',');
  for (size_t i = 0; i < columnCount; ++i) {
    auto found =
        llvm::find_if(cells, [&](llvm::StringRef each) { return each.trim() == titles[i]; });
    if (found == cells.end())
      return "its table of requests has no column `" + titles[i].str() + "`";
    places[i] = static_cast<size_t>(found - cells.begin());
  }
  return "";
}

std::string RequestTable::readLine(llvm::StringRef line, unsigned number) {
  llvm::SmallVector<llvm::StringRef, 32> cells;
  line.split(cells, ',');
  constexpr double most = 1e15; // of counts and seconds, exact in whole numbers
  double values[columnCount] = {};
  for (size_t i = 0; i < columnCount; ++i)
    if (places[i] >= cells.size() || cells[places[i]].trim().getAsDouble(values[i]) ||
        !(values[i] >= 0 && values[i] < most))
      return fmt::format("line {} of its table of requests has no number for `{}`", number,
                         titles[i].str());
  auto [id, delay, first, latency, restarts] = values;
  if (!(id < static_cast<double>(requests.size())) || id != std::floor(id))
    return fmt::format("line {} of its table is of a request that it was not given", number);
  Request &request = requests[static_cast<size_t>(id)];
  if (request.done >= 0)
    return fmt::format("its table has two lines of request {}", id);
  if (delay > first || first > latency)
    return fmt::format("its times of request {} are in no order", id);
  request.scheduled = request.arrival + delay;
  request.first = request.arrival + first;
  request.done = request.arrival + latency;
  request.restarts = static_cast<int64_t>(restarts);
  ++known;
  return "";
}

std::string RequestTable::read(llvm::StringRef text) {
  auto [titles, rest] = text.split('\n');
  std::string problem = readTitles(titles);
  for (unsigned number = 2; problem.empty() && !rest.empty(); ++number) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (!line.trim().empty())
      problem = readLine(line, number);
  }
  if (problem.empty() && known < requests.size())
    return fmt::format("it tells of {} of {} requests", known, requests.size());
  return problem;
}

/// The text of the first file of that name in `folder` or below it.
static std::unique_ptr<llvm::MemoryBuffer> findFile(llvm::StringRef folder, llvm::StringRef name) {
  std::error_code error;
  std::vector<std::string> found;
  for (llvm::sys::fs::recursive_directory_iterator at(folder, error), end; at != end && !error;
       at.increment(error))
    if (llvm::sys::path::filename(at->path()) == name)
      found.push_back(at->path());
  if (found.empty())
    return nullptr;
  auto text = llvm::MemoryBuffer::getFile(*std::min_element(found.begin(), found.end()));
  return text ? std::move(*text) : nullptr;
}

llvm::Optional<Outcome> api::serveByTool(const Tool &tool, const ir::Module &module,
                                         study::ServeOp serve, ProviderSet &providers,
                                         DiagnosticEngine &diagnostics) {
  if (serve.arrivals().isRateOpen()) {
    diagnostics.report(serve->range(), diag::DataflowNotAccepted, tool.info->name,
                       "a rate of arrivals that is searched for");
    return llvm::None;
  }
  serving::Serving served(module, serve, providers, diagnostics);
  if (!served.prepare())
    return llvm::None;
  auto tell = [&](const serving::ServedModel &model, std::vector<Request> &requests) {
    auto input = tool.info->serve({module, serve, model, requests, tool.dataFolder()}, diagnostics);
    if (!input)
      return false;
    std::string unread;
    std::string problem = askTool(tool, *input, [&](llvm::StringRef folder) {
      auto text = findFile(folder, tool.info->requests.file);
      unread = text ? RequestTable(tool.info->requests, requests).read(text->getBuffer())
                    : "it wrote no " + tool.info->requests.file.str();
    });
    if (problem.empty())
      problem = unread;
    if (!problem.empty())
      diagnostics.report(serve->range(), diag::ToolFailed, tool.info->name, input->label, problem);
    return problem.empty();
  };
  return served.runBy("tool " + tool.info->name.str(), tell);
}
