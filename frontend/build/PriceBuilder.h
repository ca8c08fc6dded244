// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What chips and energy cost, as a statement says it: `price 2USD/h` of a chip, or
// `price { chip 2USD/h; energy 0.1USD/kWh }`.
#ifndef PERFC_FRONTEND_BUILD_PRICEBUILDER_H
#define PERFC_FRONTEND_BUILD_PRICEBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Gives `op` the study.price that `statement` asks for, if any; false after a report.
bool buildPrice(BuildContext &context, const Node &statement, ir::Operation &op);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_PRICEBUILDER_H
