// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of evaluators: a module read from text, and the cost of one of its operations.
#ifndef PERFC_TEST_UNIT_PROVIDERTEST_H
#define PERFC_TEST_UNIT_PROVIDERTEST_H

#include "backends/core/CostProvider.h"
#include "ir/core/Parser.h"
#include "ir/core/Verifier.h"
#include "ir/study/AllOps.h"
#include <gtest/gtest.h>

namespace perfc {

struct ParsedModule {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  std::unique_ptr<ir::Module> module;

  explicit ParsedModule(std::string text) {
    module = ir::parseModule(sources.add("test.ir", std::move(text)), allOps(), diagnostics);
    if (module)
      ir::verify(*module, diagnostics);
    EXPECT_EQ(messages(), "");
  }

  std::string messages() const {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics.all())
      text += diagnostic.message + "\n";
    return text;
  }

  /// The cost of `op` on `target` by `Provider`; nothing, with messages, when it fails.
  template <typename Provider>
  llvm::Optional<Cost> cost(llvm::StringRef op, llvm::StringRef target) {
    return costOf<Provider>(*module->lookup(op), target);
  }
  template <typename Provider>
  llvm::Optional<Cost> costOf(const ir::Operation &op, llvm::StringRef target) {
    Provider provider;
    EXPECT_TRUE(provider.serves(op));
    return provider.evaluate(CostQuery{&op, module->lookup(target), nullptr}, diagnostics).front();
  }
};

} // namespace perfc

#endif // PERFC_TEST_UNIT_PROVIDERTEST_H
