// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of the language: one table per kind of block. The grammar accepts any word; these
// tables say which exist, what values and clauses they take, in which dimension, what is assumed
// when they are left out, and what they mean. The same tables feed the checker, `perfc doc`, and
// every "did you mean".
#ifndef PERFC_FRONTEND_SEMA_WORDS_H
#define PERFC_FRONTEND_SEMA_WORDS_H

#include "ir/common/Quantity.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace perfc {

/// What a `{ … }` holds.
enum class BlockKind : uint8_t {
  None,
  File,
  Op,
  Workload,
  Hardware,
  Memory,
  Array,
  Network,
  Compute,
  Energy,
  Bandwidth,
  NetEnergy,
  ByDtype,
  System,
  Group,
  Fault,
  Mapping,
  Mapspace,
  Place,
  Dataflow,
  Algorithm,
  Expect,
  Report,
  Emit,
  Parallel,
  Unit,
  Saving,
  Collective,
  Evaluate,
  Compare,
  Search,
  Sweep,
  Serve,
  Train,
  TensorSparsity,
  Structure,
  Pool,
  Draft,
  PrefixCache,
  Experts,
  Optimizer,
  TimeloopLevel,
  TimeloopMapping,
  TimeloopLine,
  Runtime,
  Function,
  Library,
  Link,
  Protocol,
  Loop,
  TrainExperts,
  Checkpoint,
  Price,
  NetLatency,
  NetBandwidth,
  Trace,
  TraceGroup,
  TraceRank,
  TraceNode,
  Replay,
  Validate,
  Against,
  RowSkip,
  RowSplit,
  Generation,
  KernelLibrary,
  KernelFamily,
  TileShapes,
  Calibrate,
  FitParameter,
  FitWeight,
  Layers,
  FitFamily,
  ProtocolRanks,
  FitInterval,
};
inline constexpr unsigned blockKindCount = static_cast<unsigned>(BlockKind::FitInterval) + 1;

/// How the values of a word are read.
enum class ArgKind : uint8_t {
  Flag,      ///< no values
  Measure,   ///< numbers in one of the dimensions of `dims`
  Integer,   ///< whole numbers
  Name,      ///< names that are declared or mentioned here, not looked up
  Choice,    ///< one of `choices`, with arguments if it has any: fat_tree(radix = 64)
  Constant,  ///< any constant expression
  Reference, ///< declarations, with arguments: row_stationary, eyeriss(pes = 84)
  Metric,    ///< an expression over metrics
  Pairs,     ///< name = value: parallel tensor = 8
  Text,      ///< a string, a format name may stand before it
  Syntax,    ///< read by the owner of the block: loops, declarations, domains
};

/// Sets of dimensions that an attribute accepts.
enum class Dims : uint8_t {
  Any,
  Number,
  Data,
  Bandwidth,
  Time,
  Frequency,
  AccessEnergy,
  OpEnergy,
  HopEnergy,
  Area,
  Power,
  Rate,
  Money,
  RequestRate,
  Requests,
  Stream, ///< requests, or a time in which they come
  Tokens,
  Samples,
  Share,
};

/// True when a value of `dimension` can be given to an attribute of `dims`.
bool accepts(Dims dims, const Dimension &dimension);
/// The same for the values of a word, which may be given for each of its counts.
struct WordSpec;
bool accepts(const WordSpec &spec, Dimension dimension);
/// "a bandwidth, such as 8B/cycle or 2TB/s".
llvm::StringRef describe(Dims dims);

inline constexpr uint8_t anyNumber = 255;

/// An argument of a choice: `radix` of `fat_tree(radix = 64)`.
struct ChoiceArgument {
  llvm::StringLiteral name;
  ArgKind kind = ArgKind::Integer; ///< Integer, Measure, Text, or Flag: `true` or `false`
  Dims dims = Dims::Any;           ///< of a Measure, an Integer, or Pairs of measures
  bool isHole = false;             ///< may be `any`
  llvm::StringLiteral byDefault = "";
  llvm::StringLiteral doc = "";
};

/// A choice that takes arguments, by position or by name; all other choices take none.
struct ChoiceForm {
  llvm::StringLiteral choice;
  llvm::ArrayRef<ChoiceArgument> arguments = {};
  /// What any number of whole numbers say that stand here instead of `arguments`: torus(4, 4).
  llvm::StringLiteral sizes = "";
  /// What two or more other choices of the word say that stand here instead: ensemble(tile, edge).
  llvm::StringLiteral members = "";
};

/// What all instances of a part of a chip share, and what a chip costs.
inline constexpr BaseUnit perChip[] = {BaseUnit::Chip};

struct WordSpec {
  llvm::StringLiteral word;
  ArgKind kind = ArgKind::Flag;
  Dims dims = Dims::Any;
  llvm::ArrayRef<BaseUnit> per = {}; ///< counts that a Measure may be given for each of: /chip
  uint8_t minArgs = 1;
  uint8_t maxArgs = 1;
  BlockKind block = BlockKind::None; ///< what its block holds; clauses are words of that block too
  llvm::StringLiteral choices = "";  ///< space-separated
  llvm::ArrayRef<ChoiceForm> forms = {}; ///< of the choices that take arguments
  bool repeats = false;                  ///< may stand more than once in a block
  bool isPart = false;                   ///< has a name, by which it merges with what `from` brings
  bool clauseOnly = false;               ///< `after`, `for`: never a line of its own
  bool assigns = false;                  ///< its values may be `name = value`
  bool isHole = false;                   ///< an Integer that may be `any`
  llvm::StringLiteral byDefault = "";    ///< what is assumed without it
  llvm::StringLiteral doc = "";
};

/// The words of a block, in documentation order.
llvm::ArrayRef<WordSpec> wordsOf(BlockKind kind);
/// The form of `choice` among those of `spec`, or null when it takes no arguments.
const ChoiceForm *findForm(const WordSpec &spec, llvm::StringRef choice);
/// The entry for `word` in blocks of `kind`, or null.
const WordSpec *findWord(BlockKind kind, llvm::StringRef word);
/// "hardware", "memory", …, for messages and documentation.
llvm::StringRef blockName(BlockKind kind);
/// "a file", "an op block", …, for messages.
std::string describeBlock(BlockKind kind);
/// Whether `name` is a choice of any word, and thereby a value: vllm, roofline, ring.
bool isChoiceWord(llvm::StringRef name);
/// The kinds of block in which `word` exists (to answer a word in the wrong place).
llvm::SmallVector<BlockKind, 4> blocksWith(llvm::StringRef word);

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_WORDS_H
