// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration domains and access maps in isl's notation, made by isl (libisl: Verdoolaege, ICMS
// 2010):
//   { conv2d[n, m, p, q] : 0 <= n < 4 and … }    { conv2d[n, m, p, q] -> I[n, 2p, 2q] : … }
// An access holds the elements that exist: what lies outside a tensor is padding, not data.
#ifndef PERFC_PASSES_ANALYSIS_ISLTEXT_H
#define PERFC_PASSES_ANALYSIS_ISLTEXT_H

#include "passes/analysis/KernelModel.h"
#include <memory>

namespace perfc {
namespace passes {

class IslTexts {
public:
  IslTexts();
  ~IslTexts();
  IslTexts(const IslTexts &) = delete;
  IslTexts &operator=(const IslTexts &) = delete;

  std::string domain(const Statement &statement);
  std::string access(const Statement &statement, const Access &access);

private:
  struct Context;
  std::unique_ptr<Context> context;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_ISLTEXT_H
