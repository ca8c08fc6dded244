// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/PassManager.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/core/Parser.h"
#include "ir/study/AllOps.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::passes;

namespace {

class PassManagerTest : public testing::Test {
protected:
  std::unique_ptr<ir::Module> parse(const char *text) {
    return ir::parseModule(sources.add("test.ir", text), allOps(), diagnostics);
  }

  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  PassContext context{diagnostics, allOps()};
};

bool breakModule(ir::Module &module, PassContext &) {
  module.body().front().setAttr("dtype", "fp17");
  return true;
}

bool fail(ir::Module &, PassContext &context) {
  context.diagnostics.report({}, diag::ExpectedPass);
  return false;
}

const PassInfo breaking{"break", "", "", breakModule};
const PassInfo failing{"fail", "", "", fail};

TEST_F(PassManagerTest, hooksSeeEachPassAndTimesAreKept) {
  auto module = parse("target.chip @c (dtype = \"fp16\") {}");
  ASSERT_TRUE(module);
  std::string calls;
  PassOptions options;
  options.before = [&](const PassInfo &pass, const ir::Module &) {
    calls += "<" + pass.name.str();
  };
  options.after = [&](const PassInfo &pass, const ir::Module &) { calls += ">" + pass.name.str(); };
  PassManager manager({&inlinePass, &fusePass}, options);
  EXPECT_TRUE(manager.run(*module, context));
  EXPECT_EQ(calls, "<inline>inline<fuse>fuse");
  ASSERT_EQ(manager.timings().size(), 2u);
  EXPECT_EQ(manager.timings()[1].pass, &fusePass);
  EXPECT_EQ(manager.timings()[1].runs, 1u);
  EXPECT_GT(manager.timings()[1].seconds, 0);
  std::string table;
  llvm::raw_string_ostream os(table);
  manager.printTimings(os);
  EXPECT_NE(os.str().find("100.0%  total"), std::string::npos);
}

TEST_F(PassManagerTest, verifyEachNamesThePassThatBreaksTheIr) {
  auto module = parse("target.chip @c (dtype = \"fp16\") {}");
  ASSERT_TRUE(module);
  PassOptions options;
  options.verifyEach = true;
  EXPECT_FALSE(PassManager({&breaking, &fusePass}, options).run(*module, context));
  ASSERT_FALSE(diagnostics.all().empty());
  EXPECT_EQ(diagnostics.all().back().kind->code, diag::BrokenByPass.code);
  EXPECT_NE(diagnostics.all().back().message.find("`break`"), std::string::npos);
}

TEST_F(PassManagerTest, stopsAtTheFirstPassThatFails) {
  auto module = parse("target.chip @c (dtype = \"fp16\") {}");
  ASSERT_TRUE(module);
  PassManager manager({&failing, &fusePass});
  EXPECT_FALSE(manager.run(*module, context));
  EXPECT_EQ(manager.timings()[0].runs, 1u);
  EXPECT_EQ(manager.timings()[1].runs, 0u);
}

TEST_F(PassManagerTest, pipelinesOfLevelsGrow) {
  auto before = pipelineTo(levelNames().front());
  ASSERT_TRUE(before.hasValue());
  for (llvm::StringRef level : levelNames().drop_front()) {
    auto pipeline = pipelineTo(level);
    ASSERT_TRUE(pipeline.hasValue());
    EXPECT_GT(pipeline->size(), before->size());
    EXPECT_TRUE(std::equal(before->begin(), before->end(), pipeline->begin()));
    before = pipeline;
  }
  EXPECT_FALSE(pipelineTo("gate").hasValue());
}

} // namespace
