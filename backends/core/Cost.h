// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: what running an operation on a target takes, and why. Every evaluator of every level
// answers in this one form, so that costs add up from a kernel to a cluster: latencies of parts
// that follow each other add, latencies of parts that overlap give their maximum, energies, counts
// and traffic always add. Figures are central values with their error budget
// (ir/common/Uncertain.h), in SI units; what the hardware does not give is kept as "not given" with
// its owner, never as zero. A cost knows no statement: what a `train` or a `serve` finds besides is
// its Outcome.
#ifndef PERFC_BACKENDS_CORE_COST_H
#define PERFC_BACKENDS_CORE_COST_H

#include "backends/core/PowerHold.h"
#include "ir/common/Quantity.h"
#include "ir/common/Source.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace perfc {

/// A sum of which some terms may be unknown because the hardware does not give them.
struct Figure {
  /// The terms that are known.
  Uncertain known;
  /// Whose terms are not, such as "memory `L2`"; sorted, without repetitions.
  std::vector<std::string> missing;
  /// A part is left out that is given, but that the level does not count: `known` is a lower bound,
  /// and how far it may be off is not known.
  bool isPartial = false;

  Figure(Uncertain value = 0) : known(std::move(value)) {}
  /// Nothing known, because `kind` `name` ("memory", "L2") does not give it.
  static Figure notGiven(llvm::StringRef kind, llvm::StringRef name);
  bool isGiven() const { return missing.empty(); }
  /// The sum when all of it is known.
  llvm::Optional<Uncertain> value() const;
  /// What is known as results show it: without an interval where a part is left out.
  Uncertain shown() const { return isPartial ? Uncertain(known.central()) : known; }
  Figure &operator+=(const Figure &other);
  /// This without `part`, some of its terms.
  Figure without(const Figure &part) const;
  /// This, `count` times.
  Figure times(double count) const;
};

/// What moves between one memory and its neighbours for one tensor, in words, summed over the
/// instances of the memory; the counts of the native reuse analysis (docs/cost-model.md).
struct AccessCounts {
  std::string memory;
  std::string tensor;
  std::string role; ///< "input", "weight", "output", …
  bool isOutput = false;
  int64_t fills = 0;       ///< words that enter from the parent; output: partial sums read back
  int64_t reads = 0;       ///< words read for children and lanes over the chip's own networks
  int64_t updates = 0;     ///< output: partial sums that arrive over the chip's own networks
  int64_t writebacks = 0;  ///< output: words that leave for the parent
  int64_t maxResident = 0; ///< most words held by one instance at one time
  // The same when every axis multicasts and reduces, and when none does.
  int64_t readsShared = 0, readsSeparate = 0;
  int64_t updatesShared = 0, updatesSeparate = 0;
  /// Output: of updates and writebacks, those that carry a finished word; the others carry partial
  /// sums, as do all fills and reads.
  int64_t finishedUpdates = 0, finishedWritebacks = 0;
  int64_t wordBits = 0;    ///< of a finished word
  int64_t partialBits = 0; ///< of a partial sum, where it has a size of its own
};

/// Bytes that one memory moves.
struct MemoryTraffic {
  std::string memory;
  SourceRange location;
  bool isOffChip = false;
  double readBytes = 0;
  double writeBytes = 0;
  Figure energy;
  /// Time that the traffic takes by itself; 0 when the bandwidth is not given.
  Uncertain latency;

  double bytes() const { return readBytes + writeBytes; }
};

/// What a line of the breakdown stands for.
enum class PartKind : uint8_t {
  Program,
  Phase,
  Repeat,
  Kernel,
  Collective,
  Compute,
  Memory,
  Network,
  Launch,
};
llvm::StringRef partKindName(PartKind kind);

/// How the latencies of the children make that of their parent: their sum, or the largest of them
/// plus that of a launch.
enum class Composition : uint8_t { Sequence, Overlap };

/// A node of the breakdown tree, which results print. Whoever needs a figure asks the cost for it.
struct CostPart {
  CostPart() = default;
  CostPart(PartKind kind, llvm::StringRef label, SourceRange location = {}, Uncertain latency = 0,
           Figure energy = {})
      : label(label.str()), kind(kind), location(location), latency(std::move(latency)),
        energy(std::move(energy)) {}

  std::string label;
  PartKind kind = PartKind::Kernel;
  /// Where in the source this stands; may be nowhere.
  SourceRange location;
  /// How often it runs. `latency` and the other figures are of all runs together; those of the
  /// children are of one run.
  int64_t count = 1;
  Uncertain latency;
  Figure energy;
  double flops = 0;
  double macs = 0;
  double bytes = 0; ///< that a memory moves
  double utilization = 0;
  /// The resource that sets the latency, "" when the children say it.
  std::string bound;
  /// Provider and mapping of a kernel, shown in results; "" elsewhere.
  std::string provider;
  std::string mapping;
  /// Of a kernel on several chips: the axes along which ranks run the same.
  std::vector<std::string> alike;
  Composition composition = Composition::Sequence;
  std::vector<CostPart> children;
};

/// Time for which one resource is what limits.
struct BoundTime {
  std::string resource; ///< "compute MAC", "memory DRAM", "launch", "network nvswitch"
  Uncertain latency;
};

/// What the parts of a chip have to do, whether or not they do it at the same time; memories say
/// theirs in their traffic.
struct ChipWork {
  Uncertain compute; ///< s in which units compute
  Uncertain unit;    ///< s that the busiest of them takes by itself; of kernels of libraries alone
  Uncertain network; ///< s in which networks move words, on a chip or between chips
  Uncertain launch;  ///< s until a kernel or a library starts
  Figure computeEnergy;
  PowerDemand demand; ///< of kernels of libraries
};

/// Who computed a cost, and how.
struct Provenance {
  std::string provider; ///< "roofline", of several "roofline, network"
  std::string mapping;  ///< name of the mapping, "" when there is none
  std::string formula;  ///< one line, in the terms of docs/cost-model.md
  std::string library;  ///< whose kernel it is; of several kernels theirs, which have the mappings

  /// With the formula of the provider's description (ir/common/Providers.h).
  static Provenance of(llvm::StringRef provider, llvm::StringRef mapping = "");
};

/// Where the intervals of times come from, beside what a program writes with `+-`.
struct MeasuredErrors {
  /// What times have an error that was measured ("library `nccl` on `nvlink4`"), and what others
  /// have none and count as exact ("kernels"); each once.
  std::vector<std::string> known, unknown;

  void addKnown(std::string what);
  void addUnknown(std::string what);
  void add(const MeasuredErrors &other);
  /// The note below a result, "" where no error is known.
  std::string note() const;
};

struct Cost {
  Uncertain latency; ///< s
  Figure energy;     ///< J
  Figure area;       ///< m2 of one chip, without what is off chip
  /// Exact counts. 2 FLOPs per multiply-accumulate.
  int64_t flops = 0;
  int64_t macs = 0;
  /// Cycles of the chip's clock: a whole number where the level counts cycles, else latency *
  /// clock; nothing when the chip has no clock.
  llvm::Optional<Uncertain> cycles;
  /// Share of the MAC lanes' time that does work: macs / lanes / cycles. Over a sequence it is
  /// weighted with time.
  Uncertain utilization;
  /// Nothing where the level does not tell parts apart.
  llvm::Optional<ChipWork> work = ChipWork();
  Uncertain exposed; ///< s of communication that nothing hides
  Uncertain idle;    ///< s in which what limits waits: for words on their way, a stage, a request
  // Of `energy`:
  Figure exchangeEnergy;                ///< of networks between chips, for all ranks
  llvm::Optional<Figure> leakageEnergy; ///< nothing where chips do not give it
  /// What limits, and for how long, in order of first appearance; the times add up to the latency.
  std::vector<BoundTime> bounds;
  /// By memory, outermost first.
  std::vector<MemoryTraffic> traffic;
  /// Loop-nest level: by memory (outermost first) and tensor.
  std::vector<AccessCounts> accesses;
  /// Largest number of bytes resident at one time in the outermost memory, and its capacity.
  int64_t peakMemory = 0;
  llvm::Optional<double> memoryCapacity;
  /// Collectives alone: what memories of their chips move and hold for them is not counted.
  bool leavesOutMemories = false;
  /// Kernels without their order: what is resident at a time is not known.
  bool leavesOutResident = false;
  /// Of a kernel: whoever computed it does not say what memories move.
  bool leavesOutTraffic = false;
  /// Collective level.
  int64_t chips = 1;
  llvm::Optional<Uncertain> busBandwidth; ///< B/s, of a single collective
  CostPart breakdown;
  MeasuredErrors errors;
  /// Facts to print below a result: fallbacks taken, partial passes, what was left out.
  std::vector<std::string> notes;
  Provenance provenance;

  /// Bytes moved in all memories together.
  double trafficBytes() const;
  /// s that the busiest memory takes by itself.
  double memorySeconds() const;
  /// The resource that limits for the longest time, "" when nothing does.
  llvm::StringRef bottleneck() const;
  void addBound(llvm::StringRef resource, const Uncertain &latency);
  /// Adds the launch of a kernel, after what is there, where it takes time.
  void addLaunch(const Uncertain &seconds);
  /// Adds `seconds`, of a kernel, in which what limits waits for `why`.
  void addIdle(llvm::StringRef why, const Uncertain &seconds);
  /// Leaves what adds up over chips that work at the same time: amounts, no times.
  void dropTimes();
  /// Multiplies what takes time with `factor`: the latency and its parts; what shares and rates are
  /// over it becomes less.
  void stretchTimes(double factor);
  /// Makes the root of `breakdown` say what the other members hold; its children stay. To be called
  /// last.
  void describe(PartKind kind, llvm::StringRef label, SourceRange location);
  /// Adds a note unless it is there already.
  void addNote(std::string note);
};

/// Adds `part`, run `count` times after what `total` holds, to `total`: latency, energy, counts,
/// traffic and accesses by memory, times by part, bounds, notes, and utilization weighted with
/// time. Peak memory is the larger one. Area, breakdown and provenance of `total` stay as they are.
/// What does not fit 64 bits, "reads of `A` at `GLB`" for one (`total` is then unusable); nothing
/// when all does.
llvm::Optional<std::string> addSequential(Cost &total, const Cost &part, int64_t count = 1);

/// The base in which what a result holds is told: that in which the memory's capacity is written.
SizeBase capacityBase(const Cost &cost);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_COST_H
