// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Words.h"
#include "ir/study/AllOps.h"
#include "ir/study/TrainOps.h"

#include <gtest/gtest.h>

using namespace perfc;

/// What the manual says of a word of a runtime that is not given is what the IR declares, and a
/// word instead of a number stands where the IR declares none.
TEST(Defaults, OfRuntimesAreThoseOfTheIr) {
  const ir::OpDecl &runtime = *allOps().find(study::RuntimeOp::opName);
  for (const WordSpec &word : wordsOf(BlockKind::Runtime)) {
    const ir::AttrDecl *attr = runtime.findAttr(word.word);
    ASSERT_TRUE(attr) << word.word.str();
    llvm::StringRef bad;
    llvm::Optional<Quantity> number = parseNumber(word.byDefault, bad);
    ASSERT_EQ(number.hasValue(), attr->byDefault.hasValue()) << word.word.str();
    if (number) {
      EXPECT_EQ(compare(*number, attr->byDefault->asQuantity()), 0) << word.word.str();
    }
  }
}
