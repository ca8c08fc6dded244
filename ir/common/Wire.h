// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding): a message is a
// sequence of fields, each a key `number << 3 | wire type` and a payload; numbers are little-endian
// base 128. A reader walks one span of bytes and knows where in the file it stands.
#ifndef PERFC_IR_COMMON_WIRE_H
#define PERFC_IR_COMMON_WIRE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace perfc {

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// One field: `number` holds the value of the three numeric wire types, `bytes` the other.
struct WireField {
  uint32_t field = 0;
  WireType type = WireType::Varint;
  uint64_t number = 0;
  llvm::StringRef bytes;
  uint64_t bytesAt = 0; ///< offset of `bytes` in the file
};

/// What is wrong, and where.
struct WireError {
  uint64_t offset = 0;
  std::string reason;
};

/// Reads the fields of `text`, which stands at `offset` of its file.
class WireReader {
public:
  WireReader(llvm::StringRef text, uint64_t offset) : text(text), base(offset) {}

  bool atEnd() const { return at == text.size(); }
  uint64_t offset() const { return base + at; }
  /// A number of at most `limit` bytes; false with `error` set.
  bool varint(uint64_t &value, WireError &error, unsigned limit = 10) {
    if (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) {
      value = static_cast<unsigned char>(text[at++]);
      return true;
    }
    return longVarint(value, error, limit);
  }
  /// The next field; false with `error` set.
  bool next(WireField &field, WireError &error);
  /// `length` bytes; false with `error` set when fewer are left.
  bool take(uint64_t length, llvm::StringRef &bytes, WireError &error, llvm::StringRef what);

private:
  bool longVarint(uint64_t &value, WireError &error, unsigned limit);

  llvm::StringRef text;
  uint64_t base;
  size_t at = 0;
};

} // namespace perfc

#endif // PERFC_IR_COMMON_WIRE_H
