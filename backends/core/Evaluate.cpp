// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Evaluate.h"

#include "backends/core/AlikeRanks.h"
#include "backends/core/Chip.h"
#include "backends/core/PowerHold.h"
#include "backends/core/RankNetwork.h"
#include "backends/core/StackTime.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/op/OpOps.h"
#include "ir/phase/PhaseOps.h"
#include "ir/study/StudyOps.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

namespace {

/// A cost under construction, and the providers and mappings that took part.
class StudyEvaluator {
public:
  StudyEvaluator(const ir::Module &module, study::EvaluateOp evaluate, ProviderSet &providers,
                 DiagnosticEngine &diagnostics)
      : module(module), evaluate(evaluate), providers(providers), diagnostics(diagnostics),
        sum(evaluate) {}

  llvm::Optional<Outcome> run(RanKernels *ran);
  /// Without a run, as often as wanted.
  llvm::Optional<Outcome> of(const StudySum &kernels);

private:
  bool region(const ir::Region &region, Cost &total);
  bool operation(const ir::Operation &op, Cost &total);
  bool kernel(phase::KernelOp kernel, Cost &total);
  bool repeat(const ir::Operation &op, int64_t count, Cost &total);
  bool collective(const ir::Operation &op, Cost &total);
  void record(const CostQuery &query, const Cost &cost, phase::KernelOp kernel);
  bool append(Cost &total, const Cost &part, CostPart line, int64_t count, const ir::Operation &op);
  /// Whether ranks run parts of the subject.
  bool isDivided() const { return evaluate->hasAttr("whole"); }
  llvm::StringRef wholeSubject() const {
    return evaluate->symbolAttr(isDivided() ? "whole" : "subject");
  }
  void notePeak(phase::KernelOp kernel);
  void checkCapacity(const Chip &chip, Cost &total);
  llvm::Optional<std::string> scaleToChips(Cost &total);
  void checkPower(Cost &total);
  double tokensAndCopies(Cost &total);
  void holdPower(Cost &total);
  void finish(const Chip &chip, Cost &total);
  bool findChip();
  llvm::Optional<Outcome> outcome();

  const ir::Module &module;
  study::EvaluateOp evaluate;
  ProviderSet &providers;
  DiagnosticEngine &diagnostics;
  StudySum sum;
  RanKernels *ran = nullptr; ///< where kernels are recorded, or null
  HashCache hashes;
  llvm::Optional<RankNetwork> network; ///< once there is an exchange
  const ir::Operation *chipOp = nullptr;
  llvm::Optional<Chip> chip;
  const ir::Value *tokens = nullptr; ///< that the subject reads
  const ir::Operation *peakAt = nullptr;
  int64_t peakBytes = 0;
  int64_t chips = 1;
  int64_t runners = 1;     ///< of these, chips that run what is at hand: those of a stage
  bool exchanges = false;  ///< has a collective
  bool isRepeated = false; ///< what is at hand is of one run of several
  int64_t repeats = 1;     ///< of what is at hand
};

} // namespace

static std::string joined(llvm::ArrayRef<std::string> list, llvm::StringRef separator) {
  std::string text;
  for (const std::string &entry : list)
    text += (text.empty() ? "" : separator.str()) + entry;
  return text;
}

/// Multiplies the amounts of `part` and its children; times stay.
static void scaleAmounts(CostPart &part, double factor) {
  part.energy = part.energy.times(factor);
  part.flops *= factor;
  part.macs *= factor;
  part.bytes *= factor;
  for (CostPart &child : part.children)
    scaleAmounts(child, factor);
}

/// Puts `part`, run `count` times, at the end of `total`. Amounts of its line are those of all
/// chips that run it, as those of the result are.
bool StudyEvaluator::append(Cost &total, const Cost &part, CostPart line, int64_t count,
                            const ir::Operation &op) {
  line.count = count;
  line.location = op.range();
  line.latency = part.latency * static_cast<double>(count);
  double runs = static_cast<double>(count) * static_cast<double>(runners);
  line.energy = part.energy.without(part.exchangeEnergy).times(runs);
  line.energy += part.exchangeEnergy.times(static_cast<double>(count));
  line.flops = static_cast<double>(part.flops) * runs;
  line.macs = static_cast<double>(part.macs) * runs;
  line.utilization = part.utilization.central();
  total.breakdown.children.push_back(std::move(line));
  ++sum.appended;
  if (!isRepeated) {
    auto others = static_cast<double>(runners - 1);
    sum.otherChips +=
        part.energy.without(part.exchangeEnergy).times(static_cast<double>(count)).times(others);
  }
  llvm::Optional<std::string> most = addSequential(total, part, count);
  if (most)
    diagnostics.report(op.range(), diag::CountOverflow, evaluate.label(), *most);
  return !most;
}

void StudyEvaluator::notePeak(phase::KernelOp kernel) {
  if (peakAt && kernel.liveBytes() <= peakBytes)
    return;
  peakBytes = kernel.liveBytes();
  peakAt = kernel.op;
}

bool StudyEvaluator::kernel(phase::KernelOp kernel, Cost &total) {
  sum.computes = true;
  notePeak(kernel);
  const ir::Operation *run = module.lookup(kernel.run());
  size_t errors = diagnostics.errorCount();
  const ir::Operation *target =
      kernel->hasAttr("on") ? module.lookup(kernel->symbolAttr("on")) : chipOp;
  CostQuery query{run, target, kernel.op};
  const Cost *cost = run ? providers.evaluate(query, hashes, diagnostics) : nullptr;
  if (!cost) {
    if (diagnostics.errorCount() == errors)
      diagnostics.report(kernel->range(), diag::NoCost, kernel.run());
    return false;
  }
  sum.note(cost->provenance);
  CostPart line = cost->breakdown;
  line.label = kernel.label().str();
  line.provider = cost->provenance.provider;
  line.mapping = cost->provenance.mapping;
  line.bound = cost->bottleneck().str();
  line.alike = kernel->stringsAttr("alike");
  for (CostPart &child : line.children)
    scaleAmounts(child, static_cast<double>(runners));
  if (cost->errors.known.empty())
    total.errors.addUnknown("kernels");
  sum.stack.addKernel(cost->latency, kernel, *run);
  if (ran)
    record(query, *cost, kernel);
  return append(total, *cost, std::move(line), kernel.count(), *kernel);
}

void StudyEvaluator::record(const CostQuery &query, const Cost &cost, phase::KernelOp kernel) {
  StructuralHash key = combine(queryHash(query, hashes), {kernel.isJoined(), 0});
  ran->runs[key] += repeats * kernel.count();
  auto [known, isNew] = ran->kinds.try_emplace(key, evaluate);
  if (!isNew)
    return;
  StudySum &once = known->second;
  once.note(cost.provenance);
  once.computes = true;
  once.appended = 1;
  if (cost.errors.known.empty())
    once.total.errors.addUnknown("kernels");
  once.stack.addKernel(cost.latency, kernel, *query.op, 1);
  once.otherChips =
      cost.energy.without(cost.exchangeEnergy).times(static_cast<double>(runners - 1));
  ran->isAll &= !addSequential(once.total, cost);
}

bool StudyEvaluator::repeat(const ir::Operation &op, int64_t count, Cost &total) {
  Cost once;
  bool wasRepeated = std::exchange(isRepeated, true);
  double before = sum.stack.enter(static_cast<double>(count));
  repeats *= count;
  bool isGood = region(op.body(), once);
  repeats /= count;
  sum.stack.leave(before);
  isRepeated = wasRepeated;
  if (!isGood)
    return false;
  CostPart line = std::move(once.breakdown);
  line.label = "repeat";
  line.kind = PartKind::Repeat;
  return append(total, once, std::move(line), count, op);
}

bool StudyEvaluator::collective(const ir::Operation &op, Cost &total) {
  exchanges = true;
  if (ran)
    ran->isAll = false;
  if (!network) {
    network.emplace(*module.lookup(evaluate.on()), providers, diagnostics);
    network->readRuntime(*evaluate);
    if (isDivided() && !network->readFaults(evaluate->range()))
      return false;
  }
  size_t errors = diagnostics.errorCount();
  const Cost *cost = network->cost(op);
  if (!cost) {
    if (diagnostics.errorCount() == errors)
      diagnostics.report(op.range(), diag::NoCost, op.name());
    return false;
  }
  sum.note(cost->provenance);
  sum.stack.addExchange(cost->latency);
  total.busBandwidth = cost->busBandwidth;
  CostPart line = cost->breakdown;
  line.bound = cost->bottleneck().str();
  if (!isDivided())
    return append(total, *cost, std::move(line), 1, op);
  // The energy is that of one group, or of one sender.
  int64_t group = op.is(collective::SendOp::opName) ? 1 : op.intAttr("ranks");
  Cost all = *cost;
  all.energy = cost->energy.times(static_cast<double>(runners) / static_cast<double>(group));
  all.exchangeEnergy = all.energy;
  line.label = fmt::format("{} {}", op.name().split('.').second, op.stringAttr("group"));
  return append(total, all, std::move(line), 1, op);
}

bool StudyEvaluator::operation(const ir::Operation &op, Cost &total) {
  if (auto run = ir::as<collective::RunOp>(op)) {
    const ir::Operation *sequence = module.lookup(run.phase());
    return !sequence || region(sequence->body(), total);
  }
  if (op.is(collective::StageOp::opName) || op.is(collective::PassOp::opName))
    return region(op.body(), total);
  if (auto kernelOp = ir::as<phase::KernelOp>(op))
    return kernel(kernelOp, total);
  if (auto repeatOp = ir::as<phase::RepeatOp>(op))
    return repeat(op, repeatOp.count(), total);
  if (auto repeatOp = ir::as<collective::RepeatOp>(op))
    return repeat(op, repeatOp.count(), total);
  return collective(op, total);
}

bool StudyEvaluator::region(const ir::Region &body, Cost &total) {
  // All kernels are tried, so that one run reports what is wrong with each of them.
  bool good = true;
  for (const ir::Operation &op : body)
    good &= operation(op, total);
  return good;
}

void StudyEvaluator::checkCapacity(const Chip &chip, Cost &total) {
  total.peakMemory = peakBytes;
  const ChipMemory *memory = chip.outermost();
  llvm::Optional<Quantity> capacity = memory ? memory->view.capacity() : llvm::None;
  if (!capacity)
    return;
  total.memoryCapacity = capacity->toDouble() * static_cast<double>(memory->copies);
  double needed = static_cast<double>(peakBytes);
  if (needed <= *total.memoryCapacity)
    return;
  SizeBase base = writtenBase(*total.memoryCapacity);
  std::string wanted = formatSize(needed, base), held = formatSize(*total.memoryCapacity, base);
  diagnostics.report(evaluate->range(), diag::ModelDoesNotFit, wanted, memory->name(), held)
      .note(peakAt->range(), "most bytes are resident while this runs")
      .note(memory->view->range(), "the memory is declared here");
  total.addNote(fmt::format("does not fit: needs {}, but memory `{}` holds {}", wanted,
                            memory->name(), held));
}

/// Every chip of a system, or of a stage, runs the same: amounts add up over the chips, times do
/// not. While a stage runs, the others wait.
llvm::Optional<std::string> StudyEvaluator::scaleToChips(Cost &total) {
  total.chips = chips;
  total.utilization =
      total.utilization * (static_cast<double>(runners) / static_cast<double>(chips));
  if (runners == 1)
    return llvm::None;
  Cost rest;
  if (auto most = addSequential(rest, total, runners - 1))
    return most;
  rest.dropTimes();
  rest.energy = sum.otherChips;
  rest.exchangeEnergy = Figure(); // is that of all ranks already
  return addSequential(total, rest);
}

/// The time by which a long run is longer at the power limit, in which chips draw as much as
/// before.
void StudyEvaluator::holdPower(Cost &total) {
  double seconds = total.latency.central();
  double held = total.work ? heldTime(total.work->demand, seconds) : 0;
  if (held <= 0)
    return;
  double share = held / seconds;
  Uncertain time = total.latency * share;
  Figure energy = total.energy.without(total.exchangeEnergy).times(share);
  Figure others = sum.otherChips.times(share);
  total.latency += time;
  total.utilization = total.utilization * (1 / (1 + share));
  total.energy += energy;
  sum.otherChips += others;
  total.addBound("power", time);
  energy += others;
  total.breakdown.children.emplace_back(PartKind::Phase, "power", SourceRange(), time, energy);
}

/// A mean power beyond what the chips are designed for: the clock would have to fall.
void StudyEvaluator::checkPower(Cost &total) {
  llvm::Optional<Quantity> limit = ir::as<target::ChipOp>(*chipOp).tdp();
  if (!limit || !total.energy.missing.empty() || total.latency.central() <= 0)
    return;
  Dimension watt = Dimension(BaseUnit::Joule) / BaseUnit::Second;
  double power = total.energy.known.central() / total.latency.central();
  double designed = limit->toDouble() * static_cast<double>(total.chips);
  if (power > designed)
    total.notes.push_back(fmt::format("the mean power, {}, exceeds the `tdp` of {}",
                                      formatEngineering(power, watt),
                                      formatEngineering(designed, watt)));
}

/// The first `token` tensor that the subject reads: sequences by tokens. Null where it has none.
static const ir::Value *tokensOf(const ir::Module &module, llvm::StringRef subject) {
  const ir::Operation *graph = module.lookup(subject);
  if (graph && graph->is(op::GraphOp::opName))
    for (const ir::Operation &op : graph->body())
      if (auto tensor = ir::as<op::TensorOp>(op); tensor && tensor.kind() == "token")
        return &op.result();
  return nullptr;
}

llvm::Optional<Price> perfc::priceOf(const ir::Operation &statement) {
  if (!study::findPart(statement, study::PriceOp::opName))
    return llvm::None;
  auto price = study::partOf<study::PriceOp>(statement);
  return Price{price.chipSecond(), price.joule()};
}

/// Tokens that all chips read. Chips that exchange nothing run a copy each, which is noted.
double StudyEvaluator::tokensAndCopies(Cost &total) {
  double read = (tokens ? static_cast<double>(tokens->type().elements().getValueOr(0)) : 0) *
                static_cast<double>(evaluate.count());
  if (exchanges || isDivided() || total.chips == 1)
    return read;
  total.addNote(fmt::format("each of the {} runs a copy, since `{}` has no collective: the latency "
                            "is that of one, energy and counts are of all",
                            counted(static_cast<uint64_t>(total.chips), "chip"),
                            evaluate.subjectLabel()));
  return read * static_cast<double>(total.chips);
}

void StudyEvaluator::finish(const Chip &chip, Cost &total) {
  total.area = areaOf(chip);
  if ((exchanges || sum.stack.isGiven()) && total.cycles) // so far those of kernels alone
    total.cycles =
        chip.clock() ? llvm::Optional<Uncertain>(total.latency * *chip.clock()) : llvm::None;
  checkPower(total);
  if (isDivided())
    noteAlikeRanks(total, total.breakdown.children, total.latency.central(),
                   [&](llvm::StringRef axis) {
                     return study::partOf<study::StrategyOp>(*evaluate).degree(axis);
                   });
  if (std::string note = network ? network->runtimeNote() : ""; !note.empty())
    total.addNote(std::move(note));
  if (sum.tiles.size() == 1)
    sum.mappings.push_back(sum.tiles.front());
  else
    total.provenance.library = joined(sum.libraries, ", ");
  total.provenance.provider = joined(sum.providerNames, ", ");
  total.provenance.mapping = joined(sum.mappings, ", ");
  total.provenance.formula = joined(sum.formulas, "; ");
  total.describe(PartKind::Program,
                 evaluate.label().empty() ? evaluate.subjectLabel() : evaluate.label(),
                 evaluate->range());
}

/// What runs, on how many chips; false after a report.
bool StudyEvaluator::findChip() {
  const ir::Operation *program = module.lookup(passes::programSymbol(evaluate));
  target::ChipOp target = passes::chipOf(module, evaluate.on());
  if (!program || !target) {
    diagnostics.report(evaluate->range(), diag::NotLowered, evaluate.label());
    return false;
  }
  chipOp = target.op;
  chip.emplace(*chipOp);
  tokens = tokensOf(module, wholeSubject());
  chips = std::max<int64_t>(1, passes::chipCount(module, evaluate.on()));
  auto isStage = [](const ir::Operation &op) { return op.is(collective::StageOp::opName); };
  runners = chips / std::max<int64_t>(1, llvm::count_if(program->body(), isStage));
  return true;
}

llvm::Optional<Outcome> StudyEvaluator::run(RanKernels *ran) {
  if (!findChip())
    return llvm::None;
  this->ran = ran;
  if (ran)
    ran->isAll = !isDivided();
  if (!region(module.lookup(passes::programSymbol(evaluate))->body(), sum.total))
    return llvm::None;
  return outcome();
}

llvm::Optional<Outcome> StudyEvaluator::of(const StudySum &kernels) {
  if (!chip && !findChip())
    return llvm::None;
  sum = kernels;
  sum.total.leavesOutResident = true;
  return outcome();
}

/// That of what the kernels and exchanges have added up to.
llvm::Optional<Outcome> StudyEvaluator::outcome() {
  Outcome outcome;
  outcome.kernelChips = runners;
  outcome.cost = std::move(sum.total);
  Cost &total = outcome.cost;
  // Several collectives have no bus bandwidth of their own.
  if (sum.appended != 1)
    total.busBandwidth = llvm::None;
  total.leavesOutMemories = exchanges && !sum.computes;
  holdPower(total);
  bool hasSequences = tokens && !tokens->type().shape().empty();
  // Ranks with sequences of their own have hosts of their own.
  int64_t data = std::max<int64_t>(1, study::partOf<study::StrategyOp>(*evaluate).degree("data"));
  sum.stack.finish(total, hasSequences ? static_cast<double>(tokens->type().shape().front()) /
                                             static_cast<double>(data)
                                       : 0);
  if (std::string note = unlimitedNote(*chip); sum.computes && !note.empty())
    total.addNote(std::move(note));
  if (!total.leavesOutResident) // all parts keep tensors in the same memory
    checkCapacity(Chip(*passes::chipsOf(evaluate, passes::chipOf(module, evaluate.on())).front()),
                  total);
  if (llvm::Optional<std::string> most = scaleToChips(total)) {
    diagnostics.report(evaluate->range(), diag::CountOverflow, evaluate.label(), *most);
    return llvm::None;
  }
  outcome.price = priceOf(*evaluate);
  outcome.tokens = tokensAndCopies(total);
  finish(*chip, total);
  return outcome;
}

llvm::Optional<Outcome> perfc::evaluateStudy(const ir::Module &module,
                                             const ir::Operation &evaluate, ProviderSet &providers,
                                             DiagnosticEngine &diagnostics, RanKernels *ran) {
  return StudyEvaluator(module, ir::as<study::EvaluateOp>(evaluate), providers, diagnostics)
      .run(ran);
}

OutcomeOfSum perfc::outcomesOf(const ir::Module &module, const ir::Operation &evaluate,
                               ProviderSet &providers, DiagnosticEngine &diagnostics) {
  auto evaluator = std::make_shared<StudyEvaluator>(module, ir::as<study::EvaluateOp>(evaluate),
                                                    providers, diagnostics);
  return [evaluator](const StudySum &sum) { return evaluator->of(sum); };
}
