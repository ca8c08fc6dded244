// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of a layer from measured times of its kernels (study.op_table). Kernels take the time at
// the tokens of the batch; attention that at the number of requests that make a token and their
// mean context, and for each piece of a prompt that at its tokens and those before it. Between the
// sizes of the table times are linear, in a piece of a prompt linear in its square; below the first
// size they are those of the first, above the last they grow in proportion, of a piece with its
// square. Operations, bytes and energy are those of samples, as are the times of exchanges that the
// table has not.
#ifndef PERFC_BACKENDS_SERVING_TABLECOST_H
#define PERFC_BACKENDS_SERVING_TABLECOST_H

#include "backends/serving/SampledCost.h"
#include "ir/study/OpTable.h"

namespace perfc::serving {

class TableCost : public PartCost {
public:
  TableCost(std::shared_ptr<const study::OpTable> table, std::unique_ptr<SampledCost> samples);

  StackWork run(int64_t tokens, const BatchShape &shape, double runs) override;
  std::vector<ItemTotal> totals() const override;
  void forget() override;
  void addNodes(int64_t tokens, const BatchShape &shape,
                std::vector<ServedNode> &nodes) const override;

private:
  double kernel(size_t column, double tokens) const;
  StackWork kernels(int64_t tokens) const;
  double decode(const BatchShape &shape) const;
  double prefill(const BatchShape::Chunk &chunk) const;
  double timesIn(size_t column) const;

  std::shared_ptr<const study::OpTable> table;
  std::unique_ptr<SampledCost> samples;
  TokenRuns known;            ///< of kernels
  ItemTotal decodes, prompts; ///< attention
};

/// What passes so many tokens on to the next stage, in s, by a table that has such times.
double tableSendSeconds(const study::OpTable &table, double tokens);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_TABLECOST_H
