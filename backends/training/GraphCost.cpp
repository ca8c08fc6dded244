// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/GraphCost.h"

#include "backends/core/Chip.h"
#include "backends/core/StackTime.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/op/OpOps.h"
#include "ir/phase/PhaseOps.h"
#include "ir/tile/TileOps.h"
#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <utility>

using namespace perfc;
using namespace perfc::training;

/// A share that expert parallelism gives `op`.
static double shareOf(const ir::Operation &op, llvm::StringRef name, double otherwise) {
  auto value = op.quantityAttr(name);
  return value ? value->toDouble() : otherwise;
}

/// Bytes that `op` moves or keeps, on the busiest rank.
static double busiestBytes(const ir::Operation &op) {
  return static_cast<double>(op.intAttr("bytes")) * shareOf(op, "load", 1);
}

/// Sets of weights among which the data choose those that `statement` multiplies with, or has the
/// gradients of; 0 where they choose none.
static int64_t expertsOf(const passes::Statement &statement) {
  int64_t experts = 0;
  auto count = [&](const passes::Access &access) {
    for (size_t rank = 0; rank < access.ranks.size(); ++rank)
      if (access.ranks[rank].dataDependent)
        experts = std::max(experts, access.shape[rank]);
  };
  count(statement.write);
  llvm::for_each(statement.reads, count);
  return experts;
}

/// True where an index runs over all tensors of `statement`, as in products of activations.
static bool sharesIndex(const passes::Statement &statement) {
  for (unsigned i = 0; i < statement.extents.size(); ++i)
    if (statement.write.uses(i) &&
        llvm::all_of(statement.reads, [&](const passes::Access &read) { return read.uses(i); }))
      return true;
  return false;
}

KernelFacts::KernelFacts(const ir::Operation &op) {
  passes::Kernel kernel(ir::as<op::KernelOp>(op));
  for (const passes::Statement &statement : kernel.statements) {
    hasMaximum |= statement.op.reduce() == "max";
    if (!statement.op.isMac())
      continue;
    ++products;
    experts = std::max(experts, expertsOf(statement));
    isOfWeights &= !sharesIndex(statement);
  }
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
      bandwidth(outermostBandwidth(Chip(chip))), power(chip) {
  if (std::string note = unlimitedNote(Chip(chip)); !note.empty())
    sources.notes.push_back(std::move(note));
  for (const ir::Operation &op : module.body())
    if (auto part = ir::as<phase::SequenceOp>(op);
        part && part.isPart() && part.target() == chip.symbol())
      sequences.push_back(part);
}

/// Operands of a product in fp8 are made from those in the format of the tensors. Each is used by
/// two of the three products of a layer (forward, gradient of the activations, of the weights).
/// Read once (2 B) and written once for each (1 B, in the order that its product wants) it moves 2
/// B per use; other ways to scale it take more.
double GraphCoster::castSeconds(const ir::Operation &op) const {
  if (!isInLayer || !runtime.isNarrow || bandwidth <= 0)
    return 0;
  auto elements = static_cast<double>(op.intAttr("cast_elements"));
  return runtime.castBytes * elements / (bandwidth * runtime.memory);
}

/// The provider's time with the shares of the peaks that the runtime reaches.
void GraphCoster::timeOf(const Cost &cost, const ir::Operation &op, const KernelFacts &kernel,
                         StepItem &item) const {
  item.seconds = cost.latency.central();
  if (!cost.work)
    return;
  double compute = cost.work->compute.central(), memory = cost.memorySeconds();
  double launch = cost.work->launch.central();
  bool isOfLibrary = !cost.provenance.library.empty();
  if (isOfLibrary) { // overlaps imperfectly, and fills its pipelines
    compute = cost.work->unit.central();
    launch = item.seconds - std::max(compute, memory);
  }
  if (compute + memory == 0)
    return;
  bool isLayers = isLayerProduct(kernel);
  double highest = runtime.isIdeal || isOfLibrary ? 1 : power.boost();
  compute /= highest; // until the power limit lowers the clock
  if (kernel.products > 1) {
    double peak = (cost.utilization * cost.latency).central() / highest;
    double products = isOfLibrary ? compute : std::min(compute, peak);
    compute = isChunked(kernel) ? runtime.chunked(products, compute - products)
                                : runtime.fused(kernel.products, products, compute - products);
  } else {
    compute /= kernel.products > 0 ? runtime.product(isLayers, kernel.experts > 0) : runtime.memory;
  }
  double casts = isLayers ? castSeconds(op) : 0;
  item.compute = compute;
  item.memory = memory / runtime.memory;
  item.launch = cost.work->launch.central();
  item.seconds = std::max(item.compute, item.memory) + casts + runtime.launch.getValueOr(launch);
  if (kernel.products > 0)
    item.seconds += hostSeconds(kernel);
}

/// True for fused products without a softmax, where the runtime tells them from attention.
bool GraphCoster::isChunked(const KernelFacts &kernel) const {
  return kernel.products > 1 && !kernel.hasMaximum && runtime.stateSpace > 0;
}

/// True for a product with weights of a layer, which runs in the format of `products`.
bool GraphCoster::isLayerProduct(const KernelFacts &kernel) const {
  return isInLayer && kernel.products == 1 && kernel.isOfWeights;
}

/// What a kernel draws whose units compute for `clocked` seconds.
PowerDemand GraphCoster::demand(const Cost &cost, const ir::Operation &op,
                                const KernelFacts &kernel, double clocked) const {
  if (runtime.isIdeal || !cost.work)
    return {};
  if (!cost.provenance.library.empty()) // whose times and energies are of a clock that has fallen
    return cost.work->demand;
  bool isLayers = isLayerProduct(kernel);
  double seconds = cost.memorySeconds() + (isLayers ? castSeconds(op) * runtime.memory : 0);
  bool isNarrow =
      kernel.products > 1 ? runtime.hasNarrowAttention() && !isChunked(kernel) : isLayers;
  DType format = isNarrow && runtime.products ? *runtime.products : runtime.format;
  return power.demand(static_cast<double>(cost.macs), format, seconds * bandwidth, clocked);
}

/// The host starts products of experts when it knows how many tokens each has.
double GraphCoster::hostSeconds(const KernelFacts &kernel) const {
  if (kernel.experts == 0)
    return 0;
  return runtime.expertHost + static_cast<double>(kernel.experts) * runtime.expertLaunch;
}

/// Adds `item`, the next kernel or collective, behind those whose results it reads.
void GraphCoster::record(const ir::Operation &op, StepItem item, llvm::Optional<StepItem> first) {
  for (int64_t step : op.intsAttr("after"))
    item.after.push_back(items[step]);
  item.count = runs;
  if (first) { // runs on what the step reads
    first->after = std::move(item.after);
    first->count = runs;
    item.after = {static_cast<uint32_t>(block->items.size())};
    block->items.push_back(std::move(*first));
  }
  items.push_back(static_cast<uint32_t>(block->items.size()));
  block->items.push_back(std::move(item));
}

bool GraphCoster::kernel(phase::KernelOp op, RegionCost &cost) {
  StepItem item;
  item.name = op.label().str();
  item.isOfContext = op->hasAttr("of_context");
  item.isJoined = op.isJoined();
  item.alike = op->stringsAttr("alike");
  if (item.isOfContext ? !wanted.ofContext : !wanted.tokenWise) {
    record(*op, std::move(item));
    return true;
  }
  const ir::Operation *run = module.lookup(op.run()), *kernel = run;
  if (auto tiled = ir::as<tile::KernelOp>(run))
    kernel = module.lookup(tiled.run());
  size_t errors = diagnostics.errorCount();
  const Cost *found = providers.evaluate({run, &chip, nullptr}, hashes, diagnostics);
  if (!found) {
    if (diagnostics.errorCount() == errors)
      diagnostics.report(op->range(), diag::NoCost, kernel->symbol());
    return false;
  }
  sources.add(KernelSources(*found));
  item.isPromptAttention = isPromptAttention(*run);
  KernelFacts facts(*kernel);
  RegionCost own;
  own.dropped = shareOf(*op, "dropped", 0);
  double done = 1 - own.dropped; // in the mean over all ranks; the busiest sets the time
  double load = shareOf(*op, "load", 1);
  if (runtime.earlyStop && op->hasAttr("discarded"))
    done = load = 0;
  else
    timeOf(*found, *op, facts, item);
  own.seconds = item.seconds * load;
  own.power.add(demand(*found, *op, facts, item.compute), load);
  own.weightsSeconds = op->hasAttr("for_weights") ? own.seconds : 0;
  own.macs = static_cast<double>(found->macs) * done;
  own.flops = static_cast<double>(found->flops) * done;
  own.energy = found->energy.times(done);
  own.kernels.push_back(
      {op.label().str(), op->range(), found->bottleneck().str(), own.seconds, 1, own.flops,
       own.macs, (found->utilization * found->latency).central() * done, own.energy, item.alike});
  own.workingBytes = static_cast<double>(op.inputBytes() + op.outputBytes() + op.weightBytes());
  cost.add(own);
  item.seconds = own.seconds;
  item.setTimeMoves(found->latency);
  item.compute *= load;
  item.memory *= load;
  item.flops = own.flops;
  item.setEnergy(own.energy.known, own.energy.isGiven());
  item.bytes = own.workingBytes;
  record(*op, std::move(item));
  return true;
}

/// One that several parts read goes with the first of those before and behind the layers, and is
/// noted.
static void addWeight(phase::WeightOp op, GraphCost &graph, RegionCost &cost) {
  RegionCost own;
  auto elements = static_cast<double>(op.elements()), bytes = static_cast<double>(op.bytes());
  own.weightElements = elements;
  own.expertElements = op.isExpert() ? elements : 0;
  own.frozenElements = op.isFrozen() ? elements : 0;
  own.frozenExperts = op.isExpert() && op.isFrozen() ? elements : 0;
  own.adapterElements = static_cast<double>(op.adapterElements());
  own.weightBytes = bytes;
  own.expertBytes = op.isExpert() ? bytes : 0;
  std::vector<int64_t> readers = op.readBy();
  if (readers.empty())
    return cost.add(own);
  GraphCost::SharedWeight shared;
  // Once in all, for checkpoints.
  graph.before.adapterElements += std::exchange(own.adapterElements, 0);
  auto kinds = static_cast<int64_t>(graph.layers.size());
  shared.layers.resize(graph.layers.size(), false);
  for (int64_t reader : readers) {
    shared.before |= reader == 0;
    shared.after |= reader > kinds;
    if (reader > 0 && reader <= kinds)
      shared.layers[reader - 1] = true;
  }
  if (shared.before || shared.after)
    (shared.before ? graph.before : graph.after).add(own);
  shared.weights = std::move(own);
  graph.shared.push_back(std::move(shared));
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

void GraphCoster::collective(phase::CollectiveOp op, RegionCost &cost) {
  RegionCost own;
  double bytes = busiestBytes(*op);
  double format = bitsOf(*parseDType(op->stringAttr("dtype"))) / 8.0;
  if (isInLayer && op.kind() == "all_gather" && op.axis() == "tensor")
    bytes *= runtime.gathered(format) / format;
  bytes *= study::sumWidening(op.kind(), op.axis(), 8 * format, runtime.sumBytes);
  bytes += static_cast<double>(op->intAttr("with", 0));
  double rows = bytes / format;
  bytes *= runtime.sentShare(op->intAttr("choices", 1), op->intAttr("ranks", 1));
  double mean = (1 - shareOf(*op, "dropped", 0)) / shareOf(*op, "load", 1);
  own.communication.push_back({op.kind().str(), op.axis().str(), bytes, 1, mean});
  llvm::Optional<StepItem> sort;
  if (op.axis() == "expert" && op.kind() == "all_to_all") {
    RegionCost sorted = sorting(*op, rows);
    own.add(sorted);
    if (sorted.seconds > 0) {
      sort = StepItem{sorted.kernels.front().label, sorted.seconds, 0};
      sort->bytes = runtime.permuteBytes * rows;
    }
  }
  cost.add(own);
  StepItem item{op.label().str()};
  item.bytes = bytes;
  item.kind = op.kind().str();
  item.axis = op.axis().str();
  record(*op, std::move(item), std::move(sort));
}

bool GraphCoster::region(const ir::Region &region, GraphCost &graph, RegionCost &cost) {
  for (const ir::Operation &op : region) {
    if (auto weight = ir::as<phase::WeightOp>(op))
      addWeight(weight, graph, cost);
    else if (auto keep = ir::as<phase::KeepOp>(op))
      (keep.isForWeights() ? cost.waitingBytes : cost.savedBytes) += busiestBytes(op);
    else if (auto exchange = ir::as<phase::CollectiveOp>(op))
      collective(exchange, cost);
    else if (auto one = ir::as<phase::KernelOp>(op); one && !kernel(one, cost))
      return false;
    auto repeat = ir::as<phase::RepeatOp>(op);
    if (!repeat)
      continue;
    RegionCost one;
    runs *= repeat.count();
    if (!this->region(op.body(), graph, one))
      return false;
    runs /= repeat.count();
    cost.add(one, static_cast<double>(repeat.count()));
  }
  return true;
}

llvm::Optional<GraphCost> GraphCoster::run(llvm::StringRef graph, KernelsWanted kernels) {
  wanted = kernels;
  GraphCost result;
  std::vector<phase::SequenceOp> parts;
  for (phase::SequenceOp part : sequences)
    if (part.of() == graph)
      parts.push_back(part);
  for (phase::SequenceOp part : parts)
    if (part.part() == "layers")
      result.layers.push_back({part.layers(), {}, part.isKept()});
  size_t kind = 0;
  for (phase::SequenceOp part : parts) {
    isInLayer = part.part() == "layers";
    RegionCost &cost = isInLayer                ? result.layers[kind++].one
                       : part.part() == "after" ? result.after
                                                : result.before;
    block = &cost.block;
    items.clear();
    if (!region(part->body(), result, cost))
      return llvm::None;
    for (int64_t step : part.outputs())
      block->outputs.push_back(items[step]);
    cost.workingBytes =
        std::max(cost.workingBytes, static_cast<double>(part->intAttr("working_bytes")));
    cost.inputBytes = static_cast<double>(part->intAttr("input_bytes"));
  }
  isInLayer = false;
  return result;
}

void GraphCoster::accumulate(const GraphCost &forward, GraphCost &backward) const {
  if (runtime.accumulateBytes <= 0 || bandwidth <= 0)
    return;
  auto add = [&](const RegionCost &weights, RegionCost &gradients) {
    double bytes = (weights.trainedDense() + weights.trainedExperts()) * runtime.accumulateBytes;
    RegionCost sum;
    sum.seconds = sum.weightsSeconds = bytes / (bandwidth * runtime.memory);
    if (sum.seconds <= 0)
      return;
    sum.kernels.push_back({"add gradients", {}, "memory", sum.seconds, 1});
    gradients.add(sum);
    StepItem item{"add gradients", sum.seconds};
    item.bytes = bytes;
    if (!gradients.block.items.empty())
      item.after.push_back(static_cast<uint32_t>(gradients.block.items.size() - 1));
    gradients.block.items.push_back(std::move(item));
  };
  size_t kinds = forward.layers.size();
  for (size_t kind = 0; kind < kinds; ++kind)
    add(forward.layers[kind].one, backward.layers[kinds - 1 - kind].one);
  add(forward.before, backward.after);
  add(forward.after, backward.before);
}
