// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/StatementGroups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::passes;

//===-- Groups
//---------------------------------------------------------------------------------===//

namespace {

class Grouping {
public:
  explicit Grouping(const Kernel &kernel) : kernel(kernel) {
    for (op::OperandOp operand : kernel.operands)
      if (operand.role() == "intermediate")
        inner.insert(operand.symbol());
    for (const Statement &statement : kernel.statements) {
      ++writers[statement.write.tensor];
      llvm::StringSet<> seen;
      for (const Access &read : statement.reads)
        if (seen.insert(read.tensor).second)
          ++readers[read.tensor];
    }
  }

  std::vector<StatementGroup> run() {
    for (const Statement &statement : kernel.statements) {
      llvm::Optional<size_t> group = groupFor(statement);
      if (group) {
        groups[*group].epilogues.push_back(&statement);
      } else {
        group = groups.size();
        groups.push_back({&statement, {}});
      }
      writtenBy[statement.write.tensor] = *group;
    }
    return std::move(groups);
  }

private:
  /// The last group whose result `statement` finishes.
  llvm::Optional<size_t> groupFor(const Statement &statement) const {
    if (!statement.isElementwise())
      return llvm::None;
    llvm::Optional<size_t> best;
    size_t needed = 0; // groups before this one make what is read
    for (const Access &read : statement.reads) {
      auto writer = writtenBy.find(read.tensor);
      if (writer == writtenBy.end())
        continue;
      needed = std::max(needed, writer->second);
      if (finishes(statement, read, groups[writer->second]) &&
          !overwrites(statement, groups[writer->second]) && (!best || *best < writer->second))
        best = writer->second;
    }
    return best && *best >= needed ? best : llvm::None;
  }

  /// True when `read` is the only use of what `group` makes, element by element.
  bool finishes(const Statement &statement, const Access &read, const StatementGroup &group) const {
    const Access &result = group.last().write;
    return result.tensor == read.tensor && inner.count(read.tensor) &&
           readers.lookup(read.tensor) == 1 && writers.lookup(read.tensor) == 1 &&
           result.shape == statement.write.shape &&
           llvm::all_of(statement.reads, [&](const Access &other) {
             return other.tensor != read.tensor || *other.map == *statement.write.map;
           });
  }

  /// True when point by point `statement` would set what `group` has still to read elsewhere.
  static bool overwrites(const Statement &statement, const StatementGroup &group) {
    auto reads = [&](const Statement &other) {
      return llvm::any_of(other.reads, [&](const Access &read) {
        return read.tensor == statement.write.tensor && *read.map != *statement.write.map;
      });
    };
    return reads(*group.main) || llvm::any_of(group.epilogues, [&](const Statement *epilogue) {
             return reads(*epilogue);
           });
  }

  const Kernel &kernel;
  std::vector<StatementGroup> groups;
  llvm::StringSet<> inner;
  llvm::StringMap<unsigned> readers, writers;
  llvm::StringMap<size_t> writtenBy;
};

} // namespace

std::vector<StatementGroup> passes::groupStatements(const Kernel &kernel) {
  return Grouping(kernel).run();
}

//===-- Epilogues
//---------------------------------------------------------------------------===//

/// `read` of an epilogue, each of whose indices is that of one rank of its result, in the indices
/// with which `main` writes these ranks.
static Access inIndicesOf(const Statement &main, const Statement &epilogue, Access read) {
  for (Subscript &rank : read.ranks) {
    Subscript own{{}, rank.constant, rank.dataDependent};
    for (const auto &[index, coefficient] : rank.terms)
      for (size_t r = 0; r < epilogue.write.ranks.size(); ++r) {
        const auto &terms = epilogue.write.ranks[r].terms;
        if (terms.empty() || terms[0].first != index)
          continue;
        const Subscript &written = main.write.ranks[r];
        own.constant += coefficient * written.constant;
        own.dataDependent |= written.dataDependent;
        for (const auto &[of, step] : written.terms)
          own.terms.push_back({of, coefficient * step});
      }
    rank = std::move(own);
  }
  return read;
}

std::vector<Access> passes::finishReads(const StatementGroup &group) {
  std::vector<Access> reads;
  llvm::StringRef passedOn = group.main->write.tensor;
  for (const Statement *epilogue : group.epilogues) {
    for (const Access &read : epilogue->reads)
      if (read.tensor != passedOn)
        reads.push_back(inIndicesOf(*group.main, *epilogue, read));
    passedOn = epilogue->write.tensor;
  }
  return reads;
}

static int64_t bytesOf(const Access &access, const Statement &statement) {
  auto bits = storedBits(access.format, access.elements(statement.extents));
  return bits ? *bits / 8 + (*bits % 8 != 0) : INT64_MAX / 16;
}

std::vector<phase::FinishOperand> passes::finishOperands(const StatementGroup &group) {
  std::vector<phase::FinishOperand> operands;
  for (const Access &read : finishReads(group)) {
    auto isThis = [&](const auto &other) { return read.tensor == other.tensor; };
    if (llvm::any_of(group.main->reads, isThis))
      continue;
    auto known = llvm::find_if(operands, isThis);
    if (known == operands.end())
      known = operands.insert(known, {read.tensor.str(), read.operand.role().str(), 0, 0});
    known->words = std::max(known->words, read.elements(group.main->extents));
    known->bytes = std::max(known->bytes, bytesOf(read, *group.main));
  }
  return operands;
}

//===-- Bytes
//----------------------------------------------------------------------------------===//

namespace {

/// Sums bytes per tensor: a tensor that is accessed several times counts with its largest access.
class ByteCounter {
public:
  void read(const Access &access, const Statement &statement) {
    Entry &entry = entries[access.tensor];
    entry.bytes = std::max(entry.bytes, bytesOf(access, statement));
    entry.weight = access.operand.role() == "weight";
  }
  void write(const Access &access, const Statement &statement) {
    int64_t &bytes = written[access.tensor];
    bytes = std::max(bytes, bytesOf(access, statement));
  }
  MovedBytes total() const {
    MovedBytes sum;
    for (const auto &item : entries) {
      const Entry &entry = item.second;
      (entry.weight ? sum.weight : sum.input) += entry.bytes;
    }
    for (const auto &item : written)
      sum.output += item.second;
    return sum;
  }

private:
  struct Entry {
    int64_t bytes = 0;
    bool weight = false;
  };
  llvm::StringMap<Entry> entries;
  llvm::StringMap<int64_t> written;
};

} // namespace

MovedBytes passes::movedBytes(const Kernel &kernel) {
  ByteCounter counter;
  for (const Statement &statement : kernel.statements) {
    for (const Access &read : statement.reads)
      if (read.operand.role() != "intermediate" && read.operand.role() != "output" &&
          !read.operand.isHanded())
        counter.read(read, statement);
    if (statement.write.operand.role() != "intermediate")
      counter.write(statement.write, statement);
  }
  return counter.total();
}

MovedBytes passes::movedBytes(const StatementGroup &group) {
  ByteCounter counter;
  for (const Access &read : group.main->reads)
    counter.read(read, *group.main);
  for (const Access &read : finishReads(group))
    counter.read(read, *group.main);
  counter.write(group.last().write, group.last());
  return counter.total();
}
