// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/StructuralHash.h"

#include "ir/core/Module.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::ir;

namespace {
/// Two FNV-1a streams with different starts and a final mix; stable over runs and machines.
class Hasher {
public:
  void bytes(llvm::StringRef text) {
    word(text.size());
    for (; text.size() >= 8; text = text.drop_front(8))
      word(llvm::support::endian::read64le(text.data()));
    uint64_t rest = 0;
    for (unsigned char byte : text)
      rest = rest << 8 | byte;
    word(rest);
  }
  void number(double value) { word(llvm::bit_cast<uint64_t>(value)); }
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

/// Walks what an operation says; what its symbols name has its own hash, in `hashes`.
class StructureWalk {
public:
  StructureWalk(Hasher &hasher, const Module *module, HashCache &hashes)
      : hasher(hasher), module(module), hashes(hashes) {}

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
    case AttrKind::Bool:
      return hasher.word(value.asBool());
    case AttrKind::Quantity:
      return quantity(value.asQuantity());
    case AttrKind::Affine:
      return affine(value.asAffine());
    case AttrKind::Unit:
    case AttrKind::Any:
      return;
    }
  }

private:
  void quantity(const Quantity &value) {
    for (unsigned unit = 0; unit < baseUnitCount;) {
      uint64_t exponents = 0; // of eight units, a byte each
      for (unsigned end = std::min(unit + 8, baseUnitCount); unit < end; ++unit)
        exponents =
            exponents << 8 | static_cast<uint8_t>(value.dimension()[static_cast<BaseUnit>(unit)]);
      hasher.word(exponents);
    }
    hasher.word(value.isExact());
    if (value.isExact()) {
      hasher.word(static_cast<uint64_t>(value.rational().numerator()));
      return hasher.word(static_cast<uint64_t>(value.rational().denominator()));
    }
    Uncertain real = value.toUncertain();
    hasher.number(real.central());
    hasher.word(real.contributions().size());
    for (const Uncertain::Contribution &part : real.contributions()) {
      hasher.word(part.source);
      hasher.number(part.delta);
    }
  }

  void affine(const AffineExpr &value) {
    hasher.word(static_cast<uint64_t>(value.constant()));
    hasher.word(value.terms().size());
    for (const AffineExpr::Term &term : value.terms()) {
      hasher.bytes(term.name);
      hasher.word(static_cast<uint64_t>(term.coefficient));
    }
  }

  void symbol(llvm::StringRef name) {
    const Operation *referred = module ? module->lookup(name) : nullptr;
    if (!referred || hashes.isDeep())
      return hasher.bytes(name);
    StructuralHash hash = hashes.of(*referred);
    hasher.word(hash.first);
    hasher.word(hash.second);
  }

  Hasher &hasher;
  const Module *module;
  HashCache &hashes;
};
} // namespace

StructuralHash perfc::structuralHash(const Attribute &value) {
  Hasher hasher;
  HashCache hashes;
  StructureWalk(hasher, nullptr, hashes).attribute(value);
  return hasher.result();
}

StructuralHash perfc::structuralHash(const Operation &op) { return HashCache().of(op); }

StructuralHash HashCache::of(const Operation &op) {
  // Until it is computed, what refers to itself finds zeros: verified modules have no such
  // operation, but text is not always verified.
  auto [entry, isNew] = known.try_emplace(&op);
  if (!isNew)
    return entry->second;
  Hasher hasher;
  ++depth;
  StructureWalk(hasher, op.module(), *this).operation(op);
  --depth;
  return known[&op] = hasher.result();
}

StructuralHash perfc::combine(StructuralHash a, StructuralHash b) {
  Hasher hasher;
  for (uint64_t word : {a.first, a.second, b.first, b.second})
    hasher.word(word);
  return hasher.result();
}
