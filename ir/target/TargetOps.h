// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware: chips made of memories, arrays of identical copies, networks and compute units, ordered
// from the outside to the inside, and systems made of groups of chips. What is not given is
// unknown, never zero. Rates are multiply-accumulates per second of one instance.
#ifndef PERFC_IR_TARGET_TARGETOPS_H
#define PERFC_IR_TARGET_TARGETOPS_H

#include "ir/common/DType.h"
#include "ir/core/Operation.h"

namespace perfc {
namespace target {

/// The declarations of this level.
llvm::ArrayRef<ir::OpDecl> targetOps();

/// A chip: what its region lists, outermost first.
struct ChipOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.chip";
  llvm::StringRef dtype() const { return op->stringAttr("dtype"); }
  llvm::Optional<Quantity> clock() const { return op->quantityAttr("clock"); }
  /// The highest clock, at which kernels of libraries run; `clock` where it has none of its own.
  llvm::Optional<Quantity> boost() const {
    return op->quantityAttr(op->hasAttr("boost") ? "boost" : "clock");
  }
  llvm::Optional<Quantity> launch() const { return op->quantityAttr("launch"); }
  llvm::Optional<Quantity> tdp() const { return op->quantityAttr("tdp"); }
  llvm::Optional<Quantity> area() const { return op->quantityAttr("area"); }
  /// What kinds of layers take (ir/target/LayerFigures.h); empty where it is not given.
  const ir::AttrDict &layers() const { return op->dictAttr("layers"); }
  /// The chip that this is a part of, which leaks and has an area; else this one.
  ChipOp whole() const;
};

/// A memory, one instance per copy of the arrays around it.
struct MemoryOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.memory";
  llvm::Optional<Quantity> capacity() const { return op->quantityAttr("capacity"); }
  llvm::Optional<Quantity> bandwidth() const { return op->quantityAttr("bandwidth"); }
  llvm::Optional<Quantity> readBandwidth() const { return op->quantityAttr("read_bandwidth"); }
  llvm::Optional<Quantity> writeBandwidth() const { return op->quantityAttr("write_bandwidth"); }
  llvm::Optional<Quantity> latency() const { return op->quantityAttr("latency"); }
  llvm::Optional<Quantity> readEnergy() const { return op->quantityAttr("read_energy"); }
  llvm::Optional<Quantity> writeEnergy() const { return op->quantityAttr("write_energy"); }
  /// Of a partial sum that arrives; a write's when it is not given.
  llvm::Optional<Quantity> updateEnergy() const {
    auto own = op->quantityAttr("update_energy");
    return own ? own : writeEnergy();
  }
  llvm::Optional<Quantity> addressEnergy() const { return op->quantityAttr("address_energy"); }
  llvm::Optional<Quantity> leak() const { return op->quantityAttr("leak"); }
  /// "single" or "double"; "" when the chip does not say.
  llvm::StringRef buffering() const { return op->stringAttr("buffering"); }
  llvm::Optional<Quantity> area() const { return op->quantityAttr("area"); }
  llvm::Optional<Quantity> width() const { return op->quantityAttr("width"); }
  std::vector<std::string> keep() const { return op->stringsAttr("keep"); }
  bool isOffChip() const { return op->hasAttr("off_chip"); }
  /// Reads default to `bandwidth`, and so do writes.
  llvm::Optional<Quantity> readBandwidthOrBoth() const {
    return readBandwidth() ? readBandwidth() : bandwidth();
  }
  llvm::Optional<Quantity> writeBandwidthOrBoth() const {
    return writeBandwidth() ? writeBandwidth() : bandwidth();
  }
  /// True when `keep` is not given or lists `role`.
  bool keeps(llvm::StringRef role) const;
};

/// Copies of what it holds, along named axes.
struct ArrayOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.array";
  const ir::AttrDict &axes() const { return op->dictAttr("axes"); }
  bool isDispatched() const { return op->hasAttr("dispatch"); }
  /// "output", "weight" or "input", what stays in the elements of a systolic array, whose axes are
  /// columns and rows; "" when it is none.
  llvm::StringRef systolic() const { return op->stringAttr("systolic"); }
  bool overlapsFolds() const { return op->hasAttr("overlap_folds"); }
  llvm::Optional<Quantity> clock() const { return op->quantityAttr("clock"); }
  /// Product of the axes.
  int64_t instances() const;
};

/// How the copies of an array, or the members of a group, are joined.
struct NetworkOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.network";
  std::vector<std::string> multicast() const { return op->stringsAttr("multicast"); }
  std::vector<std::string> reduce() const { return op->stringsAttr("reduce"); }
  llvm::Optional<Quantity> hopEnergy() const { return op->quantityAttr("hop_energy"); }
  llvm::Optional<Quantity> multicastEnergy() const { return op->quantityAttr("multicast_energy"); }
  llvm::Optional<Quantity> reduceEnergy() const { return op->quantityAttr("reduce_energy"); }
  llvm::Optional<Quantity> energy() const { return op->quantityAttr("energy"); }
  llvm::Optional<Quantity> bandwidth() const { return op->quantityAttr("bandwidth"); }
  llvm::Optional<Quantity> latency() const { return op->quantityAttr("latency"); }
  /// The same for each dimension of a torus or mesh by itself; empty where one figure is for all.
  const ir::AttrList &bandwidths() const { return op->listAttr("bandwidths"); }
  const ir::AttrList &latencies() const { return op->listAttr("latencies"); }
  /// Of a word over one link between elements of an array.
  llvm::Optional<Quantity> hopLatency() const { return op->quantityAttr("hop_latency"); }
  std::vector<std::string> carry() const { return op->stringsAttr("carry"); }
  llvm::StringRef to() const { return op->stringAttr("to"); }
  llvm::StringRef topology() const { return op->stringAttr("topology"); }
  const ir::AttrDict &topologyArguments() const { return op->dictAttr("topology_arguments"); }
  int64_t nics() const { return op->intAttr("nics", 1); }
  int64_t stripe() const { return op->intAttr("stripe", 1); }
};

/// A compute unit: rate and energy of one multiply-accumulate per number format.
struct ComputeOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.compute";
  const ir::AttrDict &rate() const { return op->dictAttr("rate"); }
  const ir::AttrDict &energy() const { return op->dictAttr("energy"); }
  std::vector<std::string> ops() const { return op->stringsAttr("ops"); }
  /// The number format of the block that it stands in: what a rate without a format is for.
  llvm::StringRef dtype() const;
  llvm::Optional<Quantity> leak() const { return op->quantityAttr("leak"); }
  llvm::Optional<Quantity> area() const { return op->quantityAttr("area"); }
  /// Multiply-accumulates per second in `dtype`, else under "any"; nothing when neither is given.
  llvm::Optional<Quantity> rateFor(llvm::StringRef dtype) const;
  /// Energy of one multiply-accumulate, looked up in the same way.
  llvm::Optional<Quantity> energyFor(llvm::StringRef dtype) const;
};

/// The number format of partial sums, and the memory or chip that says so.
struct PartialFormat {
  DType format;
  const ir::Operation *from;
};

/// The format of partial sums of a `result` in a memory: the one that the memory names for whole or
/// for floating results, else the chip; nothing when neither does.
llvm::Optional<PartialFormat> partialFormat(const ir::Operation &memory, DType result);

/// Groups of chips; the last group is the system.
struct SystemOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.system";
};

/// Members joined by a network.
struct GroupOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.group";
};

/// So many copies of a chip or of an earlier group.
struct MembersOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.members";
  int64_t count() const { return op->intAttr("count"); }
  llvm::StringRef of() const { return op->symbolAttr("of"); }
};

/// A link between two members of a group with topology `links`.
struct LinkOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.link";
  int64_t first() const { return op->intAttr("first"); }
  int64_t second() const { return op->intAttr("second"); }
  llvm::Optional<Quantity> bandwidth() const { return op->quantityAttr("bandwidth"); }
  llvm::Optional<Quantity> latency() const { return op->quantityAttr("latency"); }
};

/// How a communication library runs collectives over the network of its group.
struct LibraryOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.library";
  llvm::Optional<Quantity> launch() const { return op->quantityAttr("launch"); }
  llvm::Optional<Quantity> host() const { return op->quantityAttr("host"); }
  llvm::Optional<Quantity> clone() const { return op->quantityAttr("clone"); }
};

/// One way in which a library moves data.
struct ProtocolOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.protocol";
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
  std::vector<std::string> serves() const { return op->stringsAttr("serves"); }
  int64_t leastRanks() const { return op->intAttr("least_ranks", 2); }
  int64_t mostRanks() const { return op->intAttr("most_ranks", INT64_MAX); }
  int64_t groups() const { return op->intAttr("groups", 1); }
};

/// A link or chip that is slower than the others.
struct FaultOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.fault";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  std::vector<std::string> ends() const { return op->stringsAttr("ends"); }
  llvm::Optional<Quantity> bandwidthFactor() const { return op->quantityAttr("bandwidth_factor"); }
  llvm::Optional<Quantity> slowdown() const { return op->quantityAttr("slowdown"); }
};

/// The network of another array that leads to `array`, which stands directly in its chip with no
/// memory before it; null when there is none.
NetworkOp feedOf(const ir::Operation &array);
/// True when a network of one array of `chip` feeds another.
bool feedsArrays(ChipOp chip);

/// Copies of what stands in `array`: the product of its axes and those of all arrays around it;
/// nothing when it does not fit 64 bits.
llvm::Optional<int64_t> copiesIn(const ir::Operation &array);

} // namespace target
} // namespace perfc

#endif // PERFC_IR_TARGET_TARGETOPS_H
