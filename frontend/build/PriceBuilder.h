// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What chips and energy cost, as a statement or a chip says it: `price 2USD/h` of a chip, or
// `price { chip 2USD/h; energy 0.1USD/kWh }`.
#ifndef PERFC_FRONTEND_BUILD_PRICEBUILDER_H
#define PERFC_FRONTEND_BUILD_PRICEBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// The prices of `node`, a statement or chip, in USD, by `chip` (per second) and `energy` (per
/// joule); empty without a `price`. Nothing after a report.
llvm::Optional<ir::AttrDict> readPrice(BuildContext &context, const Node &node);

/// Gives `op` a study.price where `statement` or all chips of `target`, a chip or system, say what
/// they cost: of chips the mean. False after a report.
bool buildPrice(BuildContext &context, const Node &statement, const ir::Operation &target,
                ir::Operation &op);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_PRICEBUILDER_H
