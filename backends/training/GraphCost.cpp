// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/GraphCost.h"

#include "backends/core/Chip.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/op/OpOps.h"
#include "passes/KernelUses.h"
#include "passes/Names.h"
#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <utility>

using namespace perfc;
using namespace perfc::training;

void RegionCost::add(const RegionCost &other, double times) {
  seconds += other.seconds * times;
  weightsSeconds += other.weightsSeconds * times;
  macs += other.macs * times;
  flops += other.flops * times;
  energy += other.energy.times(times);
  for (Communication entry : other.communication) {
    entry.count *= times;
    auto same = llvm::find_if(communication, [&](const Communication &known) {
      return known.kind == entry.kind && known.axis == entry.axis && known.bytes == entry.bytes &&
             known.meanShare == entry.meanShare;
    });
    if (same == communication.end())
      communication.push_back(std::move(entry));
    else
      same->count += entry.count;
  }
  for (KernelTime entry : other.kernels) {
    entry.seconds *= times;
    entry.count *= times;
    entry.flops *= times;
    entry.macs *= times;
    entry.peakSeconds *= times;
    entry.energy = entry.energy.times(times);
    auto same = llvm::find_if(kernels, [&](const KernelTime &known) {
      return known.label == entry.label && known.bound == entry.bound;
    });
    if (same == kernels.end()) {
      kernels.push_back(std::move(entry));
      continue;
    }
    same->seconds += entry.seconds;
    same->count += entry.count;
    same->flops += entry.flops;
    same->macs += entry.macs;
    same->peakSeconds += entry.peakSeconds;
    same->energy += entry.energy;
  }
  savedBytes += other.savedBytes * times;
  waitingBytes += other.waitingBytes * times;
  weightElements += other.weightElements * times;
  expertElements += other.expertElements * times;
  frozenElements += other.frozenElements * times;
  frozenExperts += other.frozenExperts * times;
  adapterElements += other.adapterElements * times;
  weightBytes += other.weightBytes * times;
  expertBytes += other.expertBytes * times;
  workingBytes = std::max(workingBytes, other.workingBytes);
  dropped = std::max(dropped, other.dropped);
}

int64_t GraphCost::layerCount() const {
  int64_t sum = 0;
  for (const Layers &entry : layers)
    sum += entry.count;
  return sum;
}

static double bytesOf(const ir::Value &value) {
  return static_cast<double>(value.type().bytes().getValueOr(0));
}

/// A share that expert parallelism gives `op`.
static double shareOf(const ir::Operation &op, llvm::StringRef name, double otherwise) {
  auto value = op.quantityAttr(name);
  return value ? value->toDouble() : otherwise;
}

/// Bytes of a value that `op` moves or keeps, on the busiest rank.
static double movedBytes(const ir::Operation &op, const ir::Value &value) {
  return bytesOf(value) * static_cast<double>(op.intAttr("copies", 1)) * shareOf(op, "load", 1);
}

/// Products inside a kernel: 2 and more are attention.
static int products(const ir::Operation &kernel) {
  int count = 0;
  for (const ir::Operation &part : kernel.body())
    if (auto statement = ir::as<op::StatementOp>(part))
      count += statement.isMac();
  return count;
}

/// True when the data choose which weights `kernel` multiplies with, or has the gradients of.
static bool isOfExperts(const ir::Operation &op) {
  passes::Kernel kernel(ir::as<op::KernelOp>(op));
  auto isChosen = [](const passes::Access &access) {
    return llvm::any_of(access.ranks,
                        [](const passes::Subscript &rank) { return rank.dataDependent; });
  };
  return llvm::any_of(kernel.statements, [&](const passes::Statement &statement) {
    return statement.op.isMac() &&
           (isChosen(statement.write) || llvm::any_of(statement.reads, isChosen));
  });
}

/// True for a product with weights or of their gradients: some tensor of it has no rank that runs
/// over tokens. Products of activations (in chunks of state-space layers) have one in all.
static bool isOfWeights(const ir::Operation &op) {
  passes::Kernel kernel(ir::as<op::KernelOp>(op));
  for (const passes::Statement &statement : kernel.statements) {
    if (!statement.op.isMac())
      continue;
    for (unsigned i = 0; i < statement.extents.size(); ++i)
      if (statement.write.uses(i) &&
          llvm::all_of(statement.reads, [&](const passes::Access &read) { return read.uses(i); }))
        return false;
  }
  return true;
}

void KernelSources::add(const KernelSources &other) {
  auto addNew = [](std::vector<std::string> &all, llvm::ArrayRef<std::string> some) {
    for (const std::string &entry : some)
      if (!llvm::is_contained(all, entry))
        all.push_back(entry);
  };
  addNew(providers, other.providers);
  addNew(notes, other.notes);
  isEnergyPartial |= other.isEnergyPartial;
}

/// B/s of the memory farthest out; 0 when it is not given.
static double outermostBandwidth(const Chip &chip) {
  const ChipMemory *outer = chip.outermost();
  if (!outer)
    return 0;
  auto rate = outer->view.bandwidth() ? outer->view.bandwidth() : outer->view.readBandwidth();
  return rate ? rate->toDouble() * static_cast<double>(outer->copies) : 0;
}

GraphCoster::GraphCoster(const ir::Module &module, const ir::Operation &chip,
                         const Runtime &runtime, ProviderSet &providers,
                         DiagnosticEngine &diagnostics)
    : module(module), chip(chip), runtime(runtime), providers(providers), diagnostics(diagnostics),
      bandwidth(outermostBandwidth(Chip(chip))) {}

/// Operands of a product in fp8 are made from those in the format of the tensors. Each is used by
/// two of the three products of a layer (forward, gradient of the activations, of the weights).
/// Read once (2 B) and written once for each (1 B, in the order that its product wants) it moves 2
/// B per use; other ways to scale it take more.
double GraphCoster::castSeconds(const ir::Operation &op) const {
  if (!isInLayer || !runtime.isNarrow || bandwidth <= 0)
    return 0;
  double elements = 0;
  for (const ir::Value *operand : op.operands())
    if (bitsOf(operand->type().dtype()) == 16)
      elements += static_cast<double>(operand->type().elements().getValueOr(0));
  return runtime.castBytes * elements / (bandwidth * runtime.memory);
}

/// The provider's time with the shares of the peaks that the runtime reaches.
void GraphCoster::timeOf(const Cost &cost, const ir::Operation &op, const ir::Operation &kernel,
                         StepItem &item) const {
  double compute = 0, memory = 0, launch = 0;
  for (const CostPart &part : cost.breakdown.children) {
    if (part.kind == PartKind::Compute)
      compute += part.latency.central();
    else if (part.kind == PartKind::Memory)
      memory = std::max(memory, part.latency.central());
    else if (part.kind == PartKind::Launch)
      launch += part.latency.central();
  }
  item.seconds = cost.latency.central();
  if (compute + memory == 0)
    return;
  int macs = products(kernel);
  double share = runtime.memory;
  bool isLayers = isInLayer && macs == 1 && isOfWeights(kernel);
  if (macs > 0)
    share = macs > 1 ? runtime.attention : runtime.product(isLayers, isOfExperts(kernel));
  double casts = isLayers ? castSeconds(op) : 0;
  item.compute = compute / share;
  item.memory = memory / runtime.memory;
  item.seconds = std::max(item.compute, item.memory) + casts + runtime.launch.getValueOr(launch);
}

bool GraphCoster::kernel(const ir::Operation &op, const ir::Operation &kernel, RegionCost &cost) {
  size_t errors = diagnostics.errorCount();
  // With `using tile`, lower-to-tile has cut the kernel into blocks.
  const ir::Operation *run = module.lookup(passes::tileSymbol(kernel.symbol(), chip.symbol()));
  run = runtime.usesTiles && run ? run : &kernel;
  const Cost *found = providers.evaluate({run, &chip, nullptr}, hashes, diagnostics);
  if (!found) {
    if (diagnostics.errorCount() == errors)
      diagnostics.report(op.range(), diag::NoCost, kernel.symbol());
    return false;
  }
  sources.add({{found->provenance.provider}, found->notes, found->energy.isPartial});
  RegionCost own;
  own.dropped = shareOf(op, "dropped", 0);
  double done = 1 - own.dropped; // in the mean over all ranks; the busiest sets the time
  StepItem item;
  timeOf(*found, op, kernel, item);
  double load = shareOf(op, "load", 1);
  own.seconds = item.seconds * load;
  own.weightsSeconds = ofWeights.count(&op) ? own.seconds : 0;
  own.macs = static_cast<double>(found->macs) * done;
  own.flops = static_cast<double>(found->flops) * done;
  own.energy = found->energy.times(done);
  own.kernels.push_back({ir::as<op::KernelOp>(kernel).declaration().str(), op.range(),
                         found->bottleneck().str(), own.seconds, 1, own.flops, own.macs,
                         (found->utilization * found->latency).central() * done, own.energy});
  for (const ir::Value *operand : op.operands())
    own.workingBytes += bytesOf(*operand);
  for (size_t i = 0; i < op.resultCount(); ++i)
    own.workingBytes += bytesOf(op.result(i));
  cost.add(own);
  item.name = own.kernels.front().label;
  item.seconds = own.seconds;
  item.compute *= load;
  item.memory *= load;
  item.flops = own.flops;
  item.setEnergy(own.energy.known, own.energy.isGiven());
  item.bytes = own.workingBytes;
  recorder.record(op, std::move(item));
  return true;
}

void GraphCoster::tensor(const ir::Operation &op, RegionCost &cost) {
  if (ir::as<op::TensorOp>(op).kind() != "weight")
    return;
  auto elements = static_cast<double>(op.result().type().elements().getValueOr(0));
  cost.weightElements += elements;
  bool isExpert = ir::as<op::TensorOp>(op).isExpert(),
       isFrozen = ir::as<op::TensorOp>(op).isFrozen();
  cost.expertElements += isExpert ? elements : 0;
  cost.frozenElements += isFrozen ? elements : 0;
  cost.frozenExperts += isExpert && isFrozen ? elements : 0;
  if (ir::as<op::TensorOp>(op).isAdapter())
    cost.adapterElements +=
        static_cast<double>(op.intAttr("whole", static_cast<int64_t>(elements)));
  cost.weightBytes += bytesOf(op.result());
  cost.expertBytes += isExpert ? bytesOf(op.result()) : 0;
}

using Readers = llvm::DenseMap<const ir::Value *, GraphCost::SharedWeight>;

/// Which parts of a graph read the tensors that stand outside of its layers.
static Readers readersOf(const ir::Region &graph) {
  Readers readers;
  size_t kinds = 0, kind = 0;
  for (const ir::Operation &op : graph)
    kinds += op.is(op::RepeatOp::opName);
  for (const ir::Operation &op : graph) {
    bool isRepeat = op.is(op::RepeatOp::opName);
    op.walk([&](const ir::Operation &reader) {
      for (const ir::Value *value : reader.operands()) {
        const ir::Operation *maker = value->definingOp();
        if (!maker || !maker->is(op::TensorOp::opName) || maker->parentRegion() != &graph)
          continue;
        GraphCost::SharedWeight &uses = readers[value];
        uses.layers.resize(kinds, false);
        if (isRepeat)
          uses.layers[kind] = true;
        else
          (kind == 0 ? uses.before : uses.after) = true;
      }
    });
    kind += isRepeat;
  }
  return readers;
}

/// A weight outside of the layers counts where it is read.
void GraphCoster::topTensor(const ir::Operation &op, GraphCost::SharedWeight uses,
                            GraphCost &graph) {
  bool inLayers = llvm::is_contained(uses.layers, true);
  if (!inLayers && !(uses.before && uses.after))
    return tensor(op, uses.after ? graph.after : graph.before);
  tensor(op, uses.weights);
  if (uses.weights.weightElements == 0)
    return;
  // Once in all, for checkpoints.
  graph.before.adapterElements += std::exchange(uses.weights.adapterElements, 0);
  if (uses.before || uses.after)
    (uses.before ? graph.before : graph.after).add(uses.weights);
  graph.shared.push_back(std::move(uses));
}

/// Tokens on their way to experts or back are sorted by expert beside what the program says.
RegionCost GraphCoster::sorting(const ir::Operation &op, double elements) const {
  RegionCost cost;
  if (runtime.permuteBytes <= 0 || bandwidth <= 0)
    return cost;
  cost.seconds = runtime.permuteBytes * elements / (bandwidth * runtime.memory);
  cost.kernels.push_back({"sort tokens", op.range(), "memory", cost.seconds, 1});
  return cost;
}

void GraphCoster::collective(const ir::Operation &op, RegionCost &cost) {
  auto view = ir::as<op::CollectiveOp>(op);
  if (view.kind() == "slice" || op.hasAttr("bucketed"))
    return recorder.passThrough(op);
  RegionCost own;
  double bytes = std::max(movedBytes(op, op.operand(0)), movedBytes(op, op.result()));
  double format = bitsOf(op.result().type().dtype()) / 8.0;
  if (isInLayer && view.kind() == "all_gather" && view.axis() == "tensor")
    bytes *= runtime.gathered(format) / format;
  bytes += static_cast<double>(op.intAttr("with", 0));
  double rows = bytes / format;
  bytes *= runtime.sentShare(op.intAttr("choices", 1), op.intAttr("ranks", 1));
  double mean = (1 - shareOf(op, "dropped", 0)) / shareOf(op, "load", 1);
  own.communication.push_back({view.kind().str(), view.axis().str(), bytes, 1, mean});
  if (view.axis() == "expert" && view.kind() == "all_to_all") {
    RegionCost sort = sorting(op, rows);
    own.add(sort);
    if (sort.seconds > 0) {
      StepItem item{sort.kernels.front().label, sort.seconds, 0};
      item.bytes = runtime.permuteBytes * rows;
      recorder.prepare(op, std::move(item));
    }
  }
  cost.add(own);
  StepItem item{fmt::format("{} {}", view.kind(), view.axis())};
  item.bytes = bytes;
  item.kind = view.kind().str();
  item.axis = view.axis().str();
  recorder.record(op, std::move(item));
}

/// Of what `op` reads, the bytes that wait for it as long as gradients of weights are put off.
double GraphCoster::waitingBytes(const ir::Operation &op) {
  double bytes = 0;
  if (!ofWeights.count(&op) || (op.parentOp() && op.parentOp()->is(op::FusedOp::opName)))
    return bytes;
  for (const ir::Value *value : op.operands()) {
    const ir::Operation *maker = value->definingOp();
    bool isTensor = maker && maker->is(op::TensorOp::opName);
    bool isWeight = isTensor && ir::as<op::TensorOp>(*maker).kind() == "weight";
    bool isMadeLater = maker && !isTensor && ofWeights.count(maker);
    if (!isWeight && !isMadeLater && waiting.insert(value).second)
      bytes += movedBytes(op, *value);
  }
  return bytes;
}

bool GraphCoster::operation(const ir::Operation &op, RegionCost &cost) {
  cost.waitingBytes += waitingBytes(op);
  if (op.is(op::TensorOp::opName))
    tensor(op, cost);
  else if (op.is(op::CollectiveOp::opName))
    collective(op, cost);
  else if (op.is(op::SaveOp::opName))
    cost.savedBytes += movedBytes(op, op.operand(0));
  passes::KernelUse use = passes::kernelUse(op);
  if (use.kernel)
    return kernel(op, *use.kernel, cost);
  return !op.is(op::FusedOp::opName) || inner(op, 1, cost);
}

/// The region of `op`, run `count` times.
bool GraphCoster::inner(const ir::Operation &op, int64_t count, RegionCost &cost) {
  RegionCost one;
  recorder.enter(op, count);
  if (!region(op.body(), one))
    return false;
  recorder.leave(op, count);
  cost.add(one, static_cast<double>(count));
  return true;
}

bool GraphCoster::region(const ir::Region &region, RegionCost &cost) {
  for (const ir::Operation &op : region) {
    if (auto repeat = ir::as<op::RepeatOp>(op)) {
      if (!inner(op, repeat.count(), cost))
        return false;
    } else if (!operation(op, cost)) {
      return false;
    }
  }
  return true;
}

/// The most bytes that values made in `region` take at one time; what comes from outside is counted
/// elsewhere.
static double liveBytes(const ir::Region &region) {
  llvm::DenseMap<const ir::Value *, const ir::Operation *> last;
  for (const ir::Operation &op : region)
    op.walk([&](const ir::Operation &user) {
      for (const ir::Value *value : user.operands())
        last[value] = &op;
    });
  double now = 0, most = 0;
  for (const ir::Operation &op : region) {
    if (op.is(op::TensorOp::opName))
      continue;
    for (size_t i = 0; i < op.resultCount(); ++i)
      now += bytesOf(op.result(i));
    most = std::max(most, now);
    llvm::DenseSet<const ir::Value *> freed;
    auto release = [&](const ir::Value &value) {
      bool isMade = value.definingOp() && !value.definingOp()->is(op::TensorOp::opName) &&
                    value.definingOp()->parentRegion() == &region;
      if (isMade && (!last.count(&value) || last.lookup(&value) == &op) &&
          freed.insert(&value).second)
        now -= bytesOf(value);
    };
    for (const ir::Value *operand : op.operands())
      release(*operand);
    for (size_t i = 0; i < op.resultCount(); ++i)
      if (!last.count(&op.result(i)))
        release(op.result(i));
  }
  return most;
}

/// The operations of `graph` whose results go to gradients of weights and nowhere else.
static llvm::DenseSet<const ir::Operation *> onlyForWeights(const ir::Operation &graph) {
  llvm::DenseSet<const ir::Operation *> found;
  llvm::DenseSet<const ir::Value *> others; // what something else reads
  std::vector<const ir::Operation *> order;
  graph.walk([&](const ir::Operation &op) { order.push_back(&op); });
  auto isMember = [](const ir::Operation &op) { // runs as part of its parent
    return op.parentOp() && op.parentOp()->is(op::FusedOp::opName);
  };
  for (const ir::Operation *op : llvm::reverse(order)) {
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
  for (const ir::Operation *op : order)
    if (isMember(*op) && found.count(op->parentOp()))
      found.insert(op);
  return found;
}

llvm::Optional<GraphCost> GraphCoster::run(const ir::Operation &graph) {
  GraphCost result;
  ofWeights = onlyForWeights(graph);
  waiting.clear();
  Readers readers = readersOf(graph.body());
  recorder.open(result.before.block);
  for (const ir::Operation &op : graph.body()) {
    auto repeat = ir::as<op::RepeatOp>(op);
    if (op.is(op::TensorOp::opName)) {
      topTensor(op, readers.lookup(&op.result()), result);
      continue;
    }
    if (!repeat) {
      if (!operation(op, result.layers.empty() ? result.before : result.after))
        return llvm::None;
      continue;
    }
    if (result.layers.empty())
      recorder.close(op);
    // What stands between two stretches of layers goes with the first of the second stretch.
    RegionCost one;
    recorder.open(one.block);
    isInLayer = true;
    if (!region(op.body(), one))
      return llvm::None;
    isInLayer = false;
    for (const ir::Operation &last : op.body())
      if (last.is(op::YieldOp::opName))
        recorder.close(last);
    recorder.open(result.after.block);
    one.workingBytes = std::max(one.workingBytes, liveBytes(op.body()));
    for (size_t i = 0; i < op.body().argumentCount(); ++i)
      one.inputBytes += bytesOf(op.body().argument(i));
    result.layers.push_back({repeat.count(), std::move(one), repeat.isKept()});
  }
  double top = liveBytes(graph.body());
  result.before.workingBytes = std::max(result.before.workingBytes, top);
  return result;
}
