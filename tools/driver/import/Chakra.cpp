// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format chakra: traces, a file for each rank, as a workload of their collectives on a system of so
// many chips, with a summary of each file. Bytes become elements of one byte. Kernels, messages and
// collectives of groups are in the summary alone: `perfc run PREFIX --from chakra` runs them.
#include "backends/network/chakra/Simplify.h"
#include "ir/common/diagnostics/Cluster.h"
#include "tools/driver/astra/ClusterReader.h"
#include "tools/driver/import/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace perfc;
using namespace perfc::driver;
using chakra::NodeType;
using chakra::TraceSummary;
using chakra::TrafficKey;

static llvm::Optional<chakra::Trace> readFile(Session &session, const std::string &path) {
  auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    session.diagnostics.report({}, diag::CannotRead, path, buffer.getError().message());
    return llvm::None;
  }
  chakra::WireError error;
  auto trace = chakra::readTrace((*buffer)->getBuffer(), path, error);
  if (!trace)
    session.diagnostics.report({}, diag::BadTrace, path, error.offset, error.reason);
  return trace;
}

/// "all_reduce"; "" for what the language has no collective for.
static llvm::StringRef collectiveOf(const TrafficKey &key) {
  static constexpr std::pair<int64_t, llvm::StringLiteral> names[] = {
      {0, "all_reduce"}, {1, "reduce"},     {2, "all_gather"},
      {5, "broadcast"},  {6, "all_to_all"}, {7, "reduce_scatter"}};
  if (key.type == NodeType::Collective)
    for (const auto &[type, name] : names)
      if (type == key.commType)
        return name;
  return "";
}

static std::string trafficName(const TrafficKey &key) {
  if (key.type == NodeType::Send)
    return "sends";
  if (key.type == NodeType::Receive)
    return "receives";
  llvm::StringRef name = collectiveOf(key);
  return name.empty() ? fmt::format("collectives of type {}", key.commType) : name.str();
}

static std::string summaryText(const chakra::Trace &trace, const TraceSummary &summary) {
  std::string text = fmt::format("// {}: schema {}, {}\n//   {}, {} ms\n", trace.path,
                                 trace.version.empty() ? "not given" : trace.version,
                                 counted(summary.nodes, "node"), counted(summary.kernels, "kernel"),
                                 static_cast<double>(summary.kernelMicros) / 1e3);
  if (summary.cpuOperations)
    text += fmt::format("//   {}, {} ms\n", counted(summary.cpuOperations, "CPU operation"),
                        static_cast<double>(summary.cpuMicros) / 1e3);
  if (summary.memoryAccesses)
    text += fmt::format("//   {}\n", counted(summary.memoryAccesses, "memory access"));
  if (summary.others)
    text += fmt::format("//   {} that do nothing\n", counted(summary.others, "node"));
  for (const auto &[key, count] : summary.traffic)
    text += fmt::format("//   {} {} of {} B{}\n", count, trafficName(key), key.bytes,
                        key.group.empty() ? "" : " in group " + key.group);
  return text;
}

/// Elements of the larger buffer of a rank, one byte each; traces count a rank's part of an
/// all-gather.
static int64_t elementsOf(const TrafficKey &key, size_t ranks) {
  int64_t most = int64_t(1) << 53;
  int64_t size = std::max<int64_t>(1, std::min(key.bytes, most));
  auto all = static_cast<int64_t>(ranks);
  return collectiveOf(key) == "all_gather" && size < most / all ? size * all : size;
}

static std::string workloadText(const TraceSummary &summary, size_t ranks) {
  std::string text;
  size_t next = 0;
  for (const auto &[key, count] : summary.traffic) {
    llvm::StringRef name = collectiveOf(key);
    if (name.empty() || !key.group.empty() || key.bytes < 0)
      continue;
    text += fmt::format("  x{0} = tensor[{1}]\n  repeat {2} {{ x{0} = {3}(x{0}) }}\n", next,
                        elementsOf(key, ranks), count, name.str());
    ++next;
  }
  return text.empty() ? text
                      : fmt::format("\nworkload collectives -> x{} {{\n{}}}\n", next - 1, text);
}

bool driver::importChakra(Session &session, llvm::ArrayRef<std::string> files, std::string &text) {
  std::string summaries, workload;
  for (const std::string &path : files) {
    auto trace = readFile(session, path);
    if (!trace)
      return false;
    for (const chakra::MissingNode &edge : trace->missing) {
      session.diagnostics.report(
          {}, diag::MissingTraceNode,
          astra::nodePlace(*trace, static_cast<uint32_t>(&path - files.data()),
                           trace->nodes[edge.node]),
          fmt::format("it waits for node {}, which does not exist", edge.id));
      return false;
    }
    TraceSummary summary = chakra::summarize(*trace);
    summaries += summaryText(*trace, summary);
    if (&path == &files.front())
      workload = workloadText(summary, files.size());
  }
  text = summaries;
  if (workload.empty())
    return true;
  text +=
      fmt::format("import std.networks\n\nhardware npu {{\n  dtype int8\n  memory local {{\n    "
                  "off_chip\n  }}\n}}\n\nsystem cluster {{ all = {} * npu over nvswitch }}\n",
                  std::max<size_t>(2, files.size()));
  text += workload + "\nevaluate collectives on cluster\n";
  return true;
}
