// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modules of test/ir use every operation of their level and are read, verified and printed here
// as `perfc opt` does it; then each of a list of changes to them must be found wrong.
#include "ir/core/Parser.h"
#include "ir/core/Printer.h"
#include "ir/core/Verifier.h"
#include "ir/study/AllOps.h"
#include "ir/study/SearchOps.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/StringSet.h"

#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::ir;

static std::string levelText(llvm::StringRef level) {
  SourceManager sources;
  std::string error;
  FileId file = sources.load(PERFC_TEST_DIR "/ir/" + level.str() + "/all.ir", error);
  EXPECT_NE(file, 0u) << error;
  return sources.text(file).str();
}

/// A module that is read and verified, or the codes of what is wrong with it.
struct Checked {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  std::unique_ptr<Module> module;
  std::string errors;

  explicit Checked(std::string text) {
    module = parseModule(sources.add("test.ir", std::move(text)), allOps(), diagnostics);
    if (module)
      verify(*module, diagnostics);
    for (const Diagnostic &error : diagnostics.all())
      errors += fmt::format("{}: {}\n", error.kind->code, error.message);
  }
};

class Level : public testing::TestWithParam<const char *> {};

TEST_P(Level, RoundTripsAndVerifies) {
  Checked first(levelText(GetParam()));
  ASSERT_EQ(first.errors, "");
  std::string text = toString(*first.module);
  Checked second(text);
  ASSERT_EQ(second.errors, "");
  EXPECT_EQ(toString(*second.module), text);
}

TEST_P(Level, UsesEveryOperation) {
  Checked checked(levelText(GetParam()));
  ASSERT_TRUE(checked.module);
  llvm::StringSet<> used;
  checked.module->walk([&](const Operation &op) { used.insert(op.name()); });
  for (const OpDecl *decl : allOps().all()) {
    bool isOwn = decl->name.split('.').first == GetParam();
    EXPECT_TRUE(!isOwn || used.count(decl->name)) << decl->name.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Ir, Level,
                         testing::Values("op", "loopnest", "tile", "phase", "collective", "target",
                                         "study"));

struct Change {
  const char *level;
  const char *from;
  const char *to;
  const char *error; ///< how the only message begins
};
std::ostream &operator<<(std::ostream &os, const Change &change) { return os << change.to; }

class Rule : public testing::TestWithParam<Change> {};

TEST_P(Rule, IsChecked) {
  const Change &change = GetParam();
  std::string text = levelText(change.level);
  size_t at = text.rfind(change.from);
  ASSERT_NE(at, std::string::npos) << change.from;
  text.replace(at, strlen(change.from), change.to);
  std::string errors = Checked(text).errors;
  EXPECT_EQ(errors.substr(0, strlen(change.error)), change.error) << errors;
}

INSTANTIATE_TEST_SUITE_P(
    Ir, Rule,
    testing::Values(
        Change{"op", "dtype = \"int8\")", "dtype = \"int7\")", "720: `op.operand`: dtype"},
        Change{"op", "map = [\"any\", d]", "map = [\"all\", d]",
               "720: `op.statement`: a subscript"},
        Change{"op", "map = [\"any\", d]", "map = [d]",
               "720: `op.statement`: `T` has 2 ranks, not 1"},
        Change{"op", "map = [\"any\", d]", "map = [t, e]", "720: `op.statement`: `e` is no index"},
        Change{"op", "constraints = [5 - t]", "constraints = [u]",
               "720: `op.statement`: `u` is no"},
        Change{"op", "tensor = \"T\"", "tensor = \"U\"",
               "720: `op.statement`: the kernel has no tensor"},
        Change{"op", "{tensor = \"T\", map", "{map", "720: `op.statement`: an access"},
        Change{"op", "value = [{read = 0}]", "value = [{read = 1}]",
               "720: `op.statement`: value is"},
        Change{"op", "value = [{read = 0}]", "value = [\"exp\"]", "720: `op.statement`: value is"},
        Change{"op", "op.apply %i, %v", "op.apply %i, %v, %v, %v",
               "720: `op.apply`: the kernel has 3"},
        Change{"op", "op.return %x",
               "%u = op.call %x (graph = @block) : tensor<1x4x4x4xfp16> op.return %u",
               "720: `op.graph`: a graph cannot call itself"},
        Change{"op", "%z = op.call %y (graph = @block) : tensor<1x4x4x4xfp16>",
               "%z = op.call %y (graph = @block) : tensor<1xfp16>",
               "720: `op.call`: returned value 1 is"},
        Change{"op", "op.return %r, %s", "", "720: `op.graph`: a graph ends"},
        Change{"op", "op.return %r, %s", "op.return %r op.return %r", "720: `op.return`: nothing"},
        Change{"op", "op.yield %o", "", "720: `op.fused`: the region ends"},
        Change{"op", "op.yield %o", "op.yield %i", "720: `op.fused`: yielded value 1 is"},
        Change{"op", "op.repeat %z", "op.repeat %image", "720: `op.repeat`: operand 1 is"},
        Change{"loopnest", "steps = [1]", "steps = [1, 1]", "720: `loopnest.parallel`: as many"},
        Change{"loopnest", "indices = [\"i\"], axis = \"x\"", "indices = [\"i\", \"j\"]",
               "720: `loopnest.loop`"},
        Change{"loopnest", "loopnest.compute (unit = \"MAC\")", "", "720: `loopnest.nest`: no"},
        Change{"loopnest", "loopnest.compute (unit = \"MAC\")",
               "loopnest.compute (unit = \"MAC\") loopnest.compute (unit = \"MAC\")",
               "720: `loopnest.compute`: a second"},
        Change{"tile", "blocks = 6", "blocks = 7", "720: `tile.kernel`: blocks"},
        Change{"tile", "waves = 2", "waves = 3", "720: `tile.kernel`: waves"},
        Change{"phase", "run = @copy", "run = @g", "722: "},
        Change{"collective", "ranks = 2", "ranks = 0", "714: "},
        Change{"target", "dtype = \"int16\"", "dtype = \"int17\"", "720: `target.chip`: dtype"},
        Change{"target", "@MAC", "@GLB", "720: `target.compute`: another part"},
        Change{"target", "x = 14, y = 12", "x = 4294967296, y = 4294967296",
               "720: `target.array`: the number"},
        Change{"target", "rate = {int16", "rate = {int15", "720: `target.compute`: `int15`"},
        Change{"target", "bandwidth = 25GB/s", "bandwidth = 25GB", "713: "},
        Change{"target", "of = @node", "of = @all", "720: `target.members`: `@all`"},
        Change{"study", "[\"*\", \"energy\", \"latency\"]", "[1, \"energy\"]",
               "720: `study.metric`: expr"},
        Change{"study", "[\"/\", \"throughput\", \"chips\"]", "[[]]", "720: `study.expect`: expr"},
        Change{"study", "of = @g", "of = @h", "721: there is no `@h`"},
        Change{"study", "tensor = 8, ", "tensor = \"eight\", ", "712: "},
        Change{"study", "recompute = \"full\"", "recompute = \"bananas\"", "715: "},
        Change{"study", "gemm = 75%", "gemm = 175%", "727: "},
        Change{"study", "stages = [5, 4]", "stages = [5]",
               "720: `study.strategy`: there are as many"},
        Change{"study", "sequence = 8", "sequence = 4", "720: `study.strategy`: sequence"},
        Change{"study", "over = {tensor", "over = {colour", "720: `study.strategy`: over"},
        Change{"study", "\"tensor\", \"data\"]", "\"data\", \"data\"]",
               "720: `study.strategy`: order"},
        Change{"study", "study.train (subject = @g, on = @chip, dtype = \"bf16\"",
               "study.train (subject = @g, on = @chip, dtype = \"int8\"",
               "720: `study.train`: whole numbers"},
        Change{"study", "theta = 0.3, ", "", "720: `study.experts`: zipf"},
        Change{"study", "chip_mtbf = 100000s, ", "", "720: `study.checkpoint`: one of"},
        Change{"study", "study.price (chip", "study.price () study.price (chip",
               "720: `study.train`: a second study.price"},
        Change{"study", "max_tokens = 64", "chunk = 64", "720: `study.scheduler`: vllm has"},
        Change{"study", "rate = 5/s, ", "", "720: `study.arrivals`: poisson has rate"},
        Change{"study", "min = 3, ", "", "720: `study.lengths`: uniform has min"},
        Change{"study", "study.strategy (tensor = 1)", "study.strategy (context = 2)",
               "720: `study.serve`: it has no context"},
        Change{"study", "study.strategy (tensor = 1)", "study.strategy (tensor = 0)",
               "720: `study.serve`: its degrees"},
        Change{"study", "dtype = \"fp16\", requests = 5", "dtype = \"fp16\"",
               "720: `study.serve`: it has no number"},
        Change{"study", "study.sample (graph = @g, decode, batch = 1, tokens = 1, context = 3)", "",
               "720: `study.pool`: it has no study.sample"},
        Change{"study", "pareto_text = [\"latency\"]", "pareto_text = []",
               "720: `study.goal`: pareto_text"}));

TEST(Reference, ListsEveryOperationAndAttribute) {
  std::string text = renderIrReference(allOps());
  for (const OpDecl *decl : allOps().all()) {
    EXPECT_NE(text.find("### " + decl->name.str() + "\n"), std::string::npos);
    for (const AttrDecl &attr : decl->attrs)
      EXPECT_NE(text.find("\n| " + attr.name.str() + (attr.required ? " |" : "? |")),
                std::string::npos);
  }
}

TEST(SearchTime, IsAMinuteWhereWithinDoesNotSay) {
  auto timesIn = [](std::string text) {
    Checked checked(std::move(text));
    EXPECT_EQ(checked.errors, "");
    std::vector<double> times;
    checked.module->walk([&](const Operation &op) {
      if (op.is(study::SearchStatement::opName) || op.is(study::TrainOp::opName))
        times.push_back(study::partOf<study::GoalOp>(op).within());
    });
    return times;
  };
  std::string text = levelText("study");
  EXPECT_EQ(timesIn(text), (std::vector<double>{2, 60, 60}));
  text.replace(text.find(", within = 2s"), strlen(", within = 2s"), "");
  llvm::StringRef goal = "maximize = [\"mfu\"]";
  text.replace(text.find(goal.str()), goal.size(), goal.str() + ", within = 5s");
  EXPECT_EQ(timesIn(text), (std::vector<double>{60, 60, 5}));
}
