// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/PriceBuilder.h"

#include "frontend/build/Attributes.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/target/TargetOps.h"

using namespace perfc;

/// Adds the value of `node` as `what`; false after a report.
static bool addPrice(BuildContext &context, const Node &node, bool isChip, ir::AttrDict &into) {
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
    into.set(name, *base);
  return true;
}

llvm::Optional<ir::AttrDict> perfc::readPrice(BuildContext &context, const Node &statement) {
  ir::AttrDict prices;
  const Node *node = statement.find("price");
  if (!node)
    return prices;
  const Node *chip = node->find("chip"), *energy = node->find("energy");
  if (node->args.empty() == !(chip || energy)) {
    context.diagnostics.report(
        node->range, diag::BadPrice,
        node->args.empty() ? "`price` needs that of a chip or of energy: price 2USD/h, or price { "
                             "chip 2USD/h; energy 0.1USD/kWh }"
                           : "`price` of a chip stands on its line or in its block, not in both");
    return llvm::None;
  }
  bool good = node->args.empty() || addPrice(context, *node, /*isChip=*/true, prices);
  good &= !chip || addPrice(context, *chip, /*isChip=*/true, prices);
  good &= !energy || addPrice(context, *energy, /*isChip=*/false, prices);
  return good ? llvm::Optional<ir::AttrDict>(std::move(prices)) : llvm::None;
}

/// Adds `count` times what the chips in `part`, a chip, group or system, cost by `word` to `sum`,
/// and their number to `chips`. False where one does not say, or a sum does not fit.
static bool addUp(const ir::Operation &part, llvm::StringRef word, int64_t count, Quantity &sum,
                  Rational &chips) {
  if (part.is(target::SystemOp::opName))
    return !part.body().empty() && addUp(part.body().back(), word, count, sum, chips);
  if (part.is(target::ChipOp::opName)) {
    const ir::Attribute *price = part.dictAttr("price").find(word);
    QuantityError error = QuantityError::None;
    Quantity number{Rational(count)};
    auto all = price ? apply("*", price->asQuantity(), number, error) : llvm::None;
    auto next = all && chips != Rational(0) ? apply("+", sum, *all, error) : all;
    auto total = apply("+", Quantity(chips), number, error);
    if (!next || !total)
      return false;
    sum = *next;
    chips = total->rational();
    return true;
  }
  for (const ir::Operation &inner : part.body())
    if (auto members = ir::as<target::MembersOp>(inner)) {
      auto times = checkedMultiply(count, members.count());
      const ir::Operation *of = ir::resolve(inner, members.of());
      if (!times || !of || !addUp(*of, word, *times, sum, chips))
        return false;
    }
  return true;
}

/// Adds to `prices` those that they lack and all chips of `target` give: the mean over the chips.
static void addChipPrices(const ir::Operation &target, ir::AttrDict &prices) {
  for (llvm::StringRef word : {"chip", "energy"}) {
    Quantity sum;
    Rational chips = 0;
    QuantityError error = QuantityError::None;
    if (prices.find(word) || !addUp(target, word, 1, sum, chips) || chips == Rational(0))
      continue;
    if (auto mean = apply("/", sum, Quantity(chips), error))
      prices.set(word, *mean);
  }
}

bool perfc::buildPrice(BuildContext &context, const Node &statement, const ir::Operation &target,
                       ir::Operation &op) {
  llvm::Optional<ir::AttrDict> prices = readPrice(context, statement);
  if (!prices)
    return false;
  addChipPrices(target, *prices);
  const Node *node = statement.find("price");
  for (const auto &[name, value] : prices->entries())
    partAt<study::PriceOp>(op, node ? node->range : statement.range).setAttr(name, value);
  return true;
}
