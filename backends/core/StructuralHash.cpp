// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/StructuralHash.h"

#include "ir/core/Module.h"

using namespace perfc;
using namespace perfc::ir;

namespace {
/// Two FNV-1a streams with different starts and a final mix; stable over runs and machines.
class Hasher {
public:
  void bytes(llvm::StringRef text) {
    for (unsigned char byte : text) {
      a = (a ^ byte) * 1099511628211ull;
      b = (b ^ byte) * 0x9E3779B97F4A7C15ull;
      b ^= b >> 29;
    }
    word(text.size());
  }
  void word(uint64_t value) {
    a = (a ^ value) * 1099511628211ull;
    a ^= a >> 32;
    b = (b ^ value) * 0x9E3779B97F4A7C15ull;
    b ^= b >> 29;
  }
  StructuralHash result() const { return {a, b}; }

private:
  uint64_t a = 1469598103934665603ull;
  uint64_t b = 0xC2B2AE3D27D4EB4Full;
};

/// Walks what an operation says.
class StructureWalk {
public:
  StructureWalk(Hasher &hasher, const Module *module) : hasher(hasher), module(module) {}

  void operation(const Operation &op) {
    hasher.bytes(op.name());
    for (const Operation::NamedAttribute &attr : op.attrs()) {
      hasher.bytes(attr.name);
      attribute(attr.value);
    }
    for (size_t i = 0; i < op.resultCount(); ++i)
      hasher.bytes(op.result(i).type().text());
    hasher.word(op.regionCount());
    for (size_t i = 0; i < op.regionCount(); ++i) {
      for (const Operation &inner : op.region(i)) {
        // Symbols further in name parts (tensors, memories), which results show.
        hasher.bytes(inner.symbol());
        operation(inner);
      }
      hasher.word(~0ull);
    }
  }

  void attribute(const Attribute &value) {
    hasher.word(static_cast<uint64_t>(value.kind()));
    switch (value.kind()) {
    case AttrKind::Symbol:
      return symbol(value.asSymbol());
    case AttrKind::List:
      for (const Attribute &element : value.asList())
        attribute(element);
      return hasher.word(value.asList().size());
    case AttrKind::Dict:
      for (const AttrDict::Entry &entry : value.asDict().entries()) {
        hasher.bytes(entry.first);
        attribute(entry.second);
      }
      return hasher.word(value.asDict().size());
    case AttrKind::Int:
      return hasher.word(static_cast<uint64_t>(value.asInt()));
    case AttrKind::String:
      return hasher.bytes(value.asString());
    default:
      return hasher.bytes(value.text());
    }
  }

  /// Verified modules have no operation that refers to itself, but text is not always verified.
private:
  void symbol(llvm::StringRef name) {
    const Operation *referred = module ? module->lookup(name) : nullptr;
    if (!referred || depth == maxDepth)
      return hasher.bytes(name);
    ++depth;
    operation(*referred);
    --depth;
  }

  static constexpr unsigned maxDepth = 8;
  Hasher &hasher;
  const Module *module;
  unsigned depth = 0;
};
} // namespace

StructuralHash perfc::structuralHash(const Attribute &value) {
  Hasher hasher;
  StructureWalk(hasher, nullptr).attribute(value);
  return hasher.result();
}

StructuralHash perfc::structuralHash(const Operation &op) {
  Hasher hasher;
  StructureWalk(hasher, op.module()).operation(op);
  return hasher.result();
}

StructuralHash HashCache::of(const Operation &op) {
  auto [entry, isNew] = known.try_emplace(&op);
  if (isNew)
    entry->second = structuralHash(op);
  return entry->second;
}

StructuralHash perfc::combine(StructuralHash a, StructuralHash b) {
  Hasher hasher;
  for (uint64_t word : {a.first, a.second, b.first, b.second})
    hasher.word(word);
  return hasher.result();
}
