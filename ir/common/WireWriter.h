// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes messages in the wire format that Wire.h reads: fields are appended to `out`.
#ifndef PERFC_IR_COMMON_WIREWRITER_H
#define PERFC_IR_COMMON_WIREWRITER_H

#include "ir/common/Wire.h"
#include "llvm/ADT/ArrayRef.h"

namespace perfc {

class WireWriter {
public:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  }
  void key(uint32_t field, WireType type) { varint(field << 3 | static_cast<uint32_t>(type)); }
  /// Left out when it is 0, as proto3 asks.
  void number(uint32_t field, uint64_t value) {
    if (value != 0)
      numberOrZero(field, value);
  }
  void numberOrZero(uint32_t field, uint64_t value) {
    key(field, WireType::Varint);
    varint(value);
  }
  void bytes(uint32_t field, llvm::StringRef text) {
    key(field, WireType::Bytes);
    varint(text.size());
    out += text;
  }
  void message(uint32_t field, const WireWriter &message) { bytes(field, message.out); }
  void text(uint32_t field, llvm::StringRef value) {
    if (!value.empty())
      bytes(field, value);
  }
  template <typename Number> void list(uint32_t field, llvm::ArrayRef<Number> values) {
    if (values.empty())
      return;
    WireWriter packed;
    for (Number value : values)
      packed.varint(static_cast<uint64_t>(value));
    message(field, packed);
  }
  /// The lowest `width` bytes of `value`, lowest first.
  void fixed(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      out += static_cast<char>(value >> 8 * i);
  }

  std::string out;
};

} // namespace perfc

#endif // PERFC_IR_COMMON_WIREWRITER_H
