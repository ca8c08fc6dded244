// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/OldSchema.h"

#include "llvm/ADT/StringMap.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::chakra;

/// Fields of a node that later schemas do not have.
static constexpr uint32_t firstOwnField = 11, lastOwnField = 20;

namespace {

/// The next record of a file; false at its end or after an error.
class Records {
public:
  Records(llvm::StringRef bytes, WireError &error) : file(bytes, 0), error(error) {}

  bool next(llvm::StringRef &record, uint64_t &offset) {
    uint64_t length = 0;
    if (file.atEnd() || !file.varint(length, error, 5))
      return false;
    offset = file.offset();
    return file.take(length, record, error, "a record");
  }

private:
  WireReader file;
  WireError &error;
};

class OldReader {
public:
  OldReader(Trace &trace, WireError &error) : trace(trace), error(error) {}

  bool readNode(llvm::StringRef record, uint64_t offset);

private:
  bool readField(Node &node, const WireField &field, uint64_t at);
  bool readParents(const WireField &field);
  bool setNumber(Node &node, const WireField &field, uint64_t at);
  void set(Node &node, Field field, uint64_t value) {
    node.values[static_cast<unsigned>(field)] = static_cast<int64_t>(value);
    node.states[static_cast<unsigned>(field)] = FieldState::Integer;
  }
  void setGroup(Node &node, uint64_t id);
  bool fail(uint64_t at, std::string reason) {
    error = {at, std::move(reason)};
    return false;
  }

  Trace &trace;
  WireError &error;
  std::vector<uint64_t> parents;
  llvm::StringMap<uint32_t> groups;
};

} // namespace

bool chakra::isOldSchema(llvm::StringRef bytes) {
  WireError ignored;
  Records records(bytes, ignored);
  llvm::StringRef record;
  uint64_t offset = 0;
  for (bool isFirst = true; records.next(record, offset); isFirst = false) {
    WireReader reader(record, offset);
    WireField field;
    for (bool isId = isFirst; !reader.atEnd(); isId = false) {
      if (!reader.next(field, ignored))
        return false;
      if (isId && (field.field != 1 || field.type != WireType::Varint))
        return false; // metadata begins with a text
      bool isOwn = field.field >= firstOwnField && field.field <= lastOwnField;
      if (isOwn && field.type == WireType::Varint)
        return true;
    }
  }
  return false;
}

bool OldReader::readParents(const WireField &field) {
  if (field.type == WireType::Varint) {
    parents.push_back(field.number);
    return true;
  }
  WireReader list(field.bytes, field.bytesAt);
  while (!list.atEnd()) {
    uint64_t id = 0;
    if (!list.varint(id, error))
      return false;
    parents.push_back(id);
  }
  return true;
}

void OldReader::setGroup(Node &node, uint64_t id) {
  if (id == 0)
    return;
  std::string name = std::to_string(id);
  auto [entry, isNew] = groups.try_emplace(name, trace.groupNames.size());
  if (isNew)
    trace.groupNames.push_back(name);
  node.group = entry->second;
}

/// A field from 5 on, all of which are numbers.
bool OldReader::setNumber(Node &node, const WireField &field, uint64_t at) {
  // INVALID, ALL_REDUCE, ALL_TO_ALL, ALL_GATHER, REDUCE_SCATTER as they are numbered now.
  static constexpr uint64_t collectives[] = {~0u, 0, 6, 2, 7};
  switch (field.field) {
  case 6:
    set(node, Field::TensorSize, field.number);
    return true;
  case 7:
    node.durationMicros = field.number;
    return true;
  case 12:
    set(node, Field::NumOps, field.number);
    return true;
  case 13:
    if (field.number >= std::size(collectives))
      return fail(at, fmt::format("there is no collective {} in schema 0.0.1", field.number));
    if (field.number != 0)
      set(node, Field::CommType, collectives[field.number]);
    return true;
  case 15:
    setGroup(node, field.number);
    return true;
  case 16:
    set(node, Field::CommSrc, field.number);
    return true;
  case 17:
    set(node, Field::CommDst, field.number);
    return true;
  case 18:
    set(node, Field::CommSize, field.number);
    return true;
  case 19:
    set(node, Field::CommTag, field.number);
    return true;
  default:
    return true; // where tensors lie, dimensions, priorities
  }
}

bool OldReader::readField(Node &node, const WireField &field, uint64_t at) {
  static constexpr uint64_t lastType = 6; // COMM_COLL_NODE
  bool isNumber = field.type == WireType::Varint;
  if (field.field == 4)
    return (isNumber || field.type == WireType::Bytes) ? readParents(field)
                                                       : fail(at, "parents are no list of ids");
  if (field.field == 2)
    return field.type == WireType::Bytes || fail(at, "the name of a node is no text");
  bool isList = field.field == 14 && field.type == WireType::Bytes;
  if (!isNumber)
    return isList || field.field > lastOwnField ||
           fail(at, fmt::format("field {} of a node is no number", field.field));
  if (field.field == 1)
    node.id = field.number;
  if (field.field == 3) {
    if (field.number > lastType)
      return fail(at, fmt::format("there is no node type {} in schema 0.0.1", field.number));
    // METADATA came in between later.
    node.type = static_cast<NodeType>(field.number == 0 ? 0 : field.number + 1);
  }
  return field.field < 5 || setNumber(node, field, at);
}

bool OldReader::readNode(llvm::StringRef record, uint64_t offset) {
  WireReader reader(record, offset);
  Node node;
  node.offset = offset;
  parents.clear();
  WireField field;
  while (!reader.atEnd()) {
    uint64_t at = reader.offset();
    if (!reader.next(field, error) || !readField(node, field, at))
      return false;
  }
  trace.add(node, parents);
  return true;
}

bool chakra::readOldTrace(llvm::StringRef bytes, Trace &trace, WireError &error) {
  trace.version = "0.0.1";
  error = {};
  OldReader reader(trace, error);
  Records records(bytes, error);
  llvm::StringRef record;
  uint64_t offset = 0;
  while (records.next(record, offset))
    if (!reader.readNode(record, offset))
      return false;
  return error.reason.empty();
}
