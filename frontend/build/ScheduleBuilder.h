// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `algorithm my_ring(n) for all_reduce { … }` with its number of ranks to collective.schedule:
// loops are unrolled, each `copy` and `reduce` becomes one send.
#ifndef PERFC_FRONTEND_BUILD_SCHEDULEBUILDER_H
#define PERFC_FRONTEND_BUILD_SCHEDULEBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Whether `algorithm` is for `collective`; without `for` it is for any.
bool servesCollective(BuildContext &context, const Instance &algorithm, llvm::StringRef collective);

/// Whether `algorithm` leaves the work to switches: its body is `in_network`. The provider of the
/// network knows how, without a schedule.
bool isInNetwork(const Instance &algorithm);
/// Whether it names a library of networks: its body is `library`.
bool isOfLibrary(const Instance &algorithm);
/// The name that operations have for it.
inline constexpr llvm::StringLiteral inNetworkAlgorithm = "in_network";

/// True for `nccl` of std.networks where `collective` runs over several levels of `system`, none of
/// which gives its parameters: the default pattern counts instead of one ring of all ranks.
bool runsDefault(BuildContext &context, const Instance &algorithm, const ir::Operation &system,
                 llvm::StringRef collective);

/// The algorithm that `choice` of a `with` names. With `all_gather = ring` its form for that
/// collective: itself, or the one of its module whose name ends in `_gather`, `_scatter`, `_reduce`
/// or `_broadcast`. Nothing after a report when it is none or has none.
llvm::Optional<Instance> chosenForm(BuildContext &context, const NodeArg &choice);

/// Sends of a schedule, those of a ring of 2,048 ranks: ten seconds and 1.5 GB.
inline constexpr int64_t mostWrittenSends = 8 << 20;

/// Ranks of a schedule that is written out send by send; a ring of more has over half a million.
inline constexpr int64_t mostScheduledRanks = 512;
/// The same of algorithms that formulas follow message by message, one rank for all.
inline constexpr int64_t mostUnfoldedRanks = 64;
/// Sends of a schedule that is written out for more ranks where its formula is but a bound: about
/// two seconds and 210 MB.
inline constexpr int64_t mostSends = 1 << 20;

/// What operations have as the name of an algorithm of std.networks that `system` runs by its
/// formula, since a schedule for `ranks` ranks would be too long: "double_binary_tree(8)". "" where
/// it is written out.
std::string formulaOf(const Instance &algorithm, const ir::Operation &system, int64_t ranks);

/// Adds how `system` runs `algorithm`, or those that it chooses from, for `collective` on `ranks`
/// ranks, and builds their schedules. With `line` they are for the lines of a workload that name
/// the algorithm so. False after a report.
bool buildSchedules(BuildContext &context, const Instance &algorithm, const ir::Operation &system,
                    llvm::StringRef collective, int64_t ranks, AlgorithmForms &forms,
                    llvm::StringRef line = "");

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_SCHEDULEBUILDER_H
