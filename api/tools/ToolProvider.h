// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool among the providers of costs: it is given the input that perfc writes of an operation, and
// what it prints becomes the cost, so that results, sums over programs, comparisons and documents
// are those of any other provider. What a tool does not say (bytes by memory, what limits) is left
// out; operations and area, which are of the program alone, are those of the provider in whose
// place it stands.
#ifndef PERFC_API_TOOLS_TOOLPROVIDER_H
#define PERFC_API_TOOLS_TOOLPROVIDER_H

#include "api/tools/Tools.h"
#include "backends/core/CostProvider.h"

namespace perfc::api {

/// Whether the tool itself is run, or perfc's own model of it, which counts as it does.
enum class ToolAnswer : uint8_t { Tool, Model };

class ToolProvider : public CostProvider {
public:
  /// In the place of `native`.
  ToolProvider(std::unique_ptr<CostProvider> native, Tool tool, ToolAnswer answer)
      : CostProvider(native->info().name), native(std::move(native)), tool(std::move(tool)),
        answer(answer) {}

  bool serves(const ir::Operation &op) const override { return native->serves(op); }
  bool servesOn(const ir::Operation &target) const override { return native->servesOn(target); }
  std::vector<llvm::Optional<Cost>> evaluate(llvm::ArrayRef<CostQuery> queries,
                                             DiagnosticEngine &diagnostics) override;

private:
  llvm::Optional<Cost> evaluate(const CostQuery &query, DiagnosticEngine &diagnostics);

  std::unique_ptr<CostProvider> native;
  Tool tool;
  ToolAnswer answer;
};

/// `providers` with `tool` in the place of the one that it can take.
ProviderSet withTool(ProviderSet providers, const Tool &tool, ToolAnswer answer = ToolAnswer::Tool);

} // namespace perfc::api

#endif // PERFC_API_TOOLS_TOOLPROVIDER_H
