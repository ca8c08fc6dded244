// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts each nest that is costed once more, by sets of isl (ExactCounts.h), and reports a
// difference as a defect of the compiler.
#ifndef PERFC_BACKENDS_LOOPNEST_EXACT_COUNTVERIFIER_H
#define PERFC_BACKENDS_LOOPNEST_EXACT_COUNTVERIFIER_H

#include "backends/core/VerifiedNests.h"
#include "backends/loopnest/exact/ExactCounts.h"
#include "ir/common/Diagnostics.h"
#include <mutex>

namespace perfc {
namespace loopnest {

/// Any thread may verify.
class CountVerifier {
public:
  explicit CountVerifier(const ExactLimits &limits = {}) : limits(limits) {}

  /// False where isl counts `nest` otherwise than `counts`, which is reported at `place`.
  bool verify(const Nest &nest, const Counts &counts, SourceRange place,
              DiagnosticEngine &diagnostics);
  /// What was found since the last call.
  VerifiedNests takeFound();

private:
  ExactLimits limits;
  std::mutex mutex; ///< of `found`
  VerifiedNests found;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_EXACT_COUNTVERIFIER_H
