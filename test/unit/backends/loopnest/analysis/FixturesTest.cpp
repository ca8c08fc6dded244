// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case of test/reference/bruteforce, by both forms.
#include "Nests.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

static std::vector<std::string> fixtures() {
  std::vector<std::string> files;
  std::error_code error;
  llvm::sys::fs::directory_iterator end;
  for (llvm::sys::fs::directory_iterator it(PERFC_TEST_DIR "/reference/bruteforce", error);
       !error && it != end; it.increment(error))
    if (llvm::StringRef(it->path()).endswith(".json"))
      files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

static AnalysisForm checkFile(const std::string &file, bool enumerate) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  llvm::json::Value document = llvm::cantFail(llvm::json::parse((*buffer)->getBuffer()));
  const llvm::json::Object &object = *document.getAsObject();
  Nest nest = llvm::cantFail(readCase(*object.getObject("case")));
  AnalysisOptions options;
  options.enumerate = enumerate;
  AnalysisResult result = analyse(nest, options);
  if (!result.counts) {
    ADD_FAILURE() << file << ": " << result.errors.front().message();
    return AnalysisForm::Enumerated;
  }
  for (const std::string &line : differences(*object.getObject("expected"), nest, *result.counts))
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
