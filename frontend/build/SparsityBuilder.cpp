// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/SparsityBuilder.h"

#include "frontend/build/Attributes.h"
#include "frontend/build/Histogram.h"
#include "frontend/build/TimeloopBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Words.h"
#include "llvm/ADT/StringMap.h"

#include <cctype>

using namespace perfc;

namespace {

class SparsityBuilder {
public:
  SparsityBuilder(BuildContext &context, const BuiltGraph &graph, const BuiltTarget &chip)
      : context(context), diagnostics(context.diagnostics), chip(chip) {
    for (const std::string &kernel : graph.kernels)
      if (auto model = context.kernels.find(kernel); model != context.kernels.end())
        for (const OpTensor &tensor : model->second.tensors)
          addTensor(tensor.name, tensor.shape.size());
    addValues(graph);
  }

  bool tensor(const Node &node);
  bool saving(const Node &node);

  ir::AttrList sparsity, savings;

private:
  void addValues(const BuiltGraph &graph);
  void addTensor(llvm::StringRef name, size_t rankCount);
  llvm::Optional<std::string> format(const Node &node, llvm::StringRef tensor);
  bool checkTensor(llvm::StringRef name, SourceRange range);
  bool setDensity(const Node &node, ir::AttrDict &into);
  bool setStructure(const Node &node, llvm::StringRef tensor, ir::AttrDict &into);
  bool readNumbers(const Node &node, ir::AttrList &numbers);
  size_t rankCount(llvm::StringRef tensor) const;
  void setDecodeRate(const Node &node, ir::AttrDict &into);
  llvm::Optional<llvm::StringRef> condition(const Node &node);

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const BuiltTarget &chip;
  std::vector<llvm::StringRef> tensors; ///< in the order in which they are made
  llvm::StringMap<size_t> ranks;        ///< by tensor: most that one of this name has
  bool isWorkload = false;              ///< densities follow from what makes a value
};

} // namespace

void SparsityBuilder::addTensor(llvm::StringRef name, size_t rankCount) {
  auto [known, isNew] = ranks.try_emplace(name, rankCount);
  if (isNew)
    tensors.push_back(name);
  known->second = std::max(known->second, rankCount);
}

size_t SparsityBuilder::rankCount(llvm::StringRef tensor) const { return ranks.lookup(tensor); }

/// The names of the values of a workload and of those that it runs.
void SparsityBuilder::addValues(const BuiltGraph &graph) {
  const ir::Operation *top = context.module.lookup(graph.symbol);
  if (!top)
    return;
  size_t calls = 0;
  top->walk([&](const ir::Operation &op) {
    calls += op.is("op.apply") || op.is("op.call");
    for (size_t i = 0; i < op.resultCount(); ++i)
      if (llvm::StringRef name = op.result(i).hint(); !name.empty())
        addTensor(name, op.result(i).type().shape().size());
  });
  isWorkload = calls > 1;
}

bool SparsityBuilder::checkTensor(llvm::StringRef name, SourceRange range) {
  if (ranks.count(name))
    return true;
  diagnostics.report(range, diag::NoTensorToThin, name).suggest(name, tensors);
  return false;
}

/// `density 50%`, `structured 2, 4 along 1`, `band 16` or `histogram "a.csv"`: one of them.
bool SparsityBuilder::setDensity(const Node &node, ir::AttrDict &into) {
  const Node *band = node.find("band"), *structured = node.find("structured"),
             *histogram = node.find("histogram");
  const Quantity *density = node.quantity("density");
  int stated = !!band + !!structured + !!histogram + !!density;
  if (stated == 0 && isWorkload && node.find("format"))
    return true; // stored so, with the zeros that it turns out to have
  if (stated != 1) {
    diagnostics.report(node.range, diag::OneDensity, written(node.args[0].value));
    return false;
  }
  if (density) {
    if (density->toDouble() > 1) {
      diagnostics.report(node.find("density")->range, diag::ShareTooLarge, "density");
      return false;
    }
    into.set("density", *density);
    return true;
  }
  if (histogram) {
    llvm::Optional<ir::AttrDict> table = readHistogram(context, *histogram);
    if (table)
      into.set("histogram", std::move(*table));
    return table.hasValue();
  }
  if (structured)
    return setStructure(*structured, node.args[0].value.get<WordValue>().word, into);
  ir::AttrList numbers;
  if (readNumbers(*band, numbers))
    into.set("band", numbers[0]);
  return !numbers.empty();
}

bool SparsityBuilder::readNumbers(const Node &node, ir::AttrList &numbers) {
  for (const NodeArg &arg : node.args) {
    const Quantity *number = arg.value.getIf<Quantity>();
    if (number && number->sign() < 0)
      diagnostics.report(arg.range, diag::NegativeValue, node.word);
    if (!number || number->sign() < 0)
      return false;
    numbers.push_back(number->rational().numerator());
  }
  return true;
}

/// `structured 2, 4 along 1`: what is kept of a group, its size, and the rank.
bool SparsityBuilder::setStructure(const Node &node, llvm::StringRef tensor, ir::AttrDict &into) {
  ir::AttrList numbers;
  if (!readNumbers(node, numbers))
    return false;
  if (numbers[1].asInt() < 1 || numbers[0].asInt() > numbers[1].asInt()) {
    diagnostics.report(node.range, diag::BadStructure, numbers[0].asInt(), numbers[1].asInt());
    return false;
  }
  if (const Node *along = node.find("along")) {
    if (!readNumbers(*along, numbers))
      return false;
    int64_t rank = numbers.back().asInt(), count = static_cast<int64_t>(rankCount(tensor));
    if (rank < 1 || rank > count) {
      diagnostics.report(along->range, diag::NoSuchRank, tensor, counted(count, "rank"), rank);
      return false;
    }
  }
  into.set("structured", std::move(numbers));
  return true;
}

/// One format of the whole tensor, or those of its ranks with spaces between them.
llvm::Optional<std::string> SparsityBuilder::format(const Node &node, llvm::StringRef tensor) {
  std::string text;
  bool isRank = false;
  for (const NodeArg &arg : node.args) {
    const std::string &name = arg.value.get<WordValue>().word;
    isRank = std::isupper(static_cast<unsigned char>(name[0])) != 0;
    if (!isRank && node.args.size() > 1) {
      diagnostics.report(arg.range, diag::FormatOfWhole, name);
      return llvm::None;
    }
    text += (text.empty() ? "" : " ") + name;
  }
  size_t known = rankCount(tensor);
  if (isRank && node.args.size() > known) {
    diagnostics.report(node.range, diag::TooManyRankFormats, node.args.size(), known, tensor);
    return llvm::None;
  }
  return text;
}

/// In words per second; `cycle` is that of the chip.
void SparsityBuilder::setDecodeRate(const Node &node, ir::AttrDict &into) {
  const Quantity *value = node.args.empty() ? nullptr : node.args[0].value.getIf<Quantity>();
  const ir::Operation *op = context.module.lookup(chip.symbol);
  if (!value || !op)
    return;
  if (value->toDouble() <= 0) {
    diagnostics.report(node.range, diag::ZeroValue, "decode_rate");
    return;
  }
  UnitContext units{op->quantityAttr("clock"), chip.dtype, false};
  if (auto rate = inBaseUnits(context, *value, node.args[0].range, units))
    into.set("decode_rate", *rate);
}

bool SparsityBuilder::tensor(const Node &node) {
  const std::string &name = node.args[0].value.get<WordValue>().word;
  ir::AttrDict entry;
  for (const ir::Attribute &other : sparsity)
    if (other.asDict().find("tensor")->asString() == name) {
      diagnostics.report(node.args[0].range, diag::GivenTwice, name);
      return false;
    }
  entry.set("tensor", name);
  if (!checkTensor(name, node.args[0].range) || !setDensity(node, entry))
    return false;
  ir::AttrDict formats;
  entry.set("format", "uncompressed");
  for (const Node *child : node.children) {
    if (child->word != "format" || child->args.empty())
      continue;
    llvm::Optional<std::string> stored = format(*child, name);
    if (!stored)
      return false;
    const Node *at = child->find("at");
    if (!at)
      entry.set("format", *stored);
    else if (checkMemoryName(context, chip, at->args[0].value.get<WordValue>().word,
                             at->args[0].range))
      formats.set(at->args[0].value.get<WordValue>().word, *stored);
    else
      return false;
  }
  if (!formats.empty())
    entry.set("formats", std::move(formats));
  if (const Quantity *decode = node.quantity("decode"))
    entry.set("decode", decode->withDimension(BaseUnit::Joule));
  if (const Node *rate = node.find("decode_rate"))
    setDecodeRate(*rate, entry);
  sparsity.push_back(std::move(entry));
  return true;
}

/// The tensor in `when A == 0`.
llvm::Optional<llvm::StringRef> SparsityBuilder::condition(const Node &node) {
  const Node *when = node.find("when");
  const ast::Expr *expr = when && when->args.size() == 1 ? when->args[0].syntax->value : nullptr;
  bool isTest = expr && expr->kind == ast::ExprKind::Binary && expr->text == "==" &&
                expr->operands[0]->kind == ast::ExprKind::Name &&
                expr->operands[1]->kind == ast::ExprKind::Number && expr->operands[1]->text == "0";
  if (isTest)
    return checkTensor(expr->operands[0]->text, expr->operands[0]->range)
               ? llvm::Optional<llvm::StringRef>(expr->operands[0]->text)
               : llvm::None;
  diagnostics.report(when ? when->range : node.range, diag::BadSaving, node.word);
  return llvm::None;
}

bool SparsityBuilder::saving(const Node &node) {
  const std::string &name = node.args[0].value.get<WordValue>().word;
  if (!checkTensor(name, node.args[0].range))
    return false;
  auto when = condition(node);
  if (!when)
    return false;
  ir::AttrDict entry;
  entry.set("kind", node.word);
  entry.set("tensor", name);
  entry.set("when", *when);
  savings.push_back(std::move(entry));
  return true;
}

bool perfc::buildSparsity(BuildContext &context, const Node &statement, const BuiltGraph &graph,
                          const BuiltTarget &chip, ir::Operation &evaluate) {
  SparsityBuilder builder(context, graph, chip);
  bool good = true;
  for (const Node *child : statement.children) {
    if (child->word == "tensor")
      good &= builder.tensor(*child);
    else if (child->word == "skip" || child->word == "gate")
      good &= builder.saving(*child);
  }
  if (!builder.sparsity.empty())
    evaluate.setAttr("sparsity", std::move(builder.sparsity));
  if (!builder.savings.empty())
    evaluate.setAttr("savings", std::move(builder.savings));
  return good;
}
