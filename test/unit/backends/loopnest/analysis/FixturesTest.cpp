// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case of test/reference/bruteforce, by both forms.
#include "Nests.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

static AnalysisForm checkFile(const std::string &file, bool enumerate) {
  Fixture fixture = readFixture(file);
  const Nest &nest = fixture.nest;
  AnalysisOptions options;
  options.enumerate = enumerate;
  AnalysisResult result = analyse(nest, options);
  if (!result.counts) {
    ADD_FAILURE() << file << ": " << result.errors.front().message();
    return AnalysisForm::Enumerated;
  }
  for (const std::string &line : differences(fixture.expected, nest, *result.counts))
    ADD_FAILURE() << file << ": " << line;
  return result.counts->form;
}

TEST(Fixtures, EnumerationIsExact) {
  std::vector<std::string> files = fixtures();
  ASSERT_GE(files.size(), 300u);
  for (const std::string &file : files)
    EXPECT_EQ(checkFile(file, true), AnalysisForm::Enumerated);
}

TEST(Fixtures, ClosedFormIsExactAndServesMost) {
  size_t closed = 0;
  for (const std::string &file : fixtures())
    closed += checkFile(file, false) == AnalysisForm::Closed;
  EXPECT_GE(closed, 200u);
}
