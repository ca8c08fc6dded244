// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/TraceProgram.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::chakra;

/// The last one of a type takes what has no word of its own.
static constexpr NodeWord nodeWords[] = {
    {"compute", NodeType::Compute},
    {"cpu", NodeType::Compute, -1, true},
    {"load", NodeType::MemLoad},
    {"store", NodeType::MemStore},
    {"send", NodeType::Send},
    {"receive", NodeType::Receive},
    {"all_reduce", NodeType::Collective, 0},
    {"reduce", NodeType::Collective, 1},
    {"all_gather", NodeType::Collective, 2},
    {"broadcast", NodeType::Collective, 5},
    {"all_to_all", NodeType::Collective, 6},
    {"reduce_scatter", NodeType::Collective, 7},
    {"collective", NodeType::Collective},
    {"metadata", NodeType::Metadata},
    {"invalid", NodeType::Invalid},
};

const NodeWord &chakra::wordOf(const Node &node) {
  const NodeWord *found = &llvm::makeArrayRef(nodeWords).back();
  for (const NodeWord &word : nodeWords) {
    bool isOther = word.commType >= 0 && word.commType != node.value(Field::CommType);
    bool isElsewhere = node.type == NodeType::Compute && word.onCpu != node.onCpu;
    if (word.type == node.type && !isOther && !isElsewhere)
      return word;
  }
  return *found;
}

/// The field that the bytes of a node of `type` are in.
static Field sizeField(NodeType type) {
  bool isMemory = type == NodeType::MemLoad || type == NodeType::MemStore;
  return isMemory ? Field::TensorSize : Field::CommSize;
}

ProgramNode chakra::programNode(const ir::Operation &op) {
  ProgramNode result;
  Node &node = result.node;
  const NodeWord *word = llvm::find_if(
      nodeWords, [&](const NodeWord &one) { return one.word == op.stringAttr("kind"); });
  node.type = word->type;
  node.onCpu = word->onCpu;
  node.id = static_cast<uint64_t>(op.intAttr("id"));
  node.durationMicros = static_cast<uint64_t>(op.intAttr("micros", 0));
  auto set = [&](Field field, int64_t value) {
    node.values[static_cast<unsigned>(field)] = value;
    node.states[static_cast<unsigned>(field)] = FieldState::Integer;
  };
  auto take = [&](llvm::StringRef attribute, Field field) {
    if (op.hasAttr(attribute))
      set(field, op.intAttr(attribute));
  };
  take("bytes", sizeField(node.type));
  take("operations", Field::NumOps);
  take("moves", Field::TensorSize);
  take("peer", node.type == NodeType::Send ? Field::CommDst : Field::CommSrc);
  if (node.type == NodeType::Send || node.type == NodeType::Receive)
    set(Field::CommTag, op.intAttr("tag", 0));
  if (node.type == NodeType::Collective)
    set(Field::CommType, word->commType >= 0 ? word->commType : op.intAttr("type"));
  result.group = op.intAttr("group", 0);
  if (op.hasAttr("after"))
    for (const ir::Attribute &id : op.listAttr("after"))
      result.after.push_back(static_cast<uint64_t>(id.asInt()));
  return result;
}

NodeRecord chakra::recordOf(const ProgramNode &program) {
  const Node &node = program.node;
  NodeRecord record;
  record.id = node.id;
  record.name = wordOf(node).word.str();
  record.type = node.type;
  record.dataDependencies = program.after;
  record.durationMicros = node.durationMicros;
  record.attributes = {RecordAttribute::boolean("is_cpu_op", node.onCpu)};
  for (unsigned i = 0; i < fieldCount; ++i) {
    auto field = static_cast<Field>(i);
    bool isShort = field == Field::CommTag || field == Field::CommSrc || field == Field::CommDst;
    std::string name = fieldName(field).str();
    if (node.state(field) == FieldState::Integer)
      record.attributes.push_back(
          isShort ? RecordAttribute::int32(name, static_cast<int32_t>(node.value(field)))
                  : RecordAttribute::int64(name, node.value(field)));
  }
  if (program.group)
    record.attributes.push_back(RecordAttribute::text("pg_name", std::to_string(program.group)));
  return record;
}

std::vector<uint32_t> chakra::ranksOf(const ir::Operation &op) {
  std::vector<uint32_t> ranks;
  for (const ir::Attribute &rank : op.listAttr("ranks"))
    ranks.push_back(static_cast<uint32_t>(rank.asInt()));
  return ranks;
}

/// The trace of the nodes of a collective.ranks.
static std::unique_ptr<Trace> traceOf(const ir::Operation &ranks, llvm::StringRef path) {
  auto trace = std::make_unique<Trace>();
  trace->path = path.str();
  std::map<int64_t, uint32_t> groups; // to indices of names
  for (const ir::Operation &op : ranks.body()) {
    ProgramNode program = programNode(op);
    if (program.group) {
      auto next = static_cast<uint32_t>(trace->groupNames.size());
      auto [entry, isNew] = groups.try_emplace(program.group, next);
      if (isNew)
        trace->groupNames.push_back(std::to_string(program.group));
      program.node.group = entry->second;
    }
    trace->add(program.node, program.after);
  }
  trace->link();
  return trace;
}

ProgramTraces chakra::programTraces(const ir::Operation &trace) {
  ProgramTraces result;
  for (const ir::Operation &part : trace.body()) {
    if (part.is("collective.group")) {
      for (const ir::Attribute &rank : part.listAttr("members"))
        result.groups[part.intAttr("number")].push_back(static_cast<uint32_t>(rank.asInt()));
      continue;
    }
    result.owned.push_back(traceOf(part, trace.symbol()));
    for (uint32_t rank : ranksOf(part)) {
      if (result.ranks.size() <= rank)
        result.ranks.resize(rank + 1);
      result.ranks[rank] = result.owned.back().get();
    }
  }
  return result;
}
