// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DensityFlow.h"

#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// Rounds of a repeat until what goes round has settled.
static constexpr int repeatRounds = 4;

static const Attribute *densityEntry(const AttrDict &entry) {
  for (llvm::StringRef word : {"density", "structured", "band", "histogram"})
    if (const Attribute *value = entry.find(word))
      return value;
  return nullptr;
}

/// Elements (i, j) of the last two ranks with |i - j| <= width, as a share.
static double bandShare(int64_t width, llvm::ArrayRef<int64_t> shape) {
  if (shape.size() < 2)
    return 1;
  double rows = static_cast<double>(shape[shape.size() - 2]);
  double columns = static_cast<double>(shape.back()), w = static_cast<double>(width);
  // The band, less the corners that it leaves.
  auto corner = [](double side, double across) {
    double length = std::max(0.0, side), cut = std::max(0.0, length - across);
    return length * (length + 1) / 2 - cut * (cut + 1) / 2;
  };
  double outside = corner(columns - w - 1, rows) + corner(rows - w - 1, columns);
  return rows * columns == 0 ? 1 : std::max(0.0, 1 - outside / (rows * columns));
}

/// The share of nonzero elements that `entry` states; nothing when it states none.
static llvm::Optional<double> shareOf(const AttrDict &entry, llvm::ArrayRef<int64_t> shape) {
  if (const Attribute *density = entry.find("density"))
    return density->asQuantity().toDouble();
  if (const Attribute *structured = entry.find("structured"))
    return static_cast<double>(structured->asList()[0].asInt()) /
           static_cast<double>(structured->asList()[1].asInt());
  if (const Attribute *band = entry.find("band"))
    return bandShare(band->asInt(), shape);
  const Attribute *histogram = entry.find("histogram");
  if (!histogram)
    return llvm::None;
  std::vector<int64_t> nonzeros = histogram->asDict().find("nonzeros")->asInts();
  std::vector<int64_t> tiles = histogram->asDict().find("tiles")->asInts();
  double all = 0, count = 0;
  for (size_t i = 0; i < nonzeros.size(); ++i) {
    all += static_cast<double>(nonzeros[i]) * static_cast<double>(tiles[i]);
    count += static_cast<double>(tiles[i]);
  }
  return all / (count * static_cast<double>(histogram->asDict().find("elements")->asInt()));
}

/// A share as a number of the text of the IR.
static Quantity rounded(double share) {
  constexpr int64_t digits = 1'000'000'000'000;
  return Quantity(
      *Rational::make(std::llround(share * static_cast<double>(digits)), __int128(digits)));
}

DensityFlow::DensityFlow(study::EvaluateOp evaluate, const Operation &subject) {
  for (const Attribute &entry : evaluate->listAttr("sparsity"))
    stated.push_back(entry.asDict());
  if (!stated.empty() && subject.is(op::GraphOp::opName))
    follow(subject.body());
}

const AttrDict *DensityFlow::statedFor(llvm::StringRef name) const {
  for (const AttrDict &entry : stated)
    if (!name.empty() && entry.find("tensor")->asString() == name)
      return &entry;
  return nullptr;
}

const AttrDict *DensityFlow::statedFor(const Value &value, llvm::StringRef operand) const {
  const AttrDict *byValue = statedFor(value.hint());
  return byValue ? byValue : statedFor(operand);
}

double DensityFlow::densityOf(const Value &value) const {
  auto known = densities.find(&value);
  return known == densities.end() ? 1 : known->second;
}

void DensityFlow::setDensity(const Value &value, double density) {
  if (const AttrDict *entry = statedFor(value.hint()))
    if (auto share = shareOf(*entry, llvm::None))
      density = *share;
  densities[&value] = density;
}

void DensityFlow::followApply(const Operation &apply) {
  Kernel kernel(op::KernelOp(resolve(apply, as<op::ApplyOp>(apply).kernel())));
  Densities known;
  std::vector<op::OperandOp> inputs = kernel.inputs(), outputs = kernel.outputs();
  for (size_t i = 0; i < inputs.size() && i < apply.operandCount(); ++i) {
    double density = densityOf(apply.operand(i));
    if (const AttrDict *entry = statedFor(apply.operand(i), inputs[i].symbol()))
      density = shareOf(*entry, inputs[i].shape()).getValueOr(density);
    known[inputs[i].symbol()] = density;
  }
  for (const Statement &statement : kernel.statements) {
    double density = densityOfResult(statement, known);
    if (const AttrDict *entry = statedFor(statement.write.tensor))
      density = shareOf(*entry, statement.write.shape).getValueOr(density);
    known[statement.write.tensor] = density;
  }
  for (size_t i = 0; i < outputs.size() && i < apply.resultCount(); ++i)
    setDensity(apply.result(i), known.lookup(outputs[i].symbol()));
}

void DensityFlow::follow(const Region &region) {
  for (const Operation &op : region) {
    if (op.is(op::ApplyOp::opName)) {
      followApply(op);
      continue;
    }
    if (op.is(op::TensorOp::opName))
      setDensity(op.result(), 1);
    bool goesRound = op.is(op::RepeatOp::opName);
    if (!goesRound && !op.is(op::FusedOp::opName))
      continue;
    const Region &body = op.body();
    for (size_t i = 0; i < op.operandCount(); ++i)
      densities[&body.argument(i)] = densityOf(op.operand(i));
    for (int round = 0; round < (goesRound ? repeatRounds : 1); ++round) {
      follow(body);
      const Operation &end = body.back();
      for (size_t i = 0; i < end.operandCount(); ++i) {
        setDensity(op.result(i), densityOf(end.operand(i)));
        if (goesRound)
          densities[&body.argument(i)] = densityOf(end.operand(i));
      }
    }
  }
}

AttrList DensityFlow::entriesFor(const Operation &op, const KernelUse &use) const {
  AttrList entries;
  if (stated.empty())
    return entries;
  auto add = [&](llvm::StringRef tensor, const AttrDict *entry, double density) {
    AttrDict own = entry ? *entry : AttrDict();
    if (!entry && density >= 1)
      return;
    own.set("tensor", tensor);
    if (!densityEntry(own))
      own.set("density", rounded(density));
    if (!own.find("format"))
      own.set("format", "uncompressed");
    entries.push_back(std::move(own));
  };
  Kernel kernel(use.kernel);
  std::vector<op::OperandOp> inputs = kernel.inputs(), outputs = kernel.outputs();
  bool isApplied = !op.is(op::KernelOp::opName);
  for (op::OperandOp operand : kernel.operands) {
    const Value *value = nullptr;
    for (size_t i = 0; isApplied && i < inputs.size() && i < op.operandCount(); ++i)
      if (inputs[i].op == operand.op)
        value = &op.operand(i);
    for (size_t i = 0; isApplied && i < outputs.size() && i < op.resultCount(); ++i)
      if (outputs[i].op == operand.op)
        value = &op.result(i);
    llvm::StringRef name = operand.symbol();
    if (value)
      add(name, statedFor(*value, name), densityOf(*value));
    else
      add(name, statedFor(name), 1);
  }
  return entries;
}
