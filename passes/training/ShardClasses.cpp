// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of an application is divided: its classes along the sequence, along features (tensor
// parallelism) and along experts.
#include "ir/common/diagnostics/Training.h"
#include "passes/training/Sharder.h"
#include "passes/training/TrainingGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

void Sharder::readLabels(Use &use) {
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    const ShardState &state = stateOf(use.op.operand(i));
    for (unsigned rank = 0; rank < state.labels.size(); ++rank)
      if (state.labels[rank] != RankLabel::Feature)
        use.labels[use.classes.ofRank(use.inputs[i].symbol(), rank)] = state.labels[rank];
  }
  labelPieces(use.classes, graphLabels.batch(), use.labels);
}

/// Of the sequence classes that meet in a statement the first one is divided, as the queries of
/// attention are; the others are whole.
void Sharder::chooseSequence(Use &use) {
  const KernelClasses &classes = use.classes;
  for (const Statement &statement : classes.kernel().statements) {
    llvm::Optional<unsigned> chosen;
    for (unsigned i = 0; i < statement.extents.size(); ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.labels[cls] == RankLabel::Sequence && use.split[cls])
        chosen = cls;
    }
    for (unsigned i = 0; i < statement.extents.size() && !chosen; ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.labels[cls] == RankLabel::Sequence && !classes.isRigid(cls))
        chosen = cls;
    }
    if (chosen)
      use.split[*chosen] = true;
  }
  // Two that meet cannot both be divided: the later one gives way.
  for (const Statement &statement : classes.kernel().statements) {
    llvm::Optional<unsigned> first;
    for (unsigned i = 0; i < statement.extents.size(); ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.labels[cls] != RankLabel::Sequence || !use.split[cls])
        continue;
      if (!first)
        first = cls;
      else if (*first != cls)
        use.split[std::max(*first, cls) == cls ? cls : *first] = false;
    }
  }
  // What is summed over it and read again needs all of it, as keys and values of linear attention.
  for (const Statement &statement : classes.kernel().statements)
    for (unsigned i = 0; i < statement.extents.size(); ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.split[cls] && classes.isReduced(statement, cls) &&
          statement.write.operand.role() == "intermediate")
        use.split[cls] = false;
    }
  // What came in whole on purpose stays whole (the keys' rank of scores).
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    const ShardState &state = stateOf(use.op.operand(i));
    if (!state.hasSplit())
      continue;
    for (unsigned rank = 0; rank < state.labels.size(); ++rank)
      if (state.labels[rank] == RankLabel::Sequence && !state.split[rank])
        use.split[use.classes.ofRank(use.inputs[i].symbol(), rank)] = false;
  }
}

void Sharder::readFeatures(Use &use) {
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    const ShardState &state = stateOf(use.op.operand(i));
    for (unsigned rank = 0; rank < state.feature.size(); ++rank) {
      int64_t &factor = use.feature[use.classes.ofRank(use.inputs[i].symbol(), rank)];
      factor = std::max(factor, state.feature[rank]);
    }
  }
}

/// The weight that a tensor is the gradient of, perhaps with others added to it; "" for none.
llvm::StringRef Sharder::weightOf(const Value &gradient) const {
  llvm::SmallSetVector<const Value *, 8> sums; // each once, however many ways lead to it
  sums.insert(&gradient);
  for (size_t i = 0; i < sums.size(); ++i)
    for (auto [user, index] : users.lookup(sums[i])) {
      if (user->is(op::GradientOp::opName))
        return user->stringAttr("of");
      if (user->is(op::ApplyOp::opName) && user->resultCount() == 1 &&
          user->result().type() == gradient.type())
        sums.insert(&user->result());
    }
  return "";
}

/// The gradient of a table that is divided by rows has the rows of the table.
void Sharder::readTables(Use &use) {
  for (size_t i = 0; i < use.op.resultCount() && use.classes.kernel().macs() == 0; ++i) {
    llvm::StringRef name = use.outputs[i].symbol();
    auto rank = use.classes.dataRank(name);
    auto table = rank ? kept.find(weightOf(use.op.result(i))) : kept.end();
    if (table != kept.end())
      use.feature[use.classes.ofRank(name, *rank)] = table->second.feature[*rank];
  }
}

/// Products of activations of one kernel, as in attention.
static size_t productsOf(const KernelClasses &classes) {
  return llvm::count_if(classes.kernel().statements,
                        [](const Statement &statement) { return statement.op.isMac(); });
}

/// True when a product of the kernel sums over another class than `cls`, as those of attention do.
static bool sumsOverOthers(const KernelClasses &classes, unsigned cls) {
  return llvm::any_of(classes.kernel().statements, [&](const Statement &statement) {
    for (unsigned other = 0; statement.op.isMac() && other < classes.count(); ++other)
      if (other != cls && classes.isReduced(statement, other))
        return true;
    return false;
  });
}

/// Whether a result of `user` has something for each entry of a cache that it reads, or of operand
/// `cached`, as an append does; a convolution over the last tokens has it for the new one alone.
static bool hasCache(const Operation &user, const KernelClasses &classes, op::OperandOp result,
                     llvm::Optional<size_t> cached) {
  std::vector<op::OperandOp> inputs = classes.kernel().inputs();
  for (size_t i = 0; i < user.operandCount(); ++i) {
    auto tensor = as<op::TensorOp>(user.operand(i).definingOp());
    if (cached != llvm::Optional<size_t>(i) && !(tensor && tensor.kind() == "cache"))
      continue;
    auto isIn = [&](unsigned rank) {
      unsigned cls = classes.ofRank(inputs[i].symbol(), rank);
      return classes.extent(cls) == 1 || classes.has(result.symbol(), cls);
    };
    unsigned ranks = static_cast<unsigned>(user.operand(i).type().shape().size());
    if (llvm::all_of(llvm::seq(0U, ranks), isIn))
      return true;
  }
  return false;
}

/// True when the kernels behind keep rank `rank` of `value` until a product with a weight sums over
/// it, or to the end, and none of them does a part of its work once for each part of the rank:
/// attention does, where the features of its values are divided. What a cache holds is summed over
/// the whole context in each step, so that its features (those of a latent cache) are not divided
/// either: the exchange of these sums takes longer than a whole cache on each rank. Behind
/// attention, which has summed over the context, they are those of the new tokens.
bool Sharder::isKept(const Value &value, unsigned rank, unsigned depth, bool isCached) {
  if (depth == 0)
    return false;
  for (auto [user, index] : users.lookup(&value)) {
    if (user->is(op::ReturnOp::opName) || user->is(op::SaveOp::opName))
      continue;
    if (!user->is(op::ApplyOp::opName))
      return false;
    const KernelClasses &classes = classesOf(*user);
    std::vector<op::OperandOp> inputs = classes.kernel().inputs();
    unsigned cls = classes.ofRank(inputs[index].symbol(), rank);
    if (classes.isRigid(cls))
      return false;
    bool isAttention = productsOf(classes) > 1;
    for (const Statement &statement : classes.kernel().statements) {
      if (isAttention && statement.op.isMac() && !classes.runsOver(statement, cls))
        return false;
      if (!classes.isReduced(statement, cls))
        continue;
      bool meetsWeight = llvm::any_of(statement.reads, [&](const Access &read) {
        for (size_t i = 0; i < user->operandCount(); ++i)
          if (inputs[i].symbol() == read.tensor && isWeight(user->operand(i)))
            return classes.has(read.tensor, cls);
        return false;
      });
      if (!statement.op.isMac() || !meetsWeight || isCached)
        return false;
    }
    std::vector<op::OperandOp> outputs = classes.kernel().outputs();
    for (size_t i = 0; i < user->resultCount(); ++i) {
      bool staysCached = hasCache(*user, classes, outputs[i],
                                  isCached ? llvm::Optional<size_t>(index) : llvm::None) &&
                         !sumsOverOthers(classes, cls);
      for (unsigned out = 0; out < user->result(i).type().shape().size(); ++out)
        if (classes.ofRank(outputs[i].symbol(), out) == cls &&
            !isKept(user->result(i), out, depth - 1, staysCached))
          return false;
    }
  }
  return true;
}

/// A class of weights that the activations do not have and the kernels behind keep, or that a later
/// product of the kernel itself sums over.
bool Sharder::isColumn(const Use &use, unsigned cls) {
  if (use.classes.isRigid(cls) || use.labels[cls] != RankLabel::Feature)
    return false;
  bool inWeight = false;
  for (size_t i = 0; i < use.op.operandCount(); ++i) {
    bool has = use.classes.has(use.inputs[i].symbol(), cls);
    if (has &&
        (!isWeight(use.op.operand(i)) || kept.count(use.op.operand(i).definingOp()->symbol())))
      return false; // a weight that was used before is as that use has it
    inWeight |= has;
  }
  if (!inWeight)
    return false;
  for (size_t i = 0; i < use.op.resultCount(); ++i)
    for (unsigned rank = 0; rank < use.op.result(i).type().shape().size(); ++rank)
      if (use.classes.ofRank(use.outputs[i].symbol(), rank) == cls)
        return isKept(use.op.result(i), rank, 16);
  return productsOf(use.classes) > 1;
}

/// Heads are divided among all tensor-parallel ranks; false after a report. Fewer keys and values
/// than that are on several ranks.
bool Sharder::checkHeads(const Use &use) {
  int64_t divided = 1, heads = 1;
  for (unsigned cls = 0; cls < use.feature.size(); ++cls)
    if (use.feature[cls] > 1 && cls != use.expert) {
      divided *= use.feature[cls];
      heads *= use.classes.extent(cls);
    }
  bool hasWeight =
      llvm::any_of(use.op.operands(), [](const Value *value) { return isWeight(*value); });
  if (productsOf(use.classes) < 2 || hasWeight || divided == 1 || divided == strategy.tensor)
    return true;
  diagnostics.report(use.op.range(), diag::DoesNotDivide,
                     fmt::format("tensor = {}", strategy.tensor),
                     fmt::format("the {} heads or groups of heads of `{}`", heads,
                                 use.classes.kernel().op->symbol()));
  return false;
}

/// Divides a product with a weight by columns, or a gathered table by rows. False after a report.
bool Sharder::chooseFeatures(Use &use) {
  // With sequence parallelism experts stay whole: ranks have tokens of their own.
  if (use.expert && strategy.wholeExperts())
    return true;
  if (strategy.tensor == 1)
    return true;
  if (llvm::any_of(use.feature, [](int64_t factor) { return factor > 1; }))
    return checkHeads(use);
  const KernelClasses &classes = use.classes;
  for (size_t i = 0; i < use.op.operandCount(); ++i)
    if (auto rank = classes.dataRank(use.inputs[i].symbol());
        rank && isWeight(use.op.operand(i)) && classes.kernel().macs() == 0 &&
        classes.extent(classes.ofRank(use.inputs[i].symbol(), *rank)) >= 100 * strategy.tensor)
      use.feature[classes.ofRank(use.inputs[i].symbol(), *rank)] = strategy.tensor;
  bool isAdapter = llvm::any_of(use.op.operands(), [](const Value *value) {
    auto tensor = as<op::TensorOp>(value->definingOp());
    return tensor && tensor.isAdapter() && tensor.label() == "adapter A";
  });
  if (classes.kernel().macs() == 0 || isAdapter) // the rank of adapters is not divided
    return true;
  int64_t rest = strategy.tensor, refused = 0;
  for (const Statement &statement : classes.kernel().statements)
    for (unsigned i = 0; i < statement.extents.size() && rest > 1; ++i) {
      unsigned cls = classes.ofIndex(statement, i);
      if (use.feature[cls] > 1 || classes.extent(cls) == 1 || !isColumn(use, cls))
        continue;
      int64_t extent = classes.extent(cls);
      // A long rank is padded: less than 1 % of it is lost.
      int64_t factor = Strategy::sharesOut(extent, rest) ? rest : std::gcd(extent, rest);
      if (factor == 1)
        refused = extent;
      use.feature[cls] = factor;
      rest /= factor;
    }
  if (rest < strategy.tensor || refused == 0)
    return true;
  diagnostics.report(use.op.range(), diag::DoesNotDivide,
                     fmt::format("tensor = {}", strategy.tensor),
                     fmt::format("the {} columns of this product", refused));
  return false;
}
