// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orca (Yu et al., OSDI 2022): all that run, and new ones beside them, whole prompts and single
// tokens mixed.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_ORCA_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_ORCA_H

#include "backends/serving/schedulers/Reserving.h"

namespace perfc::serving {

class Orca : public Reserving {
public:
  using Reserving::Reserving;
  Batch next() override;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_ORCA_H
