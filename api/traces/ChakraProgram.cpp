// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format chakra: traces, a file for each rank, as a `trace` with every node that simulators read:
// kinds, sizes, times, peers, groups and what waits for what. Ranks whose nodes are the same stand
// together. With `--simplify` without the nodes that stand between kernels in traces of PyTorch.
// One file is in memory at a time.
#include "api/astra/ClusterTexts.h"
#include "api/traces/ChakraFiles.h"
#include "backends/network/chakra/Simplify.h"
#include "backends/network/chakra/TraceProgram.h"
#include "ir/collective/TraceLimits.h"
#include "ir/common/diagnostics/Cluster.h"
#include <limits>
#include <map>

using namespace perfc;
using namespace perfc::api;
using chakra::Field;
using chakra::NodeType;

/// A program of more is of no use to anybody; the parser takes 2^20 words and signs.
static constexpr size_t mostWords = 1'000'000;

namespace {

/// Numbers of communicator groups: their own, or others where they have names.
class GroupNumbers {
public:
  int64_t of(const std::string &name);
  /// The name of group `number` as a comment, where it is not the number itself.
  std::string comment(int64_t number) const;

private:
  std::map<std::string, int64_t> numbers;
  std::map<int64_t, std::string> taken; ///< with their names
  static constexpr int64_t firstOfNames = 1'000'000;
};

/// The files so far, as text. Members of groups are those that are `given`; all groups have to be,
/// where any are.
class ProgramText {
public:
  explicit ProgramText(const astra::Groups *given) : given(given) {}

  /// False after a report.
  bool add(Context context, const chakra::Trace &trace, uint32_t rank);
  /// The declaration of the trace.
  std::string text() const;

private:
  struct Ranks {
    const std::string *nodes;
    std::string from; ///< the first file, and its schema
    std::vector<uint32_t> ranks;
  };

  bool refuse(Context context, const chakra::Trace &trace, uint32_t rank, const chakra::Node &node,
              const std::string &reason) const;

  const astra::Groups *given; ///< null where members are those that use a group
  GroupNumbers numbers;
  std::map<std::string, size_t> known; ///< by nodes
  std::vector<Ranks> all;
  std::map<int64_t, std::vector<uint32_t>> users;
  size_t words = 0;
};

} // namespace

int64_t GroupNumbers::of(const std::string &name) {
  auto [entry, isNew] = numbers.try_emplace(name, 0);
  if (!isNew)
    return entry->second;
  int64_t number = 0; // "01" is group 1, as simulators read it
  if (llvm::StringRef(name).getAsInteger(10, number) || number < 1)
    for (number = firstOfNames; taken.count(number);)
      ++number;
  taken.try_emplace(number, name);
  return entry->second = number;
}

std::string GroupNumbers::comment(int64_t number) const {
  std::string name = taken.find(number)->second;
  return name == std::to_string(number) ? "" : "  // " + inComment(name);
}

static std::string listText(llvm::ArrayRef<uint32_t> numbers) {
  std::string text;
  for (uint32_t number : numbers)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

/// "0..3, 6".
static std::string rangesText(llvm::ArrayRef<uint32_t> ranks) {
  std::string text;
  for (size_t first = 0, last; first < ranks.size(); first = last + 1) {
    for (last = first; last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1;)
      ++last;
    text += fmt::format("{}{}", first ? ", " : "", ranks[first]);
    if (last > first)
      text += fmt::format("..{}", ranks[last]);
  }
  return text;
}

/// The ids that each node waits for.
static std::vector<std::vector<uint64_t>> waitsOf(const chakra::Trace &trace) {
  std::vector<std::vector<uint64_t>> waits(trace.nodes.size());
  for (uint32_t node = 0; node < trace.nodes.size(); ++node)
    for (uint32_t child : trace.children(node))
      waits[child].push_back(trace.nodes[node].id);
  return waits;
}

/// The fields that a node of a type needs, and those that it may have.
static llvm::SmallVector<Field, 3> fieldsOf(NodeType type) {
  switch (type) {
  case NodeType::MemLoad:
  case NodeType::MemStore:
    return {Field::TensorSize};
  case NodeType::Send:
    return {Field::CommSize, Field::CommTag, Field::CommDst};
  case NodeType::Receive:
    return {Field::CommSize, Field::CommTag, Field::CommSrc};
  case NodeType::Collective:
    return {Field::CommType, Field::CommSize};
  case NodeType::Compute:
    return {Field::NumOps, Field::TensorSize};
  default:
    return {};
  }
}

/// Why no line of a program can be `node` of `rank`; empty where one can.
static std::string unsayable(const chakra::Node &node, uint32_t rank) {
  bool isCompute = node.type == NodeType::Compute;
  if (node.type == NodeType::Send || node.type == NodeType::Receive) {
    Field own = node.type == NodeType::Send ? Field::CommSrc : Field::CommDst;
    if (node.state(own) != chakra::FieldState::Absent && node.value(own) != rank)
      return fmt::format("{} is {}, not its own rank", chakra::fieldName(own), node.value(own));
  }
  for (Field field : fieldsOf(node.type)) {
    llvm::StringRef name = chakra::fieldName(field);
    if (node.state(field) == chakra::FieldState::WrongKind)
      return fmt::format("attribute `{}` is no integer", name);
    if (node.state(field) == chakra::FieldState::Absent && !isCompute)
      return fmt::format("it has no attribute `{}`", name);
    if (node.value(field) < 0)
      return fmt::format("attribute `{}` is negative", name);
  }
  if (node.value(Field::CommTag) > collective::mostTraceTag)
    return fmt::format("attribute `comm_tag` is {}, more than 31 bits hold",
                       node.value(Field::CommTag));
  for (Field peer : {Field::CommSrc, Field::CommDst})
    if (node.value(peer) >= collective::mostTraceRanks)
      return fmt::format("there is no rank {}", node.value(peer));
  if (node.durationMicros > uint64_t(collective::mostTraceMicros))
    return fmt::format("{} microseconds are too long", node.durationMicros);
  if (node.groupIsNoString)
    return "attribute `pg_name` is no text";
  bool canBeOnCpu = isCompute || node.type == NodeType::Receive; // of which it changes nothing
  if (node.onCpu && !canBeOnCpu && node.type > NodeType::Metadata)
    return "communication and memory accesses cannot be CPU operations";
  return node.id > uint64_t(std::numeric_limits<int64_t>::max()) ? "its id does not fit 63 bits"
                                                                 : "";
}

/// What stands behind the word, and the clauses that only some kinds of nodes have.
static std::string valuesText(const chakra::Node &node) {
  auto given = [&](Field field) { return node.state(field) == chakra::FieldState::Integer; };
  std::string time = node.durationMicros ? fmt::format(" time {}us", node.durationMicros) : "";
  switch (node.type) {
  case NodeType::MemLoad:
  case NodeType::MemStore:
    return fmt::format("{}B{}", node.value(Field::TensorSize), time);
  case NodeType::Send:
    return fmt::format("{}B to {} tag {}{}", node.value(Field::CommSize),
                       node.value(Field::CommDst), node.value(Field::CommTag), time);
  case NodeType::Receive:
    return fmt::format("{}B from {} tag {}{}", node.value(Field::CommSize),
                       node.value(Field::CommSrc), node.value(Field::CommTag), time);
  case NodeType::Collective: {
    bool hasWord = chakra::wordOf(node).commType >= 0;
    return fmt::format("{}B{}{}", node.value(Field::CommSize),
                       hasWord ? "" : fmt::format(" type {}", node.value(Field::CommType)), time);
  }
  default: {
    std::string text = fmt::format("{}us", node.durationMicros);
    if (given(Field::NumOps))
      text += fmt::format(" operations {}", node.value(Field::NumOps));
    if (given(Field::TensorSize))
      text += fmt::format(" moves {}B", node.value(Field::TensorSize));
    return text;
  }
  }
}

/// Words and signs as the parser counts them: a quantity is a number and its unit.
static size_t countWords(llvm::StringRef text) {
  size_t count = 0;
  for (size_t i = 1; i < text.size(); ++i)
    count += text[i] == ',' || text[i] == '\n' || (text[i] == ' ' && text[i - 1] != ' ');
  return count;
}

bool ProgramText::refuse(Context context, const chakra::Trace &trace, uint32_t rank,
                         const chakra::Node &node, const std::string &reason) const {
  context.diagnostics
      .report(recordPlace(context.sources, trace, node), diag::BadTraceNode,
              astra::nodePlace(trace, rank, node), reason)
      .help("`--summary` writes what the traces do in sum, and leaves such nodes as they are");
  return false;
}

bool ProgramText::add(Context context, const chakra::Trace &trace, uint32_t rank) {
  std::string text;
  std::vector<std::vector<uint64_t>> waits = waitsOf(trace);
  uint64_t next = 0;
  for (size_t i = 0; i < trace.nodes.size(); ++i) {
    const chakra::Node &node = trace.nodes[i];
    if (std::string reason = unsayable(node, rank); !reason.empty())
      return refuse(context, trace, rank, node, reason);
    text += fmt::format("    {} {}", chakra::wordOf(node).word, valuesText(node));
    if (node.group) {
      const std::string &name = trace.groupNames[node.group];
      int64_t group = numbers.of(name);
      if (given && !given->count(group))
        return refuse(context, trace, rank, node,
                      fmt::format("there is no communicator group {}", name));
      std::vector<uint32_t> &ranks = users[group];
      if (ranks.empty() || ranks.back() != rank)
        ranks.push_back(rank);
      text += fmt::format(" group {}", group);
    }
    if (node.id != next)
      text += fmt::format(" id {}", node.id);
    next = node.id + 1;
    for (uint64_t id : waits[i])
      text += fmt::format("{}{}", id == waits[i].front() ? " after " : ", ", id);
    text += '\n';
  }
  auto [entry, isNew] = known.try_emplace(std::move(text), all.size());
  if (isNew) {
    all.push_back({&entry->first,
                   fmt::format("{}, {}", fileComment(trace), counted(trace.nodes.size(), "node")),
                   {}});
    words += countWords(entry->first);
  }
  all[entry->second].ranks.push_back(rank);
  if (words <= mostWords)
    return true;
  context.diagnostics.report({}, diag::TraceTooLarge, mostWords)
      .help("`--summary` writes what they do in sum; `perfc run PREFIX --from chakra` runs them");
  return false;
}

std::string ProgramText::text() const {
  std::string text = fmt::format("trace {} {{\n", traceName.str());
  for (const auto &[group, ranks] : users) {
    text +=
        fmt::format("  group {} of {}{}\n", group,
                    listText(given ? given->find(group)->second : ranks), numbers.comment(group));
  }
  for (const Ranks &part : all)
    text += fmt::format("  // {}\n  rank {} {{\n{}  }}\n", part.from, rangesText(part.ranks),
                        *part.nodes);
  return text + "}\n";
}

/// The N of `PREFIX.N.et`; nothing for another name.
static llvm::Optional<uint32_t> rankNumber(llvm::StringRef path) {
  uint32_t number = 0;
  if (!path.consume_back(".et") || path.rsplit('.').second.getAsInteger(10, number))
    return llvm::None;
  return number;
}

std::vector<std::string> api::byRank(Context context, llvm::ArrayRef<std::string> files) {
  std::vector<std::string> sorted(files.size());
  bool isComplete = true;
  for (const std::string &file : files) {
    llvm::Optional<uint32_t> rank = rankNumber(file);
    isComplete &= rank && *rank < files.size() && sorted[*rank].empty();
    if (isComplete)
      sorted[*rank] = file;
  }
  if (isComplete)
    return sorted;
  for (size_t rank = 0; rank < files.size(); ++rank)
    if (llvm::Optional<uint32_t> named = rankNumber(files[rank]); named && *named != rank) {
      context.diagnostics.report(bytePlace(context.sources, files[rank], 0), diag::RankOfOtherName,
                                 files[rank], rank);
      break;
    }
  return files.vec();
}

/// The trace of `rank`, as it is or simplified; nothing after a report.
static llvm::Optional<chakra::Trace> readRank(Context context, const std::string &file,
                                              uint32_t rank, const TraceOptions &options) {
  llvm::Optional<chakra::Trace> trace = readTraceFile(context, file, rank, options.dropsMissing);
  if (!trace || !options.isSimple)
    return trace;
  if (std::vector<uint32_t> cycle = trace->cycle(); !cycle.empty()) {
    const chakra::Node &node = trace->nodes[cycle.front()];
    context.diagnostics.report(recordPlace(context.sources, *trace, node), diag::TraceCycle,
                               astra::nodePlace(*trace, rank, node),
                               "it waits for itself, through others or at once");
    return llvm::None;
  }
  return chakra::simplify(*trace);
}

bool api::readChakra(Context context, llvm::ArrayRef<std::string> files,
                     const TraceOptions &options, std::string &declaration) {
  std::vector<std::string> ordered = byRank(context, files);
  astra::Groups given;
  if (options.groups && !readGroupText(context.diagnostics, options.groups, files.size(), given))
    return false;
  ProgramText program(options.groups ? &given : nullptr);
  for (size_t rank = 0; rank < ordered.size(); ++rank) {
    auto trace = readRank(context, ordered[rank], static_cast<uint32_t>(rank), options);
    if (!trace || !program.add(context, *trace, static_cast<uint32_t>(rank)))
      return false;
  }
  declaration = program.text();
  return true;
}
