// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/TraceReader.h"

#include "backends/network/chakra/AttributeSchema.h"
#include "backends/network/chakra/OldSchema.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"
#include <fmt/format.h>
#include <limits>

using namespace perfc;
using namespace perfc::chakra;

namespace {

/// An attribute: its name, and the member of its value that is set.
struct RawAttribute {
  llvm::StringRef name;
  WireField value;
  bool hasValue = false;
};

class Reader {
public:
  Reader(Trace &trace, WireError &error) : trace(trace), error(error) {}

  bool readMetadata(llvm::StringRef record, uint64_t offset);
  bool readNode(llvm::StringRef record, uint64_t offset);

private:
  bool readNodeField(Node &node, const WireField &field, uint64_t at);
  bool readDependencies(const WireField &field, uint64_t at);
  bool readAttribute(Node &node, const WireField &field);
  bool setAttribute(Node &node, const RawAttribute &attribute);
  bool readString(const WireField &field, uint64_t at, llvm::StringRef what);
  bool fail(uint64_t at, std::string reason) {
    error = {at, std::move(reason)};
    return false;
  }

  Trace &trace;
  WireError &error;
  std::vector<uint64_t> dependencies;
  llvm::StringMap<uint32_t> groups;
};

} // namespace

bool Reader::readString(const WireField &field, uint64_t at, llvm::StringRef what) {
  if (field.type != WireType::Bytes)
    return fail(at, fmt::format("{} is no text", std::string_view(what.data(), what.size())));
  if (llvm::all_of(field.bytes, [](char c) { return static_cast<signed char>(c) >= 0; }))
    return true;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(field.bytes.begin());
  if (!llvm::isLegalUTF8String(&begin, reinterpret_cast<const llvm::UTF8 *>(field.bytes.end())))
    return fail(field.bytesAt,
                fmt::format("{} is not UTF-8", std::string_view(what.data(), what.size())));
  return true;
}

/// Record 0 counts as metadata whatever it is; a node there is lost, which the caller reports.
bool Reader::readMetadata(llvm::StringRef record, uint64_t offset) {
  WireReader reader(record, offset);
  WireField field;
  WireError ignored;
  while (!reader.atEnd()) {
    if (!reader.next(field, ignored)) {
      trace.hasMetadata = false;
      return true;
    }
    bool known = (field.field == 1 || field.field == 2) && field.type == WireType::Bytes;
    if (field.field == 1 && known)
      trace.version = field.bytes.str();
    // Field 2 of a node is its name, of metadata an attribute, which begins with its own name.
    if (!known || (field.field == 2 && !field.bytes.startswith("\n")))
      trace.hasMetadata = false;
  }
  return true;
}

bool Reader::readDependencies(const WireField &field, uint64_t at) {
  if (field.type == WireType::Varint) {
    dependencies.push_back(field.number);
    return true;
  }
  if (field.type != WireType::Bytes)
    return fail(at, "dependencies are no list of ids");
  WireReader list(field.bytes, field.bytesAt);
  while (!list.atEnd()) {
    uint64_t id = 0;
    if (!list.varint(id, error))
      return false;
    dependencies.push_back(id);
  }
  return true;
}

/// An integer of a oneof member by its field number; false for members of other kinds.
static bool integerOf(const WireField &field, int64_t &value) {
  uint64_t raw = field.number;
  bool wide = true;
  switch (field.field) {
  case 7:
  case 9:
  case 11:
  case 13:
  case 27: // int32, int64, uint32, uint64, bool
    if (field.type != WireType::Varint)
      return false;
    value = field.field == 7    ? static_cast<int32_t>(raw)
            : field.field == 11 ? static_cast<uint32_t>(raw)
            : field.field == 27 ? raw != 0
                                : static_cast<int64_t>(raw);
    return true;
  case 15: // sint32
    raw &= 0xFFFFFFFF;
    [[fallthrough]];
  case 17: // sint64
    value = static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
    return field.type == WireType::Varint;
  case 19:
  case 23: // fixed32, sfixed32
    wide = false;
    [[fallthrough]];
  case 21:
  case 25: // fixed64, sfixed64
    value = field.field == 23 ? static_cast<int32_t>(raw) : static_cast<int64_t>(raw);
    return field.type == (wide ? WireType::Fixed64 : WireType::Fixed32);
  default:
    return false;
  }
}

/// Wire type of a member of the oneof; members come in pairs of a scalar and its list.
static WireType memberType(uint32_t field) {
  switch (field) {
  case 3:
  case 21:
  case 25:
    return WireType::Fixed64;
  case 5:
  case 19:
  case 23:
    return WireType::Fixed32;
  case 7:
  case 9:
  case 11:
  case 13:
  case 15:
  case 17:
  case 27:
    return WireType::Varint;
  default:
    return WireType::Bytes;
  }
}

bool Reader::readAttribute(Node &node, const WireField &field) {
  if (field.type != WireType::Bytes)
    return fail(field.bytesAt, "an attribute is no message");
  WireReader reader(field.bytes, field.bytesAt);
  RawAttribute attribute;
  WireField part;
  while (!reader.atEnd()) {
    uint64_t at = reader.offset();
    if (!reader.next(part, error))
      return false;
    if (part.field <= 2) {
      if (!readString(part, at, part.field == 1 ? "the name of an attribute" : "a doc string"))
        return false;
      if (part.field == 1)
        attribute.name = part.bytes;
    } else if (part.field <= 32) {
      if (part.type != memberType(part.field))
        return fail(at,
                    fmt::format("the value of attribute `{}` has the wrong wire type",
                                std::string_view(attribute.name.data(), attribute.name.size())));
      attribute.value = part;
      attribute.hasValue = true;
    }
  }
  return !attribute.hasValue || setAttribute(node, attribute);
}

/// Whether a list of flags, packed or not, has one that is false.
static bool hasFalse(const WireField &list) {
  WireReader reader(list.bytes, list.bytesAt);
  WireField part;
  WireError ignored;
  while (!reader.atEnd() && reader.next(part, ignored))
    if (part.type == WireType::Bytes ? part.bytes.contains('\0') : part.number == 0)
      return true;
  return false;
}

bool Reader::setAttribute(Node &node, const RawAttribute &attribute) {
  const WireField &value = attribute.value;
  int64_t number = 0;
  bool isInteger = integerOf(value, number);
  if (attribute.name == "is_cpu_op") {
    bool isBytes = value.type == WireType::Bytes;
    node.onCpu = isInteger ? number != 0 : isBytes ? !value.bytes.empty() : value.number != 0;
    return true;
  }
  if (attribute.name == "involved_dim") {
    trace.partlyInvolved += value.type == WireType::Bytes && hasFalse(value);
    return true;
  }
  if (attribute.name == "pg_name") {
    node.groupIsNoString = value.field != 29;
    if (value.field == 29 && !readString(value, value.bytesAt, "the name of a group"))
      return false;
    llvm::StringRef group = value.field == 29 && value.bytes != "0" ? value.bytes : "";
    if (group.empty()) {
      node.group = 0;
      return true;
    }
    auto [entry, isNew] = groups.try_emplace(group, trace.groupNames.size());
    if (isNew)
      trace.groupNames.push_back(group.str());
    node.group = entry->second;
    return true;
  }
  for (unsigned index = 0; index < fieldCount; ++index)
    if (attribute.name == fieldName(static_cast<Field>(index))) {
      node.values[index] = number;
      node.states[index] = isInteger ? FieldState::Integer : FieldState::WrongKind;
    }
  return true;
}

bool Reader::readNodeField(Node &node, const WireField &field, uint64_t at) {
  bool isNumber = field.type == WireType::Varint;
  switch (field.field) {
  case 1:
    node.id = field.number;
    return isNumber || fail(at, "the id of a node is no number");
  case 2:
    return readString(field, at, "the name of a node");
  case 3:
    if (!isNumber || field.number > static_cast<uint64_t>(NodeType::Collective))
      return fail(at, fmt::format("there is no node type {}", field.number));
    node.type = static_cast<NodeType>(field.number);
    return true;
  case 4:
  case 5:
    return readDependencies(field, at);
  case 7:
    node.durationMicros = field.number;
    return isNumber || fail(at, "the duration of a node is no number");
  case 10:
    return readAttribute(node, field);
  default:
    return true;
  }
}

bool Reader::readNode(llvm::StringRef record, uint64_t offset) {
  WireReader reader(record, offset);
  Node node;
  node.offset = offset;
  dependencies.clear();
  WireField field;
  while (!reader.atEnd()) {
    uint64_t at = reader.offset();
    if (!reader.next(field, error) || !readNodeField(node, field, at))
      return false;
  }
  trace.add(node, dependencies);
  return true;
}

/// What a file is that is no trace but what traces are made of, or packed; "" for others.
static llvm::StringRef otherFormat(llvm::StringRef bytes) {
  if (bytes.startswith("\x1f\x8b"))
    return "the file is packed by gzip; unpack it first";
  // A record's length may look like a brace, its tags and lengths are no text.
  auto isText = [](char c) { return llvm::isPrint(c) || llvm::isSpace(c); };
  llvm::StringRef text = bytes.ltrim();
  if ((text.startswith("{") || text.startswith("[")) && llvm::all_of(text.take_front(64), isText))
    return "the file is JSON, such as a trace of PyTorch or what chakra_jsonizer prints; read here "
           "is the binary form, which chakra_converter writes";
  return "";
}

llvm::Optional<Trace> chakra::readTrace(llvm::StringRef bytes, std::string path, WireError &error) {
  Trace trace;
  trace.path = std::move(path);
  Reader reader(trace, error);
  WireReader file(bytes, 0);
  if (bytes.empty()) {
    error = {0, "the file is empty; a trace begins with its metadata"};
    return llvm::None;
  }
  if (llvm::StringRef other = otherFormat(bytes); !other.empty()) {
    error = {0, other.str()};
    return llvm::None;
  }
  if (isOldSchema(bytes)) {
    if (!readOldTrace(bytes, trace, error))
      return llvm::None;
    trace.link();
    return trace;
  }
  if (isAttributeSchema(bytes)) {
    if (!readAttributeTrace(bytes, trace, error))
      return llvm::None;
    trace.link();
    return trace;
  }
  for (uint64_t record = 0; !file.atEnd(); ++record) {
    if (record > std::numeric_limits<uint32_t>::max() - 1) {
      error = {file.offset(), "more nodes than fit 32 bits"};
      return llvm::None;
    }
    uint64_t length = 0;
    llvm::StringRef message;
    if (!file.varint(length, error, 5))
      return llvm::None;
    uint64_t at = file.offset();
    if (!file.take(length, message, error, "a record") ||
        !(record ? reader.readNode(message, at) : reader.readMetadata(message, at)))
      return llvm::None;
  }
  trace.link();
  return trace;
}
