// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step while StepModel puts it together: from layers to stages, to their times, to the schedule,
// to what is added behind it. Private to StepModel's files.
#ifndef PERFC_BACKENDS_TRAINING_STEPBUILD_H
#define PERFC_BACKENDS_TRAINING_STEPBUILD_H

#include "backends/training/StepModel.h"

namespace perfc::training {

struct StepModel::Build {
  const ModelCosts &costs;
  const passes::Strategy &strategy;
  Step step;
  double microbatches = 1;
  std::vector<std::vector<double>> layers; ///< by stage, then by kind of layer
  std::vector<RegionCost> forward, backward;
  std::vector<StageTime> times;
  std::vector<double> inFlight;
  bool failed = false;
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STEPBUILD_H
