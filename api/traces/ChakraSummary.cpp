// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `import chakra --summary`: traces, a file for each rank, as workloads with a summary of each
// file. What the first rank does, its kernels, messages and collectives of the world, is one
// workload on a system of so many chips; what a communicator group does is one on a system of its
// members, alike groups together. Bytes become elements of one byte, a kernel as many operations as
// it takes nanoseconds. What depends on the order of nodes is in none of them: `perfc import
// chakra` without the option keeps that.
#include "api/traces/ChakraFiles.h"
#include "backends/network/astra/Simulation.h"
#include "backends/network/chakra/Simplify.h"
#include "frontend/import/names/ProgramNames.h"
#include "ir/common/diagnostics/Cluster.h"
#include "ir/common/diagnostics/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <set>

using namespace perfc;
using namespace perfc::api;
using chakra::NodeType;
using chakra::TraceSummary;
using chakra::TrafficKey;

SourceRange api::bytePlace(SourceManager &sources, const std::string &path, uint64_t offset) {
  auto byte = static_cast<uint32_t>(std::min<uint64_t>(offset, UINT32_MAX));
  return {sources.addBinary(path), byte, byte};
}

void api::reportBadTrace(Context context, const std::string &path, const WireError &error) {
  context.diagnostics.report(bytePlace(context.sources, path, error.offset), diag::BadTrace,
                             error.reason);
}

SourceRange api::recordPlace(SourceManager &sources, const chakra::Trace &trace,
                             const chakra::Node &node) {
  return bytePlace(sources, trace.path, node.offset);
}

void api::dropMissing(Context context, chakra::Trace &trace, uint32_t rank) {
  if (size_t count = trace.dropMissing())
    context.diagnostics.report({context.sources.addBinary(trace.path), 0, 0}, diag::TraceLosesWork,
                               fmt::format("rank {} ({})", rank, trace.path),
                               fmt::format("{} to nodes that do not exist {} left out",
                                           counted(count, "edge"), count == 1 ? "is" : "are"));
}

llvm::Optional<chakra::Trace> api::readTraceFile(Context context, const std::string &path,
                                                 uint32_t rank, bool dropsMissing) {
  std::string reason;
  std::unique_ptr<llvm::MemoryBuffer> bytes = readBytes(path, reason);
  if (!bytes) {
    context.diagnostics.report({}, diag::CannotRead, path, reason);
    return llvm::None;
  }
  FileId file = context.sources.addBinary(path); // what was read is not written to
  WireError error;
  auto trace = chakra::readTrace(bytes->getBuffer(), path, error);
  if (!trace) {
    reportBadTrace(context, path, error);
    return llvm::None;
  }
  for (const std::string &reason : astra::lostWork(*trace))
    context.diagnostics.report({file, 0, 0}, diag::TraceLosesWork,
                               fmt::format("rank {} ({})", rank, path), reason);
  if (dropsMissing)
    dropMissing(context, *trace, rank);
  for (const chakra::MissingNode &edge : trace->missing) {
    const chakra::Node &node = trace->nodes[edge.node];
    context.diagnostics.report(recordPlace(context.sources, *trace, node), diag::MissingTraceNode,
                               astra::nodePlace(*trace, rank, node),
                               fmt::format("it waits for node {}, which does not exist "
                                           "(`--drop-missing` leaves such edges out)",
                                           edge.id));
    return llvm::None;
  }
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

std::string api::inComment(llvm::StringRef text) {
  std::string result = text.str();
  std::replace_if(
      result.begin(), result.end(), [](char c) { return !llvm::isPrint(c); }, '?');
  return result;
}

std::string api::fileComment(const chakra::Trace &trace) {
  return fmt::format("{}: schema {}", inComment(trace.path),
                     trace.version.empty() ? "not given" : inComment(trace.version));
}

static std::string summaryText(const chakra::Trace &trace, const TraceSummary &summary) {
  std::string text = fmt::format("// {}, {}\n//   {}, {} ms\n", fileComment(trace),
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
                        key.group.empty() ? "" : " in group " + inComment(key.group));
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

/// More distinct times are one kernel of their sum.
static constexpr size_t mostKernels = 32;

/// A workload of a line for each kind of thing that is done, in a row.
class WorkloadText {
public:
  void add(uint64_t count, int64_t elements, llvm::StringRef what) {
    if (elements > 0)
      addLine("x" + std::to_string(next++), count, elements, what);
  }
  /// Kernels of so many us each: `kernel` makes a number of their elements.
  void addKernels(uint64_t count, uint64_t micros) {
    constexpr uint64_t most = uint64_t(1) << 43;
    if (micros == 0 || micros > most)
      return;
    addLine("k" + std::to_string(kernels++), count, static_cast<int64_t>(micros * 1000), "kernel");
  }
  bool empty() const { return lines.empty(); }
  std::string text(llvm::StringRef name) const {
    return fmt::format("workload {} -> {} {{\n{}}}\n", name, llvm::join(results, ", "), lines);
  }
  bool hasKernels() const { return kernels > 0; }

private:
  void addLine(std::string tensor, uint64_t count, int64_t elements, llvm::StringRef what) {
    lines += fmt::format("  {0} = tensor[{1}]\n  repeat {2} {{ {0} = {3}({0}) }}\n", tensor,
                         elements, count, what);
    results.push_back(std::move(tensor));
  }

  std::string lines;
  std::vector<std::string> results;
  size_t next = 0, kernels = 0;
};

/// What a rank does in group `group`, "" for the world with what it does alone.
static WorkloadText workloadOf(const TraceSummary &summary, llvm::StringRef group, size_t ranks) {
  WorkloadText workload;
  if (group.empty() && summary.kernelsByTime.size() > mostKernels)
    workload.addKernels(1, summary.kernelMicros);
  else if (group.empty())
    for (const auto &[micros, count] : summary.kernelsByTime)
      workload.addKernels(count, micros);
  for (const auto &[key, count] : summary.traffic) {
    bool isSend = key.type == NodeType::Send && group.empty();
    llvm::StringRef name = isSend ? "send" : collectiveOf(key);
    if (!name.empty() && key.group == group && key.bytes > 0)
      workload.add(count, elementsOf(key, ranks), name);
  }
  return workload;
}

/// The members of each group: the ranks whose traces have a collective of it.
using GroupMembers = std::map<std::string, std::vector<size_t>>;

/// A workload and its evaluation for each set of alike groups, named after the first one.
static std::string groupTexts(llvm::ArrayRef<TraceSummary> summaries, const GroupMembers &members) {
  std::map<std::string, std::vector<std::string>> alike;
  std::vector<std::string> order;
  for (const auto &[group, ranks] : members) {
    WorkloadText workload = workloadOf(summaries[ranks.front()], group, ranks.size());
    if (workload.empty() || ranks.size() < 2)
      continue;
    std::string key = fmt::format("{} {}", ranks.size(), workload.text(""));
    if (alike[key].empty())
      order.push_back(key);
    alike[key].push_back(group);
  }
  ProgramNames names;
  std::string text;
  for (const std::string &key : order) {
    const std::vector<std::string> &groups = alike[key];
    const std::vector<size_t> &ranks = members.find(groups.front())->second;
    std::string name = names.add("group_" + groups.front(), "group_");
    WorkloadText workload = workloadOf(summaries[ranks.front()], groups.front(), ranks.size());
    std::string note = groups.size() == 1 ? "group " : counted(groups.size(), "group") + ": ";
    for (size_t i = 0; i < groups.size() && i < 16; ++i)
      note += (i ? ", " : "") + inComment(groups[i]);
    text += fmt::format("\n// {}{}, {} each\n{}\nevaluate {} on {} * npu over nvswitch\n", note,
                        groups.size() > 16 ? ", …" : "", counted(ranks.size(), "rank"),
                        workload.text(name), name, ranks.size());
  }
  return text;
}

/// The chips, and what all of `summaries` do on them.
static std::string programText(llvm::ArrayRef<TraceSummary> summaries,
                               const GroupMembers &members) {
  WorkloadText first = workloadOf(summaries.front(), "", summaries.size());
  std::string groups = groupTexts(summaries, members);
  if (first.empty() && groups.empty())
    return "";
  std::string text =
      "import std.networks\n\n// What the first rank does, sorted: one thing after "
      "the other. `perfc run PREFIX --from chakra` follows\n// the order, overlap "
      "and dependencies of all ranks.\n// An operation takes 1 ns.\nhardware npu {\n  dtype "
      "int8\n  memory local {\n    off_chip\n  }\n  compute unit {\n    rate "
      "1GHz\n  }\n}\n\n";
  if (first.hasKernels())
    text += "op kernel(x[N]) -> y[N] {\n  y[n] = x[n] * x[n]\n}\n\n";
  if (!first.empty())
    text +=
        fmt::format("system cluster {{ all = {} * npu over nvswitch }}\n\n{}\nevaluate trace on "
                    "cluster\n",
                    std::max<size_t>(2, summaries.size()), first.text("trace"));
  return text + groups;
}

bool api::summarizeChakra(Context context, llvm::ArrayRef<std::string> files, bool dropsMissing,
                          std::string &text) {
  std::vector<TraceSummary> summaries;
  GroupMembers members;
  text.clear();
  for (const std::string &path : files) {
    auto trace =
        readTraceFile(context, path, static_cast<uint32_t>(summaries.size()), dropsMissing);
    if (!trace)
      return false;
    TraceSummary summary = chakra::summarize(*trace);
    text += summaryText(*trace, summary);
    std::set<std::string> groups;
    for (const auto &[key, count] : summary.traffic)
      if (key.type == NodeType::Collective && !key.group.empty())
        groups.insert(key.group);
    for (const std::string &group : groups)
      members[group].push_back(summaries.size());
    summaries.push_back(std::move(summary));
  }
  text += programText(summaries, members);
  return true;
}
