// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/Records.h"

#include "ir/common/WireWriter.h"

using namespace perfc;
using namespace perfc::chakra;

//===-- Attributes
//------------------------------------------------------------------------------===//

RecordAttribute RecordAttribute::int64(std::string name, int64_t value) {
  return {std::move(name), "", 9, WireType::Varint, static_cast<uint64_t>(value), ""};
}
RecordAttribute RecordAttribute::int32(std::string name, int32_t value) {
  return {std::move(name),
          "",
          7,
          WireType::Varint,
          static_cast<uint64_t>(static_cast<int64_t>(value)),
          ""};
}
RecordAttribute RecordAttribute::boolean(std::string name, bool value) {
  return {std::move(name), "", 27, WireType::Varint, value, ""};
}
RecordAttribute RecordAttribute::text(std::string name, std::string value) {
  return {std::move(name), "", 29, WireType::Bytes, 0, std::move(value)};
}

//===-- Writing
//---------------------------------------------------------------------------------===//

/// The member that is set is written even when it is 0.
static void appendAttribute(WireWriter &out, uint32_t field, const RecordAttribute &attribute) {
  WireWriter message;
  message.text(1, attribute.name);
  message.text(2, attribute.doc);
  if (attribute.member != 0 && attribute.type == WireType::Bytes)
    message.bytes(attribute.member, attribute.bytes);
  else if (attribute.member != 0) {
    message.key(attribute.member, attribute.type);
    if (attribute.type == WireType::Varint)
      message.varint(attribute.number);
    else
      message.fixed(attribute.number, attribute.type == WireType::Fixed64 ? 8 : 4);
  }
  out.message(field, message);
}

void chakra::appendRecord(std::string &bytes, llvm::StringRef message, llvm::StringRef tail) {
  uint64_t length = message.size() + tail.size();
  for (; length >= 0x80; length >>= 7)
    bytes += static_cast<char>(length | 0x80);
  bytes += static_cast<char>(length);
  bytes.append(message.data(), message.size());
  bytes.append(tail.data(), tail.size());
}

static std::string framed(const std::string &message) {
  std::string record;
  chakra::appendRecord(record, message, "");
  return record;
}

std::string chakra::attributeBytes(const RecordAttribute &attribute) {
  WireWriter message;
  appendAttribute(message, 10, attribute);
  return std::move(message.out);
}

std::string chakra::metadataBytes(const MetadataRecord &metadata) {
  WireWriter message;
  message.text(1, metadata.version);
  for (const RecordAttribute &attribute : metadata.attributes)
    appendAttribute(message, 2, attribute);
  return framed(message.out);
}

std::string chakra::nodeBytes(const NodeRecord &node) { return framed(nodeMessage(node)); }

std::string chakra::nodeMessage(const NodeRecord &node) {
  WireWriter message;
  message.number(1, node.id);
  message.text(2, node.name);
  message.number(3, static_cast<uint64_t>(node.type));
  message.list<uint64_t>(4, node.controlDependencies);
  message.list<uint64_t>(5, node.dataDependencies);
  message.number(6, node.startMicros);
  message.number(7, node.durationMicros);
  if (node.inputs)
    message.bytes(8, *node.inputs);
  if (node.outputs)
    message.bytes(9, *node.outputs);
  for (const RecordAttribute &attribute : node.attributes)
    appendAttribute(message, 10, attribute);
  return std::move(message.out);
}

std::string chakra::traceBytes(const TraceRecords &records) {
  std::string bytes = metadataBytes(records.metadata);
  for (const NodeRecord &node : records.nodes)
    bytes += nodeBytes(node);
  return bytes;
}

//===-- Reading
//---------------------------------------------------------------------------------===//

static bool fail(WireError &error, uint64_t at, const char *reason) {
  error = {at, reason};
  return false;
}

static bool readAttribute(const WireField &field, RecordAttribute &attribute, WireError &error) {
  if (field.type != WireType::Bytes)
    return fail(error, field.bytesAt, "an attribute is no message");
  WireReader reader(field.bytes, field.bytesAt);
  WireField part;
  while (!reader.atEnd()) {
    uint64_t at = reader.offset();
    if (!reader.next(part, error))
      return false;
    if (part.field <= 2 && part.type != WireType::Bytes)
      return fail(error, at, "the name of an attribute is no text");
    if (part.field == 1)
      attribute.name = part.bytes.str();
    else if (part.field == 2)
      attribute.doc = part.bytes.str();
    else {
      attribute.member = part.field;
      attribute.type = part.type;
      attribute.number = part.number;
      attribute.bytes = part.bytes.str();
    }
  }
  return true;
}

static bool readIds(const WireField &field, std::vector<uint64_t> &ids, WireError &error) {
  if (field.type == WireType::Varint) {
    ids.push_back(field.number);
    return true;
  }
  WireReader list(field.bytes, field.bytesAt);
  uint64_t id = 0;
  while (!list.atEnd()) {
    if (!list.varint(id, error))
      return false;
    ids.push_back(id);
  }
  return true;
}

static bool readField(const WireField &field, NodeRecord &node, WireError &error) {
  switch (field.field) {
  case 1:
    node.id = field.number;
    return true;
  case 2:
    node.name = field.bytes.str();
    return true;
  case 3:
    if (field.number > static_cast<uint64_t>(NodeType::Collective))
      return fail(error, field.bytesAt, "there is no such node type");
    node.type = static_cast<NodeType>(field.number);
    return true;
  case 4:
    return readIds(field, node.controlDependencies, error);
  case 5:
    return readIds(field, node.dataDependencies, error);
  case 6:
    node.startMicros = field.number;
    return true;
  case 7:
    node.durationMicros = field.number;
    return true;
  case 8:
    node.inputs = field.bytes.str();
    return true;
  case 9:
    node.outputs = field.bytes.str();
    return true;
  case 10:
    node.attributes.emplace_back();
    return readAttribute(field, node.attributes.back(), error);
  default:
    return fail(error, field.bytesAt, "the schema has no such field");
  }
}

static bool readNode(llvm::StringRef record, uint64_t offset, NodeRecord &node, WireError &error) {
  WireReader reader(record, offset);
  WireField field;
  while (!reader.atEnd())
    if (!reader.next(field, error) || !readField(field, node, error))
      return false;
  return true;
}

static bool readMetadata(llvm::StringRef record, uint64_t offset, MetadataRecord &metadata,
                         WireError &error) {
  metadata.version.clear();
  WireReader reader(record, offset);
  WireField field;
  while (!reader.atEnd()) {
    uint64_t at = reader.offset();
    if (!reader.next(field, error))
      return false;
    if (field.type != WireType::Bytes || field.field > 2)
      return fail(error, at, "the metadata hold a version and attributes");
    if (field.field == 1)
      metadata.version = field.bytes.str();
    else if (metadata.attributes.emplace_back();
             !readAttribute(field, metadata.attributes.back(), error))
      return false;
  }
  return true;
}

llvm::Optional<TraceRecords> chakra::readRecords(llvm::StringRef bytes, WireError &error) {
  TraceRecords records;
  WireReader file(bytes, 0);
  for (bool isFirst = true; isFirst || !file.atEnd(); isFirst = false) {
    uint64_t length = 0;
    llvm::StringRef message;
    if (!file.varint(length, error, 5))
      return llvm::None;
    uint64_t at = file.offset();
    if (!file.take(length, message, error, "a record"))
      return llvm::None;
    if (isFirst
            ? !readMetadata(message, at, records.metadata, error)
            : (records.nodes.emplace_back(), !readNode(message, at, records.nodes.back(), error)))
      return llvm::None;
  }
  return records;
}
