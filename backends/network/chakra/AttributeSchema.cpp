// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/AttributeSchema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::chakra;

namespace {

enum NodeField : uint32_t { Id = 1, Name = 2, Type = 3, Parent = 4, Attribute = 11 };

/// The values of an attribute begin behind its name, type and doc string.
constexpr uint32_t firstValue = 4;

/// The next record of a file; false at its end or after an error.
bool nextRecord(WireReader &file, llvm::StringRef &record, uint64_t &offset, WireError &error) {
  uint64_t length = 0;
  if (file.atEnd() || !file.varint(length, error, 5))
    return false;
  offset = file.offset();
  return file.take(length, record, error, "a record");
}

/// True for a record that begins with the id of a node; metadata begin with an attribute.
bool isNode(llvm::StringRef record) { return record.empty() || record.front() == '\x08'; }

class AttributeReader {
public:
  AttributeReader(Trace &trace, WireError &error) : trace(trace), error(error) {}

  bool readNode(llvm::StringRef record, uint64_t offset);
  /// Adds what was read, once the schema is known.
  void finish(bool hasMetadata);

private:
  bool readField(Node &node, const WireField &field, uint64_t at);
  bool readParents(const WireField &field);
  bool readAttribute(Node &node, const WireField &field);
  void setNumber(Node &node, llvm::StringRef name, uint64_t number);
  void setText(Node &node, llvm::StringRef name, llvm::StringRef text);
  void setGroup(Node &node, llvm::StringRef name);
  bool fail(uint64_t at, std::string reason) {
    error = {at, std::move(reason)};
    return false;
  }

  Trace &trace;
  WireError &error;
  std::vector<Node> nodes;
  std::vector<std::vector<uint64_t>> parents;
  std::vector<uint64_t> types; ///< as they stand in the file
  llvm::StringMap<uint32_t> groups;
};

} // namespace

bool chakra::isAttributeSchema(llvm::StringRef bytes) {
  WireError ignored;
  WireReader file(bytes, 0);
  llvm::StringRef record;
  uint64_t offset = 0;
  while (nextRecord(file, record, offset, ignored)) {
    WireReader reader(record, offset);
    WireField field;
    while (!reader.atEnd()) {
      if (!reader.next(field, ignored))
        return false;
      // An attribute begins with its name; in schema 0.0.4 metadata begin with a version and
      // attributes are field 10, which is a text without line ends here.
      bool startsMessage = field.type == WireType::Bytes && field.bytes.startswith("\n");
      if (isNode(record) && field.field == Attribute && startsMessage)
        return true;
      if (isNode(record) ? field.field == Attribute - 1 && startsMessage
                         : field.field == 1 && field.type == WireType::Bytes && !startsMessage)
        return false;
    }
  }
  return false;
}

bool AttributeReader::readParents(const WireField &field) {
  if (field.type == WireType::Varint) {
    parents.back().push_back(field.number);
    return true;
  }
  if (field.type != WireType::Bytes)
    return fail(field.bytesAt, "parents are no list of ids");
  WireReader list(field.bytes, field.bytesAt);
  while (!list.atEnd()) {
    uint64_t id = 0;
    if (!list.varint(id, error))
      return false;
    parents.back().push_back(id);
  }
  return true;
}

void AttributeReader::setGroup(Node &node, llvm::StringRef name) {
  node.group = 0;
  if (name.empty() || name == "0")
    return;
  auto [entry, isNew] = groups.try_emplace(name, trace.groupNames.size());
  if (isNew)
    trace.groupNames.push_back(name.str());
  node.group = entry->second;
}

void AttributeReader::setNumber(Node &node, llvm::StringRef name, uint64_t number) {
  if (name == "is_cpu_op" || name == "is_host_op")
    node.onCpu = number != 0;
  else if (name == "runtime" || name == "simulated_run_time")
    node.durationMicros = number;
  else if (name == "communicator_id" || name == "pg_name" || name == "comm_group")
    setGroup(node, std::to_string(number));
  for (unsigned index = 0; index < fieldCount; ++index)
    if (name == fieldName(static_cast<Field>(index))) {
      node.values[index] = static_cast<int64_t>(number);
      node.states[index] = FieldState::Integer;
    }
}

void AttributeReader::setText(Node &node, llvm::StringRef name, llvm::StringRef text) {
  if (name == "pg_name")
    setGroup(node, text);
  for (unsigned index = 0; index < fieldCount; ++index)
    if (name == fieldName(static_cast<Field>(index)))
      node.states[index] = FieldState::WrongKind;
}

bool AttributeReader::readAttribute(Node &node, const WireField &field) {
  if (field.type != WireType::Bytes)
    return fail(field.bytesAt, "an attribute is no message");
  WireReader reader(field.bytes, field.bytesAt);
  WireField part;
  llvm::StringRef name;
  while (!reader.atEnd()) {
    uint64_t at = reader.offset();
    if (!reader.next(part, error))
      return false;
    if (part.field == 1) {
      if (part.type != WireType::Bytes)
        return fail(at, "the name of an attribute is no text");
      name = part.bytes;
    } else if (part.field >= firstValue && part.type == WireType::Varint) {
      setNumber(node, name, part.number);
    } else if (part.field >= firstValue && part.type == WireType::Bytes) {
      setText(node, name, part.bytes);
    }
  }
  return true;
}

bool AttributeReader::readField(Node &node, const WireField &field, uint64_t at) {
  bool isNumber = field.type == WireType::Varint;
  switch (field.field) {
  case Id:
    node.id = field.number;
    return isNumber || fail(at, "the id of a node is no number");
  case Name:
    return field.type == WireType::Bytes || fail(at, "the name of a node is no text");
  case Type:
    if (!isNumber || field.number > static_cast<uint64_t>(NodeType::Collective))
      return fail(at, fmt::format("there is no node type {}", field.number));
    types.back() = field.number;
    return true;
  case Parent:
    return readParents(field);
  case Attribute:
    return readAttribute(node, field);
  default:
    return true; // inputs and outputs
  }
}

bool AttributeReader::readNode(llvm::StringRef record, uint64_t offset) {
  WireReader reader(record, offset);
  Node node;
  node.offset = offset;
  parents.emplace_back();
  types.push_back(0);
  WireField field;
  while (!reader.atEnd()) {
    uint64_t at = reader.offset();
    if (!reader.next(field, error) || !readField(node, field, at))
      return false;
  }
  // Collectives as they are numbered now.
  static constexpr int64_t collectives[] = {0, 6, 2, 7, 5};
  auto type = static_cast<unsigned>(Field::CommType);
  if (node.states[type] == FieldState::Integer) {
    if (node.values[type] < 0 || node.values[type] >= std::end(collectives) - collectives)
      return fail(offset, fmt::format("there is no collective {} in schemas 0.0.2 and 0.0.3",
                                      node.values[type]));
    node.values[type] = collectives[node.values[type]];
  }
  nodes.push_back(node);
  return true;
}

void AttributeReader::finish(bool hasMetadata) {
  // 0.0.2: what has the attributes of a collective or message is numbered one lower.
  bool isLower = false, isHigher = hasMetadata;
  for (size_t i = 0; i < nodes.size(); ++i) {
    bool isCollective = nodes[i].state(Field::CommType) != FieldState::Absent;
    bool isMessage = !isCollective && nodes[i].state(Field::CommSize) != FieldState::Absent;
    isHigher |= types[i] == 7 || (isMessage && types[i] == 6);
    isLower |= (isCollective && types[i] == 6) || (isMessage && types[i] == 4);
  }
  bool isOld = isLower && !isHigher;
  trace.version = isOld ? "0.0.2" : "0.0.3";
  for (size_t i = 0; i < nodes.size(); ++i) {
    uint64_t type = isOld && types[i] != 0 ? types[i] + 1 : types[i];
    nodes[i].type = static_cast<NodeType>(type);
    trace.add(nodes[i], parents[i]);
  }
}

bool chakra::readAttributeTrace(llvm::StringRef bytes, Trace &trace, WireError &error) {
  error = {};
  AttributeReader reader(trace, error);
  WireReader file(bytes, 0);
  llvm::StringRef record;
  uint64_t offset = 0;
  bool hasMetadata = false;
  for (bool isFirst = true; nextRecord(file, record, offset, error); isFirst = false) {
    bool isMetadata = isFirst && (record.empty() || !isNode(record));
    hasMetadata |= isMetadata;
    if (!isMetadata && !reader.readNode(record, offset))
      return false;
  }
  if (!error.reason.empty())
    return false;
  reader.finish(hasMetadata);
  return true;
}
