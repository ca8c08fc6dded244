// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A costed training step as what its ranks run (backends/core/StepProgram.h): the layers of each
// stage and chunk, and the order of its tasks by the schedule.
#ifndef PERFC_BACKENDS_TRAINING_PROGRAMBUILDER_H
#define PERFC_BACKENDS_TRAINING_PROGRAMBUILDER_H

#include "backends/training/StepModel.h"

namespace perfc::training {

/// The program of `step`, whose stages run in `order`, with times of collectives from `network`;
/// null when it has more tasks than anybody would write.
std::shared_ptr<const StepProgram> buildProgram(const ir::Operation &train, const ModelCosts &costs,
                                                const passes::Strategy &strategy, const Step &step,
                                                const passes::PipelineOrder &order,
                                                RankNetwork &network);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_PROGRAMBUILDER_H
