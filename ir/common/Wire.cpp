// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Wire.h"

#include "llvm/Support/Endian.h"
#include <fmt/format.h>

using namespace perfc;

bool WireReader::longVarint(uint64_t &value, WireError &error, unsigned limit) {
  value = 0;
  for (unsigned i = 0; i < limit; ++i) {
    if (at + i >= text.size()) {
      error = {base + at, "the number is cut off"};
      return false;
    }
    uint64_t byte = static_cast<unsigned char>(text[at + i]);
    if (i < 9 || (byte & 0x7F) <= 1)
      value |= (byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      at += i + 1;
      return true;
    }
  }
  error = {base + at, fmt::format("the number takes more than {} bytes", limit)};
  return false;
}

bool WireReader::take(uint64_t length, llvm::StringRef &bytes, WireError &error,
                      llvm::StringRef what) {
  if (length > text.size() - at) {
    error = {base + at,
             fmt::format("{} of {} bytes, but only {} are left",
                         std::string_view(what.data(), what.size()), length, text.size() - at)};
    return false;
  }
  bytes = text.substr(at, length);
  at += length;
  return true;
}

bool WireReader::next(WireField &field, WireError &error) {
  uint64_t key = 0, start = offset();
  if (!varint(key, error))
    return false;
  field = {static_cast<uint32_t>(key >> 3), static_cast<WireType>(key & 7), 0, {}, 0};
  if (field.field == 0 || (key >> 3) > 0x1FFFFFFF) {
    error = {start, fmt::format("there is no field {}", key >> 3)};
    return false;
  }
  uint64_t length = 0;
  switch (field.type) {
  case WireType::Varint:
    return varint(field.number, error);
  case WireType::Fixed64:
    if (!take(8, field.bytes, error, "a number"))
      return false;
    field.number = llvm::support::endian::read64le(field.bytes.data());
    return true;
  case WireType::Fixed32:
    if (!take(4, field.bytes, error, "a number"))
      return false;
    field.number = llvm::support::endian::read32le(field.bytes.data());
    return true;
  case WireType::Bytes:
    if (!varint(length, error))
      return false;
    field.bytesAt = offset();
    if (length > text.size() - at)
      return take(length, field.bytes, error, fmt::format("field {}", field.field));
    return take(length, field.bytes, error, "");
  }
  error = {start, fmt::format("field {} has the unknown wire type {}", field.field, key & 7)};
  return false;
}
