// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/PriceBuilder.h"

#include "frontend/build/Attributes.h"
#include "frontend/sema/Written.h"

using namespace perfc;

/// Adds the value of `node` as `what`; false after a report.
static bool addPrice(BuildContext &context, const Node &node, bool isChip, ir::Operation &into) {
  const Quantity *value = node.args.empty() ? nullptr : node.args[0].value.getIf<Quantity>();
  if (!value)
    return true; // reported, or unknown
  llvm::StringRef name = isChip ? "chip" : "energy";
  auto refuse = [&](const std::string &why) {
    context.diagnostics.report(node.args[0].range, diag::BadPrice, why);
    return false;
  };
  if (value->toDouble() < 0)
    return refuse(fmt::format("a price is not negative, but `{}` is {}", name, written(*value)));
  Dimension wanted = Dimension(BaseUnit::Dollar) / (isChip ? BaseUnit::Second : BaseUnit::Joule);
  if (value->dimension().withoutCounts() != wanted)
    return refuse(isChip ? "the price of a chip is money per time: chip 2USD/h"
                         : "the price of energy is money per energy: energy 0.1USD/kWh");
  UnitContext units;
  if (isChip)
    units.each = {{BaseUnit::Chip, Rational(1), ""}};
  if (auto base = inBaseUnits(context, *value, node.range, units))
    into.setAttr(name, *base);
  return true;
}

bool perfc::buildPrice(BuildContext &context, const Node &statement, ir::Operation &op) {
  const Node *node = statement.find("price");
  if (!node)
    return true;
  const Node *chip = node->find("chip"), *energy = node->find("energy");
  if (node->args.empty() == !(chip || energy)) {
    context.diagnostics.report(
        node->range, diag::BadPrice,
        node->args.empty() ? "`price` needs that of a chip or of energy: price 2USD/h, or price { "
                             "chip 2USD/h; energy 0.1USD/kWh }"
                           : "`price` of a chip stands on its line or in its block, not in both");
    return false;
  }
  ir::Operation &prices = partAt<study::PriceOp>(op, node->range);
  bool good = node->args.empty() || addPrice(context, *node, /*isChip=*/true, prices);
  good &= !chip || addPrice(context, *chip, /*isChip=*/true, prices);
  good &= !energy || addPrice(context, *energy, /*isChip=*/false, prices);
  return good;
}
