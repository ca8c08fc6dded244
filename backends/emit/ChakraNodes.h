// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the writers of Chakra traces share: an evaluation is one list of nodes for all ranks, a
// training step one per pipeline stage.
#ifndef PERFC_BACKENDS_EMIT_CHAKRANODES_H
#define PERFC_BACKENDS_EMIT_CHAKRANODES_H

#include "backends/emit/Emit.h"
#include "backends/network/chakra/Records.h"

namespace perfc::emit {

/// Nodes of all ranks of a trace at the most; more would fill a disk.
inline constexpr double mostNodes = 2e8;
/// Each rank has a file of its own.
inline constexpr int64_t mostRanks = 1 << 20;

/// The number of CollectiveCommType in the schema; -1 for what is no collective there.
int64_t commType(llvm::StringRef name);

/// The attributes of a collective node called `name` of `bytes`, the larger buffer of a rank, among
/// `ranks`. ASTRA-sim counts the part of one rank for an all-gather, the whole buffer for the
/// others.
std::vector<chakra::RecordAttribute> collectiveAttributes(llvm::StringRef name, int64_t bytes,
                                                          int64_t ranks);

/// Reports that `result` cannot be written.
void refuseTrace(const Input &input, const Result &result, const std::string &reason);

/// Writes PREFIX.RANK.et for each rank of `program`, and its communicator groups to `groups`.
void writeProgram(const Input &input, const Result &result, StepProgram program,
                  const std::string &prefix, const std::string &groups, FileSink sink);

/// The same for a training step.
void writeStep(const Input &input, const Result &result, const std::string &prefix,
               const std::string &groups, FileSink sink);

/// The same for what the ranks of a collective.trace run.
void writeTrace(const ir::Operation &trace, const std::string &prefix, const std::string &groups,
                FileSink sink);

/// The same for the nodes of a `replay`.
void writeReplay(const Input &input, const Result &result, const std::string &prefix,
                 const std::string &groups, FileSink sink);

/// The same for the ranks of an evaluation, which all run the same but for its `send`s, in one
/// group.
void writeEvaluation(const Input &input, const Result &result, const std::string &prefix,
                     const std::string &groups, FileSink sink);

/// The same for an evaluation that is divided among `ranks` ranks, which runs `program`.
void writeDivided(const Input &input, const Result &result, const ir::Operation &program,
                  int64_t ranks, const std::string &prefix, const std::string &groups,
                  FileSink sink);

/// The same for the batches of a `serve`.
void writeServing(const Input &input, const Result &result, const std::string &prefix,
                  const std::string &groups, FileSink sink);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_CHAKRANODES_H
