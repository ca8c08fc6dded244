// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a search found no best strategy.
#include "backends/mapper/strategy/StrategyQueue.h"
#include "ir/common/diagnostics/Training.h"

using namespace perfc;
using namespace perfc::mapper;

/// Why there is no best strategy: the first thing that all of them lack.
void TrainSearch::reportNothing() {
  const StrategyCounts &counts = result.counts;
  if (result.costed == 0 && counts.unfit == 0 && counts.refused.empty() && refused) {
    size_t errors = diagnostics.errorCount();
    costsOf(*refused);
    if (diagnostics.errorCount() != errors) // it says why
      return;
  }
  if (result.fitting == 0 && !result.isProven) {
    diagnostics
        .report(train.range(), diag::NoStrategyFound,
                fmt::format("the search ended after {} of {}, and none of these fits",
                            result.costed, counted(counts.all, "strategy")))
        .help("a longer `within`");
  } else if (counts.all == 0) {
    diagnostics
        .report(train.range(), diag::NoStrategyFound,
                fmt::format("no strategy uses all {} on a batch of {}",
                            counted(network.chips(), "chip"), asked.batch))
        .help("the product of the degrees is the number of chips, and `data` times `microbatch` "
              "divides the batch");
  } else if (result.costed == 0 && !counts.refused.empty()) {
    const std::string &why = counts.refused.begin()->first;
    diagnostics.report(train.range(), diag::NoStrategyFound,
                       fmt::format("`with` cannot be chosen in any strategy: {}", why));
  } else if (result.fitting == 0) {
    diagnostics
        .report(train.range(), diag::NoStrategyFits,
                counts.all == 1 ? "the only strategy does not fit"
                                : fmt::format("none of {} fits", counted(counts.all, "strategy")),
                memory, formatSize(capacity, writtenBase(capacity)))
        .note(fmt::format("a search fills {:.0f} % of a memory at the most",
                          100 * training::plannedShare))
        .help(asked.shard.parameters ? "more chips, or `recompute any` if it is not there yet"
                                     : "`shard optimizer` or `shard parameters` divides the state");
  } else if (trials.stuck && !trials.runs) {
    training::checkRun(train, *trials.stuck, diagnostics);
  } else if (result.fulfilling == 0) {
    diagnostics.report(passes::rangeOf(train, "require", diagnostics), diag::NoStrategyFound,
                       fmt::format("{} `require`{}{}",
                                   result.fitting == 1
                                       ? "the only strategy that fits does not fulfil"
                                       : fmt::format("none of the {} that fit fulfils",
                                                     counted(result.fitting, "strategy")),
                                   trials.withoutValue.empty() ? "" : ": ", trials.withoutValue));
  } else {
    diagnostics.report(
        passes::rangeOf(train, trials.maximizes ? "maximize" : "minimize", diagnostics),
        diag::NoStrategyFound,
        fmt::format("`{}` has no value to compare: {}", result.goal, trials.withoutValue));
  }
}
