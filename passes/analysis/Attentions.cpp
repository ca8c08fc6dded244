// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Attentions.h"

#include "ir/common/Rational.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::passes;

llvm::StringRef Attention::kind() const {
  if (isLatent)
    return sharesValues ? "latent_decode" : "latent_attention";
  return queries == 1 && keys > 1 ? "decode" : "attention";
}

namespace {

class AttentionMatch {
public:
  explicit AttentionMatch(const Kernel &kernel) : kernel(kernel) {}

  llvm::Optional<Attention> run();

private:
  bool findProducts();
  bool readValues();
  bool readScores(const Statement &scores, bool isFirst);
  bool readConditions(const Statement &scores);
  bool multiply(int64_t &into, int64_t extent);
  bool isKey(const Statement &statement, unsigned index) const {
    return keyNames.contains(statement.names[index]);
  }
  const Access *accessOfKeys(const Statement &scores) const;
  void countOthers();

  const Kernel &kernel;
  std::vector<const Statement *> scores; ///< the first are of all heads
  const Statement *values = nullptr;
  llvm::StringSet<> keyNames;
  llvm::Optional<int64_t> ahead; ///< query i sees the keys up to i + ahead
  std::string query;             ///< the index of queries, where a condition names it
  llvm::StringSet<> tensors;
  Attention found;
};

} // namespace

bool AttentionMatch::multiply(int64_t &into, int64_t extent) {
  auto product = checkedMultiply(into, extent);
  into = product.getValueOr(0);
  return product.hasValue() && extent >= 1;
}

/// One or two products of two tensors for the scores, one of what became of these for the values,
/// and between them exponentials of scores less their maximum.
bool AttentionMatch::findProducts() {
  bool hasMaximum = false, hasExponentials = false;
  for (const Statement &statement : kernel.statements) {
    hasMaximum |= statement.op.reduce() == "max";
    hasExponentials |= statement.op.functions().find("exp") != nullptr;
    if (!statement.op.isMac())
      continue;
    bool isData = llvm::any_of(statement.reads, [](const Access &read) {
      return llvm::any_of(read.ranks, [](const Subscript &rank) { return rank.dataDependent; });
    });
    if (statement.reads.size() != 2 || isData || values)
      return false;
    bool ofScores = llvm::any_of(
        statement.reads, [](const Access &read) { return read.operand.role() == "intermediate"; });
    if (ofScores && !scores.empty())
      values = &statement;
    else
      scores.push_back(&statement);
  }
  return values && hasMaximum && hasExponentials && scores.size() <= 2;
}

bool AttentionMatch::readValues() {
  const Access *weights = &values->reads[0];
  found.value = &values->reads[1];
  if (weights->operand.role() != "intermediate")
    std::swap(weights, found.value);
  if (weights->operand.role() != "intermediate" || found.value->operand.role() == "intermediate")
    return false;
  for (unsigned i = 0; i < values->extents.size(); ++i) {
    if (values->isReduction(i)) {
      keyNames.insert(values->names[i]);
      if (!multiply(found.keys, values->extents[i]))
        return false;
    } else if (!weights->uses(i) && !multiply(found.valueFeatures, values->extents[i])) {
      return false;
    }
  }
  return !keyNames.empty();
}

/// The factor of scores that has the keys; null when both or none have.
const Access *AttentionMatch::accessOfKeys(const Statement &statement) const {
  const Access *keys = nullptr;
  for (const Access &read : statement.reads)
    for (unsigned i = 0; i < statement.extents.size(); ++i)
      if (isKey(statement, i) && read.uses(i)) {
        if (keys && keys != &read)
          return nullptr;
        keys = &read;
      }
  return keys;
}

/// The index of queries, and what conditions leave of the keys: none behind a query, and with that
/// none before a window.
bool AttentionMatch::readConditions(const Statement &statement) {
  llvm::Optional<int64_t> behind;
  for (const AffineExpr &condition : statement.op.constraints()) {
    std::string other;
    int64_t keySign = 0;
    for (const AffineExpr::Term &term : condition.terms())
      if (keyNames.contains(term.name))
        keySign = term.coefficient;
      else
        other = term.name;
    int64_t stride = -keySign * condition.coefficient(other);
    bool isPair = condition.terms().size() == 2 && std::abs(keySign) == 1 && stride >= 1;
    if (!isPair || (!query.empty() && (query != other || stride != found.stride)))
      return false;
    query = other;
    found.stride = stride;
    (keySign < 0 ? ahead : behind) = condition.constant();
  }
  found.isCausal = ahead.hasValue();
  if (behind && !ahead)
    return false;
  if (behind)
    found.window = *ahead + *behind + 1;
  return !behind || found.window >= 1;
}

bool AttentionMatch::readScores(const Statement &statement, bool isFirst) {
  const Access *keys = accessOfKeys(statement);
  if (!keys)
    return false;
  const Access *queries = keys == &statement.reads[0] ? &statement.reads[1] : &statement.reads[0];
  int64_t features = 1;
  bool hasSequences = false;
  std::vector<unsigned> rows;
  for (unsigned i = 0; i < statement.extents.size(); ++i) {
    if (isKey(statement, i))
      continue;
    if (statement.isReduction(i)) {
      if (!multiply(features, statement.extents[i]))
        return false;
    } else if (isFirst && keys->uses(i)) {
      if (!multiply(hasSequences ? found.heads : found.sequences, statement.extents[i]))
        return false;
      hasSequences = true;
    } else if (isFirst) {
      rows.push_back(i);
    }
  }
  found.scoreFeatures = isFirst ? features : found.scoreFeatures + features;
  if (!isFirst)
    return true;
  if (query.empty() && !rows.empty())
    query = statement.names[rows.back()];
  for (unsigned i : rows)
    if (!multiply(statement.names[i] == query ? found.queries : found.group, statement.extents[i]))
      return false;
  found.query = queries;
  found.key = keys;
  found.sharesValues = keys->tensor == found.value->tensor;
  return true;
}

/// What is neither queries, keys, values nor the result.
void AttentionMatch::countOthers() {
  for (const op::OperandOp &operand : kernel.operands) {
    if (operand.role() == "intermediate" || tensors.contains(operand.symbol()))
      continue;
    llvm::Optional<int64_t> elements = 1;
    for (int64_t extent : operand.shape())
      elements = elements ? checkedMultiply(*elements, extent) : llvm::None;
    auto bits = storedBits(*parseDType(operand.dtype()), elements.getValueOr(0));
    if (operand.role() != "output")
      found.otherBytes += ceilDivide(bits.getValueOr(0), 8);
  }
}

llvm::Optional<Attention> AttentionMatch::run() {
  if (!findProducts() || !readValues())
    return llvm::None;
  for (const Statement *statement : scores)
    if (!readConditions(*statement))
      return llvm::None;
  for (const Statement *statement : scores) {
    if (!readScores(*statement, statement == scores.front()))
      return llvm::None;
    for (const Access &read : statement->reads)
      tensors.insert(read.tensor);
  }
  tensors.insert(found.value->tensor);
  found.isLatent = scores.size() == 2;
  llvm::Optional<int64_t> spanned = checkedMultiply(found.queries, found.stride);
  if (found.isCausal && (!spanned || ahead != found.keys - *spanned + found.stride / 2))
    return llvm::None;
  if (found.window >= found.keys) // leaves no key out
    found.window = 0;
  found.isCausal |= found.queries == 1; // a single one is the last, with or without a condition
  for (const Statement &statement : kernel.statements)
    if (statement.write.operand.role() == "output")
      found.result = &statement.write;
  countOthers();
  return found.result ? llvm::Optional<Attention>(found) : llvm::None;
}

llvm::Optional<Attention> passes::attentionOf(const Kernel &kernel) {
  return AttentionMatch(kernel).run();
}
