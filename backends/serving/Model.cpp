// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Model.h"

#include "backends/core/Chip.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Serving.h"
#include "ir/op/OpOps.h"
#include "ir/study/TrainOps.h"
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/analysis/KernelModel.h"
#include "passes/analysis/LiveBytes.h"
#include "passes/training/StepPlan.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

ServedModel::ServedModel(const ir::Module &module, study::ServeOp serve, study::PoolOp pool,
                         ProviderSet &providers, DiagnosticEngine &diagnostics)
    : tensor(pool.degree("tensor")), stages(pool.degree("pipeline")), groups(pool.groups()),
      copies(pool.copies()), module(module), serve(serve), pool(pool),
      system(*module.lookup(pool.on())), providers(providers), diagnostics(diagnostics),
      network(std::make_shared<RankNetwork>(system, providers, diagnostics)) {
  network->readRuntime(*serve);
}

//===-- The system
//-----------------------------------------------------------------------------===//

bool ServedModel::checkSystem() {
  if (!network->readFaults(serve->range()))
    return false;
  chips = network->chips();
  int64_t data = copies * groups, ranks = tensor * stages * data;
  if (ranks != chips) {
    std::string degrees = "no parallelism";
    if (ranks > 1)
      degrees = fmt::format("tensor {} * pipeline {}", tensor, stages) +
                (data > 1 ? fmt::format(" * data {}", data) : "");
    diagnostics
        .report(pool->range(), diag::RanksAndServingChips, degrees,
                counted(static_cast<uint64_t>(ranks), "rank"), pool.on(),
                counted(static_cast<uint64_t>(chips), "chip"))
        .help("the product of the degrees is the number of chips; `data` are copies of the model");
    return false;
  }
  if (network->places().kinds().size() > 1) {
    diagnostics.report(serve->range(), diag::BadServeValue,
                       "chips of several kinds cannot serve one model yet");
    return false;
  }
  if (network->places().hasSlowChips()) {
    diagnostics.report(
        serve->range(), diag::BadServeValue,
        "a system with slow chips (`fault chip[…] { slowdown … }`) cannot serve yet");
    return false;
  }
  Chip chip(*passes::chipOf(module, pool.on()));
  if (const ChipMemory *outer = chip.outermost()) {
    memory = outer->name().str();
    if (auto bytes = outer->view.capacity())
      capacity = bytes->toDouble() * static_cast<double>(outer->copies);
  }
  for (const UnitRate &unit : chip.macUnits(serve.dtype()))
    peak += 2 * unit.rate.central();
  area = areaOf(chip);
  return true;
}

//===-- Costs
//----------------------------------------------------------------------------------===//

bool ServedModel::costCollectives(StepBlock &block) {
  for (StepItem &item : block.items) {
    if (item.kind.empty())
      continue;
    // Experts are divided among groups of tensor-parallel ranks.
    AxisPlace place = item.axis == "expert" ? AxisPlace{groups, tensor} : AxisPlace{tensor, 1};
    const Cost *found = network->cost(item.kind, place, item.bytes, serve->range());
    if (!found)
      return false;
    item.seconds = found->latency.central();
    item.setEnergy(found->energy.known, found->energy.isGiven());
    energyOwners += found->energy;
    errors.add(found->errors);
  }
  return true;
}

bool ServedModel::costKernels() {
  const ir::Operation &chip = *passes::chipOf(module, pool.on());
  training::Runtime runtime = training::Runtime::read(*serve);
  training::GraphCoster coster(module, chip, runtime, providers, diagnostics);
  for (study::SampleOp sizes : pool.samples()) {
    Sample sample{sizes.isDecode(), sizes.isPiece(), sizes.batch(),
                  sizes.tokens(),   sizes.context(), {}};
    training::KernelsWanted wanted;
    if (!samples.empty()) // the first one has all weights
      wanted = {!sample.isDecode && sample.before() == 0, sample.isDecode || sample.isPiece};
    auto cost = coster.run(sizes.graph(), wanted);
    if (!cost)
      return false;
    sample.cost = std::move(*cost);
    samples.push_back(std::move(sample));
  }
  sources = std::move(coster.sources);
  return true;
}

bool ServedModel::costExchanges() {
  for (Sample &sample : samples) {
    GraphCost &graph = sample.cost;
    bool isGood = costCollectives(graph.before.block) && costCollectives(graph.after.block);
    energyOwners += graph.before.energy;
    energyOwners += graph.after.energy;
    for (GraphCost::Layers &layers : graph.layers) {
      isGood = isGood && costCollectives(layers.one.block);
      energyOwners += layers.one.energy;
    }
    if (!isGood)
      return false;
  }
  return true;
}

llvm::Optional<RankNetwork::Handover> ServedModel::handOver(int64_t stage, double tokens) const {
  passes::ChipSet from{stage * tensor, tensor, std::max(network->chips(), (stage + 1) * tensor)};
  bool isSplit = study::partOf<study::RuntimeOp>(*serve)->hasAttr("split_sends") && tensor > 1;
  return network->handOver(from, tensor, tokens * boundaryBytes,
                           isSplit ? AxisPlace(tensor, 1) : AxisPlace(), serve->range());
}

llvm::Optional<double> ServedModel::sendSeconds(int64_t stage, double tokens) const {
  auto passed = handOver(stage, tokens);
  return passed ? llvm::Optional<double>(passed->seconds()) : llvm::None;
}

Figure ServedModel::sendEnergy(double tokens) const {
  Figure sum;
  for (int64_t stage = 0; stage + 1 < stages; ++stage)
    if (auto passed = handOver(stage, tokens)) {
      sum += passed->send->energy.times(static_cast<double>(tensor));
      if (passed->gather)
        sum += passed->gather->energy;
    }
  return sum;
}

//===-- Memory
//---------------------------------------------------------------------------------===//

/// Bytes of the tensors of `kind` in `op` with at least `ranks` ranks, with those of the repeats
/// inside it as often as they run.
static double bytesIn(const ir::Operation &op, llvm::StringRef kind, size_t ranks = 0) {
  double bytes = 0;
  auto tensor = ir::as<op::TensorOp>(op);
  if (tensor && tensor.kind() == kind && op.result().type().shape().size() >= ranks)
    bytes += static_cast<double>(op.result().type().bytes().getValueOr(0));
  for (size_t i = 0; i < op.regionCount(); ++i)
    for (const ir::Operation &inner : op.region(i)) {
      auto repeat = ir::as<op::RepeatOp>(inner);
      bytes += bytesIn(inner, kind, ranks) * (repeat ? static_cast<double>(repeat.count()) : 1);
    }
  return bytes;
}

/// Bytes of the caches of a layer of each stretch; those of anything else stand in front.
static std::vector<double> cacheBytes(const ir::Operation &graph) {
  std::vector<double> bytes{0};
  for (const ir::Operation &op : graph.body()) {
    if (op.is(op::RepeatOp::opName))
      bytes.push_back(bytesIn(op, "cache"));
    else
      bytes.front() += bytesIn(op, "cache");
  }
  return bytes;
}

/// Bytes of what a kernel with several products hands from one to the next: each product of a
/// feed-forward layer runs by itself. Products without weights, as in attention, are one kernel.
static double bytesBetweenProducts(op::KernelOp kernel) {
  llvm::StringSet<> made, handedOn; // so far, and what was made before the last product
  size_t products = 0;
  bool hasWeight = false;
  for (ir::Operation &part : kernel->body()) {
    auto operand = ir::as<op::OperandOp>(part);
    hasWeight |= operand && operand.role() == "weight";
    auto statement = ir::as<op::StatementOp>(part);
    if (!statement)
      continue;
    if (statement.isMac()) {
      ++products;
      handedOn = made;
    }
    made.insert(statement.write().find("tensor")->asString());
  }
  if (products < 2 || !hasWeight)
    return 0;
  double bytes = 0;
  for (ir::Operation &part : kernel->body())
    if (auto operand = ir::as<op::OperandOp>(part);
        operand && operand.role() == "intermediate" && handedOn.contains(part.symbol()))
      bytes += static_cast<double>(passes::typeOf(operand).bytes().getValueOr(0));
  return bytes;
}

/// The most that is live beside weights and caches in the layers and what stands before them.
static double mostActivations(const ir::Operation &graph) {
  passes::LiveBytes live(graph);
  double most = 0;
  const ir::Operation *last = nullptr;
  for (const ir::Operation &op : graph.body())
    if (op.is(op::RepeatOp::opName))
      last = &op;
  for (const ir::Operation &top : graph.body()) {
    top.walk([&](const ir::Operation &op) {
      passes::KernelUse use = passes::kernelUse(op);
      if (!use.kernel || live.during(op) == 0) // a member of a group runs with it
        return;
      double here = static_cast<double>(live.during(op) - live.weightsAndCaches());
      most = std::max(most, here + bytesBetweenProducts(use.kernel));
    });
    if (&top == last)
      break;
  }
  return most;
}

/// Elements of what the graph returns.
static double returnedElements(const ir::Operation &graph, double &bytes) {
  double elements = 0;
  for (const ir::Operation &op : graph.body())
    if (op.is(op::ReturnOp::opName))
      for (const ir::Value *value : op.operands()) {
        elements += static_cast<double>(value->type().elements().getValueOr(0));
        bytes += static_cast<double>(value->type().bytes().getValueOr(0));
      }
  return elements;
}

/// Activations grow with the tokens of a batch; what comes out, with those that come out. Of these
/// the sampler of vLLM makes logits, probabilities and their logarithms in fp32, which its
/// profiling run counts (Sampler.forward of its versions with the first engine).
void ServedModel::findActivations() {
  study::SampleOp largest = pool.largestPrompt();
  const ir::Operation &graph = *module.lookup(largest.whole());
  auto tokens = static_cast<double>(largest.batch() * largest.tokens());
  activationToken = mostActivations(graph) / tokens;
  double bytes = 0, elements = returnedElements(graph, bytes);
  constexpr double sampled = 3 * 4; // B
  rooms.back().logits = (bytes + elements * sampled) / tokens;
}

/// B that a rank has beside whole shares of experts where some are kept twice: places are as many
/// on each rank.
double ServedModel::redundantBytes(const ir::Operation &graph) const {
  int64_t redundant = serve.redundantExperts(), ranks = groups;
  double bytes = 0;
  if (redundant == 0 || ranks == 1)
    return 0;
  for (const ir::Operation &op : graph.body()) {
    auto repeat = ir::as<op::RepeatOp>(op);
    if (!repeat)
      continue;
    op.walk([&](const ir::Operation &part) {
      if (!part.is(op::TensorOp::opName) || !part.hasAttr("expert"))
        return;
      double held = static_cast<double>(part.result().type().shape().front());
      double places =
          held + std::floor(static_cast<double>(redundant) / static_cast<double>(ranks));
      if (static_cast<double>(redundant) >= static_cast<double>(ranks))
        bytes += static_cast<double>(part.result().type().bytes().getValueOr(0)) *
                 (places / held - 1) * static_cast<double>(repeat.count());
    });
  }
  return bytes;
}

/// A cache of c tokens takes what a request has in any case, and something for each token, as it
/// does between the two longest contexts: layers with a window hold no more than that there.
bool ServedModel::findRooms() {
  std::vector<double> shortest, near, far;
  double distance = 0, longest = 0, few = 0;
  std::vector<study::SampleOp> list = pool.samples();
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample &sample = samples[i];
    if (!sample.isDecode || sample.batch != 1)
      continue;
    near = std::exchange(far, cacheBytes(*module.lookup(list[i].graph())));
    distance = static_cast<double>(sample.context) - longest;
    longest = static_cast<double>(sample.context);
    if (shortest.empty()) {
      shortest = far;
      few = longest;
    }
  }
  const GraphCost &graph = samples.front().cost;
  for (int64_t stage = 0; stage < stages; ++stage) {
    const std::vector<double> &layers = cost->layers()[stage];
    StageRoom room;
    for (size_t kind = 0; kind <= layers.size(); ++kind) {
      double count = kind == 0 ? stage == 0 : layers[kind - 1];
      double slope = (far[kind] - near[kind]) / distance;
      double fixed = far[kind] - slope * longest;
      room.cacheToken += count * slope;
      room.cacheRequest += fixed > 0.5 ? count * fixed : 0; // beyond rounding
      room.shortToken += count * shortest[kind] / few;
      room.weights += kind == 0 ? 0 : count * graph.layers[kind - 1].one.weightBytes;
      if (slope >= 0 && fixed >= -0.5)
        continue;
      diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(),
                         "its cache grows by more with each token");
      return false;
    }
    room.weights += stage == 0 ? graph.before.weightBytes : 0;
    room.weights += stage + 1 == stages ? graph.after.weightBytes : 0;
    rooms.push_back(room);
  }
  double more = redundantBytes(*module.lookup(list.front().graph()));
  for (StageRoom &room : rooms)
    room.weights += more / static_cast<double>(stages);
  findActivations();
  layerCount = graph.layerCount();
  for (const ir::Operation &op : module.lookup(list.front().graph())->body())
    if (auto repeat = ir::as<op::RepeatOp>(op))
      matrixBytes += bytesIn(op, "weight", 2) * static_cast<double>(repeat.count()) /
                     static_cast<double>(layerCount) * static_cast<double>(layerCount / stages);
  return true;
}

/// Heads that guess tokens are made of the model's own parts: those for several tokens (MTP of
/// DeepSeek-V3, EAGLE) of its last kind of layer and what stands before and behind the layers, each
/// of Medusa's of what stands behind. They run after the last stage, whose ranks hold them.
bool ServedModel::makeDraft(const UncertainEnd *end) {
  llvm::StringRef kind = pool.draft().kind();
  if (pool.draft().tokens() == 0 || kind == "ngram")
    return true;
  std::vector<int64_t> layers(samples.front().cost.layers.size(), 0);
  if (kind != "medusa" && !layers.empty())
    layers.back() = 1;
  auto send = [](size_t, double) { return 0.0; };
  draft = std::make_shared<BatchCost>(samples, layers, send, table, StackFigures(), end);
  if (draft->problem().empty())
    return true;
  diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(), draft->problem());
  return false;
}

/// Adds the weights and the cache of these heads to those of the last stage.
void ServedModel::holdDraft() {
  if (!draft)
    return;
  const GraphCost &graph = samples.front().cost;
  StageRoom &last = rooms.back();
  if (pool.draft().kind() == "medusa" || graph.layers.empty()) {
    last.weights += graph.after.weightBytes * static_cast<double>(pool.draft().tokens());
    return;
  }
  last.weights += graph.layers.back().one.weightBytes;
  last.cacheToken +=
      last.cacheToken / static_cast<double>(std::max<int64_t>(1, layerCount / stages));
}

/// What the draft runs beside a batch: its part of the prompts, and a token of each request whose
/// guesses are verified, once for each guess; all of Medusa's heads run at once.
static BatchShape guessing(const BatchShape &shape, bool isAtOnce, int64_t guesses) {
  BatchShape one;
  size_t prompts = shape.chunks.size() - static_cast<size_t>(shape.verified);
  one.tokens = one.outputs = one.decodes = shape.verified;
  for (size_t i = prompts; i < shape.chunks.size(); ++i)
    one.decodeContext += shape.chunks[i].before + 1;
  if (isAtOnce)
    one.outputs *= guesses;
  return one;
}

void ServedModel::timesOf(const BatchShape &shape, std::vector<double> &seconds) {
  BatchShape share = groups > 1 ? shareOf(shape, groups) : BatchShape();
  const BatchShape &own = groups > 1 ? share : shape;
  cost->run(own, seconds);
  if (!draft)
    return;
  std::vector<double> more;
  bool isAtOnce = pool.draft().kind() == "medusa";
  if (own.verified > 0) {
    int64_t guesses = pool.draft().tokens();
    BatchShape one = guessing(own, isAtOnce, guesses);
    for (int64_t i = 0; i < (isAtOnce ? 1 : guesses); ++i) {
      draft->run(one, more);
      seconds.back() += more[0];
    }
  }
  BatchShape prompts;
  prompts.chunks.assign(own.chunks.begin(), own.chunks.end() - own.verified);
  for (const BatchShape::Chunk &chunk : prompts.chunks)
    prompts.tokens += chunk.tokens;
  if (isAtOnce || prompts.tokens == 0)
    return;
  draft->run(prompts, more); // its cache has the prompt as well
  seconds.back() += more[0];
}

/// What batches take, from the samples; false after a report.
bool ServedModel::makeCost(const UncertainEnd *end) {
  auto program = module.lookup<collective::ProgramOp>(passes::stepSymbol(pool.name()));
  if (!program) {
    diagnostics.report(serve->range(), diag::NotLowered, serve.symbol());
    return false;
  }
  std::vector<std::vector<int64_t>> layers = passes::layerCounts(module, program);
  auto send = [this](size_t stage, double tokens) {
    return table && !table->send.empty()
               ? tableSendSeconds(*table, tokens)
               : sendSeconds(static_cast<int64_t>(stage), tokens).getValueOr(0);
  };
  cost = std::make_shared<BatchCost>(samples, layers, send, table, StackFigures::of(*serve), end);
  if (cost->problem().empty())
    return true;
  diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(), cost->problem());
  return false;
}

bool ServedModel::build() {
  if (!checkSystem() || (samples.empty() && !costKernels()) || !costExchanges())
    return false;
  const Sample &first = samples.front();
  if (!first.cost.layers.empty())
    boundaryBytes =
        first.cost.layers[0].one.inputBytes / static_cast<double>(first.batch * first.tokens);
  if (auto times = pool.table())
    table = std::make_shared<study::OpTable>(std::move(*times));
  if (!makeCost())
    return false;
  for (int64_t stage = 0; stage + 1 < stages; ++stage)
    if (!sendSeconds(stage, 1))
      return false;
  if (!findRooms() || !makeDraft())
    return false;
  holdDraft();
  return true;
}
