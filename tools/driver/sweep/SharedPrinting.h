// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a sweep that several processes share. Those that evaluate print each point into
// texts, once with the titles of its sweep and once without, since they cannot know whether it is
// the first that prints anything; the process that hands points out takes the right one. Of a
// document they print the parts that a point adds, which that process puts together.
#ifndef PERFC_TOOLS_DRIVER_SWEEP_SHAREDPRINTING_H
#define PERFC_TOOLS_DRIVER_SWEEP_SHAREDPRINTING_H

#include "tools/driver/Report.h"
#include "tools/driver/RunDocument.h"
#include "tools/driver/sweep/PointSharing.h"

namespace perfc::driver {

class SharedPrinting {
public:
  /// Sets what `sharing` does with printed texts; they are parts of `document` if it is given.
  SharedPrinting(Session &session, const api::Evaluation &evaluation, PointSharing &sharing,
                 RunDocument *document);

  /// Where points are evaluated.
  void print(const api::Evaluated &evaluated);

private:
  Session &session;
  RunDocument *document;
  std::string first, next;
  llvm::raw_string_ostream firstStream, nextStream;
  Report asFirst, asNext;
  llvm::Optional<int64_t> sweep; ///< the one whose rows are being printed
};

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SWEEP_SHAREDPRINTING_H
