// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective algorithm as a schedule of sends (collective.schedule): chunk c goes from i to j and
// is added to j's or replaces it. A send leaves when all earlier sends that bring its chunk to i
// have arrived, and those that took the old content of j's chunk away; sends between the same two
// ranks keep their order. The order of the text thus gives what each rank ends with, which is
// checked: every contribution exactly once (Schedule.cpp).
#ifndef PERFC_BACKENDS_NETWORK_SCHEDULE_H
#define PERFC_BACKENDS_NETWORK_SCHEDULE_H

#include "backends/network/Messages.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/common/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

namespace perfc {
namespace network {

struct Schedule {
  using Send = collective::ScheduledSend;
  std::string name;
  CollectiveKind kind = CollectiveKind::AllReduce;
  uint32_t ranks = 1, chunks = 1;
  std::vector<Send> sends;
  std::vector<SourceRange> moves; ///< the lines that sends come from
  std::vector<bool> reduces;      ///< by move
  SourceRange location;
};

/// The schedule that `op` holds; its lists are well formed (the verifier's business).
Schedule readSchedule(collective::ScheduleOp op);

/// Follows every contribution. False, reported, when a rank sends what it does not have, adds a
/// contribution twice, or does not end with what the collective promises. `notChecked` is set when
/// the ranks and chunks are too many to follow.
bool verifySchedule(const Schedule &schedule, bool &notChecked, DiagnosticEngine &diagnostics);

/// Sends in the order of a text as messages, each with those that it waits for. A slot is where a
/// rank keeps a chunk. What several sends wait for together becomes one message that joins them, so
/// that memory is in proportion to the sends.
class SendOrder {
public:
  /// Adds `message`, which takes slot `from` and adds it to slot `to`, or `replaces` that; sends of
  /// one `way` keep their order.
  void add(Messages &messages, Message message, uint64_t from, uint64_t to, uint64_t way,
           bool replaces);

private:
  /// Messages, of which the first ones count as one.
  struct Gathered {
    uint32_t joined = Message::none;
    uint32_t more = Message::none; ///< a list in `cells`
  };
  struct Slot {
    Gathered brought, taken;
  };
  struct Cell {
    uint32_t message, next;
  };
  void gather(Gathered &all, uint32_t message);
  /// The message that has arrived when all of `all` have; `none` for none.
  uint32_t join(Gathered &all, Messages &messages, uint32_t rank);

  llvm::DenseMap<uint64_t, Slot> slots;
  llvm::DenseMap<uint64_t, uint32_t> latest; ///< by way
  std::vector<Cell> cells;
  uint32_t unused = Message::none; ///< a list in `cells`
};

/// The messages of `schedule` for a buffer of `bytes`; `pairs` are the sizes of an exchange of all
/// with all.
Messages messagesOf(const Schedule &schedule, double bytes, const PairSizes &pairs);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_SCHEDULE_H
