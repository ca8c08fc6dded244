// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/StepSequences.h"

#include "ir/op/OpOps.h"
#include "ir/study/TrainOps.h"
#include "passes/HandedOver.h"
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include "passes/analysis/KernelModel.h"
#include "passes/analysis/LiveBytes.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static int64_t bytesOfValue(const Value &value) { return value.type().bytes().getValueOr(0); }

/// What `graph` keeps under another name as well: rounds of a repeat keep what they get, which is
/// what stands before the repeat or the round before has made.
static llvm::DenseSet<const Value *> keptByNext(const Operation &graph) {
  llvm::DenseSet<const Value *> saved, known;
  std::vector<const Operation *> repeats;
  graph.walk([&](const Operation &op) {
    if (op.is(op::SaveOp::opName))
      saved.insert(&op.operand(0));
    else if (op.is(op::RepeatOp::opName))
      repeats.push_back(&op);
  });
  auto isKept = [&](const Operation &repeat, size_t i) {
    return saved.count(&repeat.body().argument(i)) > 0;
  };
  for (const Operation *repeat : repeats)
    for (size_t i = 0; i < repeat->body().argumentCount(); ++i)
      if (isKept(*repeat, i))
        known.insert(&repeat->operand(i));
  // What the last round makes has no round behind it: it is kept where the result is read.
  for (const Operation *repeat : repeats)
    for (size_t i = 0; i < repeat->resultCount(); ++i)
      if (isKept(*repeat, i) &&
          (saved.count(&repeat->result(i)) || known.count(&repeat->result(i))))
        known.insert(&repeat->body().back().operand(i));
  return known;
}

/// The operations of `graph` whose results go to gradients of weights and nowhere else.
static llvm::DenseSet<const Operation *> onlyForWeights(const Operation &graph) {
  llvm::DenseSet<const Operation *> found;
  llvm::DenseSet<const Value *> others; // what something else reads
  std::vector<const Operation *> order;
  graph.walk([&](const Operation &op) { order.push_back(&op); });
  auto isMember = [](const Operation &op) { // runs as part of its parent
    return op.parentOp() && op.parentOp()->is(op::FusedOp::opName);
  };
  for (const Operation *op : llvm::reverse(order)) {
    if (isMember(*op))
      continue;
    bool isOnly = op->resultCount() > 0 && !op->is(op::RepeatOp::opName);
    for (size_t i = 0; i < op->resultCount(); ++i)
      isOnly &= others.count(&op->result(i)) == 0;
    if (isOnly)
      found.insert(op);
    else if (!op->is(op::GradientOp::opName))
      others.insert(op->operands().begin(), op->operands().end());
  }
  for (const Operation *op : order)
    if (isMember(*op) && found.count(op->parentOp()))
      found.insert(op);
  return found;
}

StepSequences::StepSequences(Module &module, const OpRegistry &registry, Operation &statement)
    : module(module), builder(registry), statement(statement), top(&statement) {
  while (top->parentOp())
    top = top->parentOp();
  if (auto train = as<study::TrainOp>(statement)) {
    usesTiles = train.usesTiles();
    casts = train.products().hasValue();
  }
  if (auto serve = as<study::ServeOp>(statement))
    if (target::ChipOp on = chipOf(module, serve.on()))
      usesTiles = levelFor(serve, on) == Level::Tile;
}

//===-- Sequences
//-------------------------------------------------------------------------------===//

phase::SequenceOp StepSequences::sequence(llvm::StringRef part) {
  Operation *made = builder.createBefore(*top, phase::SequenceOp::opName, statement.location());
  made->setSymbol(module.uniqueName(fmt::format("{}__{}", graph->symbol(), part)));
  made->setAttr("of", Attribute::symbol(graph->symbol()));
  made->setAttr("target", Attribute::symbol(chip.symbol()));
  made->setAttr("part", part);
  return made;
}

/// Steps go to `next` from now on; values made before count as what goes into it.
void StepSequences::open(phase::SequenceOp next) {
  now = next;
  makers.clear();
}

StepSequences::Steps StepSequences::makersOf(llvm::ArrayRef<Value *> values) const {
  Steps all;
  for (const Value *value : values) {
    auto found = makers.find(value);
    if (found != makers.end())
      all.append(found->second.begin(), found->second.end());
  }
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

static Attribute numbers(llvm::ArrayRef<uint32_t> steps) {
  AttrList list;
  for (uint32_t step : steps)
    list.emplace_back(static_cast<int64_t>(step));
  return list;
}

/// `made` is the step of `op`, whose operands it reads and whose results it makes.
void StepSequences::step(Operation &made, const Operation &op) {
  if (Steps reads = makersOf(op.operands()); !reads.empty())
    made.setAttr("after", numbers(reads));
  uint32_t number = counts[now.op]++;
  for (size_t i = 0; i < op.resultCount(); ++i)
    makers[&op.result(i)] = {number};
}

void StepSequences::run(Operation &source, target::ChipOp target) {
  for (Operation &op : module.body())
    if (auto known = as<phase::SequenceOp>(op))
      if (known.of() == source.symbol() && known.target() == target.symbol() && known.isPart())
        return;
  graph = &source;
  chip = target;
  kinds = llvm::count_if(graph->body(),
                         [](const Operation &op) { return op.is(op::RepeatOp::opName); });
  ofWeights = onlyForWeights(*graph);
  keptElsewhere = keptByNext(*graph);
  waiting.clear();
  LiveBytes made = LiveBytes::madeIn(graph->body());
  before = sequence("before");
  before->setAttr("working_bytes", made.most());
  after = kinds > 0 ? sequence("after") : phase::SequenceOp();
  Readers readers;
  int64_t kind = 0;
  for (const Operation &op : graph->body()) {
    bool isRepeat = op.is(op::RepeatOp::opName);
    kind += isRepeat;
    op.walk([&](const Operation &reader) {
      for (const Value *value : reader.operands()) {
        if (!as<op::TensorOp>(value->definingOp()))
          continue;
        std::vector<int64_t> &list = readers[value];
        int64_t number = isRepeat ? kind : kind == 0 ? 0 : kinds + 1;
        if (list.empty() || list.back() != number)
          list.push_back(number);
      }
    });
  }
  bool isBehind = false;
  open(before);
  for (Operation &op : graph->body()) {
    if (op.is(op::TensorOp::opName)) {
      topTensor(op, readers[&op.result()]);
    } else if (op.is(op::RepeatOp::opName)) {
      if (!isBehind)
        if (Steps outputs = makersOf(op.operands()); !outputs.empty())
          before->setAttr("outputs", numbers(outputs));
      isBehind = true;
      layers(op);
      open(after); // what stands between two kinds of layers, too
    } else {
      liveNow = made.during(op);
      operation(op, now->body());
    }
  }
  if (after)
    after->moveBefore(*top);
}

void StepSequences::layers(Operation &repeat) {
  const Region &body = repeat.body();
  LiveBytes made = LiveBytes::madeIn(body);
  phase::SequenceOp one = sequence("layers");
  one->setAttr("layers", as<op::RepeatOp>(repeat).count());
  if (as<op::RepeatOp>(repeat).isKept())
    one->setAttr("kept", Attribute::unit());
  int64_t input = 0;
  for (size_t i = 0; i < body.argumentCount(); ++i)
    input += bytesOfValue(body.argument(i));
  one->setAttr("input_bytes", input);
  one->setAttr("working_bytes", made.most());
  open(one);
  for (const Operation &op : body) {
    liveNow = made.during(op);
    if (op.is(op::YieldOp::opName))
      if (Steps outputs = makersOf(op.operands()); !outputs.empty())
        one->setAttr("outputs", numbers(outputs));
    if (op.is(op::RepeatOp::opName))
      inner(op, one->body());
    else
      operation(op, one->body());
  }
}

//===-- Tensors
//---------------------------------------------------------------------------------===//

/// A weight in `into`; null for other tensors.
Operation *StepSequences::weight(const Operation &op, Region &into) {
  auto tensor = as<op::TensorOp>(op);
  if (tensor.kind() != "weight")
    return nullptr;
  Operation *made = builder.create(into, phase::WeightOp::opName, op.location());
  int64_t elements = op.result().type().elements().getValueOr(0);
  made->setAttr("label", tensor.label());
  made->setAttr("elements", elements);
  made->setAttr("bytes", bytesOfValue(op.result()));
  for (llvm::StringRef flag : {"expert", "frozen"})
    if (op.hasAttr(flag))
      made->setAttr(flag, Attribute::unit());
  if (tensor.isAdapter())
    made->setAttr("adapter", op.intAttr("whole", elements));
  return made;
}

/// A weight outside of the layers stands where it is read. One that several parts read, such as the
/// table of an embedding that is also that of the output, stands in front and names them: each
/// stage with one of them holds it.
void StepSequences::topTensor(Operation &op, llvm::ArrayRef<int64_t> readers) {
  bool isAfter = after && readers.size() == 1 && readers.front() == kinds + 1;
  bool isBefore = readers.empty() || (readers.size() == 1 && readers.front() == 0);
  Operation *made = weight(op, (isAfter ? after : before)->body());
  if (made && !isAfter && !isBefore && made->intAttr("elements") > 0) {
    AttrList list;
    for (int64_t part : readers)
      list.emplace_back(part);
    made->setAttr("read_by", std::move(list));
  }
}

void StepSequences::keep(const Operation &op, int64_t bytes, llvm::StringRef purpose,
                         Region &into) {
  Operation *made = builder.create(into, phase::KeepOp::opName, op.location());
  made->setAttr("bytes", bytes * op.intAttr("copies", 1));
  made->setAttr("until", purpose);
  if (const Attribute *load = op.attr("load"))
    made->setAttr("load", *load);
}

/// Of what `op` reads, the bytes that wait for it as long as gradients of weights are put off.
void StepSequences::keepWaiting(const Operation &op, Region &into) {
  int64_t bytes = 0;
  if (!ofWeights.count(&op) || (op.parentOp() && op.parentOp()->is(op::FusedOp::opName)))
    return;
  for (const Value *value : op.operands()) {
    const Operation *maker = value->definingOp();
    bool isTensor = maker && maker->is(op::TensorOp::opName);
    bool isWeight = isTensor && as<op::TensorOp>(*maker).kind() == "weight";
    bool isMadeLater = maker && !isTensor && ofWeights.count(maker);
    if (!isWeight && !isMadeLater && waiting.insert(value).second)
      bytes += bytesOfValue(*value);
  }
  if (bytes > 0)
    keep(op, bytes, "weights", into);
}

//===-- Steps
//-----------------------------------------------------------------------------------===//

void StepSequences::region(const Region &region, Region &into) {
  for (const Operation &op : region)
    if (op.is(op::RepeatOp::opName))
      inner(op, into);
    else
      operation(op, into);
}

/// The region of `op`, a repeat or a group that has no kernel.
void StepSequences::inner(const Operation &op, Region &into) {
  const Region &body = op.body();
  for (size_t i = 0; i < std::min(body.argumentCount(), op.operandCount()); ++i) {
    Steps made = makersOf(&op.operand(i));
    makers[&body.argument(i)] = std::move(made);
  }
  Region *inside = &into;
  if (auto repeat = as<op::RepeatOp>(op)) {
    auto copy = builder.create<phase::RepeatOp>(into, op.location());
    copy->setAttr("count", repeat.count());
    inside = &copy->body();
  }
  region(body, *inside);
  for (const Operation &last : body) {
    if (!last.is(op::YieldOp::opName))
      continue;
    for (size_t i = 0; i < std::min(op.resultCount(), last.operandCount()); ++i) {
      Steps made = makersOf(&last.operand(i));
      makers[&op.result(i)] = std::move(made);
    }
  }
}

void StepSequences::operation(const Operation &op, Region &into) {
  keepWaiting(op, into);
  if (op.is(op::TensorOp::opName))
    weight(op, into);
  else if (op.is(op::CollectiveOp::opName))
    collective(op, into);
  else if (op.is(op::SaveOp::opName) && !keptElsewhere.count(&op.operand(0)))
    keep(op, bytesOfValue(op.operand(0)), "backward", into);
  KernelUse use = kernelUse(op);
  if (use.kernel)
    kernel(op, use, into);
  else if (op.is(op::FusedOp::opName))
    inner(op, into);
}

/// At the tile level lower-to-tile has cut kernels into blocks.
void StepSequences::kernel(const Operation &op, const KernelUse &use, Region &into) {
  const Operation &kernel = *use.kernel;
  std::string tiled = usesTiles ? tileSymbol(use, chip.symbol()) : "";
  bool isTiled = usesTiles && module.lookup(tiled);
  int64_t input = 0, weights = 0, output = 0, wide = 0;
  std::vector<op::OperandOp> parameters = inputsOf(op::KernelOp(module.lookup(kernel.symbol())));
  for (size_t i = 0; i < op.operandCount(); ++i) {
    const Value *operand = &op.operand(i);
    auto tensor = as<op::TensorOp>(operand->definingOp());
    if (i < parameters.size() && parameters[i].isHanded())
      continue;
    (tensor && tensor.kind() == "weight" ? weights : input) += bytesOfValue(*operand);
    if (bitsOf(operand->type().dtype()) == 16)
      wide += operand->type().elements().getValueOr(0);
  }
  for (size_t i = 0; i < op.resultCount(); ++i)
    output += bytesOfValue(op.result(i));
  auto made = builder.create<phase::KernelOp>(into, op.location());
  made->setAttr("run", Attribute::symbol(isTiled ? tiled : kernel.symbol().str()));
  made->setAttr("label", as<op::KernelOp>(kernel).declaration());
  made->setAttr("count", 1);
  made->setAttr("live_bytes", liveNow);
  made->setAttr("input_bytes", input);
  made->setAttr("output_bytes", output);
  made->setAttr("weight_bytes", weights);
  if (casts)
    made->setAttr("cast_elements", wide);
  for (llvm::StringRef name : {"load", "dropped"})
    if (const Attribute *share = op.attr(name))
      made->setAttr(name, *share);
  if (std::vector<std::string> axes = alikeAxes(op); !axes.empty())
    made->setAttr("alike", Attribute::strings(axes));
  if (isJoined(kernel))
    made->setAttr("joined", Attribute::unit());
  if (ofWeights.count(&op))
    made->setAttr("for_weights", Attribute::unit());
  if (op.hasAttr("discarded"))
    made->setAttr("discarded", Attribute::unit());
  step(*made, op);
}

void StepSequences::collective(const Operation &op, Region &into) {
  auto view = as<op::CollectiveOp>(op);
  if (view.kind() == "slice" || op.hasAttr("bucketed")) {
    Steps known = makersOf(op.operands());
    makers[&op.result()] = std::move(known);
    return;
  }
  auto made = builder.create<phase::CollectiveOp>(into, op.location());
  int64_t larger = std::max(bytesOfValue(op.operand(0)), bytesOfValue(op.result()));
  made->setAttr("kind", view.kind());
  made->setAttr("bytes", larger * op.intAttr("copies", 1));
  made->setAttr("label", fmt::format("{} {}", view.kind(), view.axis()));
  made->setAttr("axis", view.axis());
  made->setAttr("dtype", dtypeName(op.result().type().dtype()));
  for (llvm::StringRef name : {"ranks", "load", "dropped", "choices", "with"})
    if (const Attribute *value = op.attr(name))
      made->setAttr(name, *value);
  step(*made, op);
}
