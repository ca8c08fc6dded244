// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/perfc/Program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

using namespace perfc::api;

namespace {

struct Results : Sink {
  void result(Result result) override { list.push_back(std::move(result)); }
  std::vector<Result> list;
};

constexpr const char product[] = R"(
import std.ops.matmul as lib
import std.hardware.h100

// How many rows.
param n = 64 in 1..4096
param rate = 2GB/s
let twice = 2 * n
metric words = traffic / 2B
evaluate lib.matmul(M = n, N = twice, K = 64) on h100_sxm as one {
  expect macs > 1e5
  report words
}
)";

} // namespace

TEST(Program, GivesTypedResults) {
  Program program = Program::load(product);
  Results found;
  ASSERT_TRUE(program.run(found)) << program.problemsJson();
  ASSERT_EQ(found.list.size(), 1u);
  const Result &result = found.list.front();
  EXPECT_EQ(result.statement, "evaluate");
  EXPECT_EQ(result.name, "one");
  EXPECT_EQ(result.subject, "matmul(M = 64, N = 128, K = 64)");
  EXPECT_EQ(result.place.line, 10u);
  EXPECT_EQ(result.find("macs")->value, 64 * 128 * 64);
  EXPECT_EQ(result.find("latency")->unit, "s");
  EXPECT_EQ(result.find("area")->unit, "m2");
  EXPECT_EQ(result.find("power")->unit, "W");
  EXPECT_EQ(result.find("words")->value, result.find("traffic")->value / 2);
  EXPECT_EQ(result.find("bus_bandwidth")->hasNumber(), false);
  EXPECT_EQ(result.find("nothing"), nullptr);
  ASSERT_EQ(result.expectations.size(), 1u);
  EXPECT_EQ(result.expectations.front().text, "macs > 1e5");
  EXPECT_DOUBLE_EQ(result.breakdown.latency, result.find("latency")->value);
}

TEST(Program, GivesTheTablesOfReports) {
  Program program = Program::load("import std.ops.matmul\nimport std.hardware.h100\nevaluate "
                                  "matmul(M = 64, N = 128, K = 64) on h100_sxm using roofline {\n"
                                  "  report latency * 2, bottleneck\n"
                                  "  report latency, utilization by kernel, memory\n}\n");
  Results found;
  ASSERT_TRUE(program.run(found)) << program.problemsJson();
  const Result &result = found.list.front();
  ASSERT_EQ(result.tables.size(), 3u);
  const Table &whole = result.tables[0], &kernels = result.tables[1], &memories = result.tables[2];
  EXPECT_EQ(whole.by, "");
  EXPECT_EQ(whole.columns, (std::vector<std::string>{"latency * 2", "bottleneck"}));
  ASSERT_EQ(whole.rows.size(), 1u);
  EXPECT_EQ(whole.rows[0].label, result.label);
  EXPECT_DOUBLE_EQ(whole.rows[0].cells[0].value, 2 * result.find("latency")->value);
  EXPECT_EQ(whole.rows[0].cells[0].unit, "s");
  EXPECT_EQ(whole.rows[0].cells[1].text, result.find("bottleneck")->text);
  EXPECT_EQ(kernels.by, "kernel");
  ASSERT_EQ(kernels.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(kernels.rows[0].cells[0].value, result.find("latency")->value);
  EXPECT_EQ(memories.by, "memory");
  ASSERT_EQ(memories.rows.size(), 1u);
  EXPECT_EQ(memories.rows[0].label, "HBM");
  EXPECT_EQ(memories.rows[0].cells[1].notGiven, "there is no `utilization` here");
}

TEST(Program, SaysWhatMemoriesMove) {
  Program program =
      Program::load("import std.ops.matmul\nimport std.hardware.h100\nevaluate matmul(M = 64, "
                    "N = 128, K = 64) on h100_sxm using roofline\n");
  Results found;
  ASSERT_TRUE(program.run(found)) << program.problemsJson();
  const Result &result = found.list.front();
  ASSERT_EQ(result.memories.size(), 1u);
  const Memory &memory = result.memories.front();
  EXPECT_EQ(memory.name, "HBM");
  EXPECT_TRUE(memory.isOffChip);
  EXPECT_EQ(memory.readBytes, 2 * (64 * 64 + 64 * 128));
  EXPECT_EQ(memory.writeBytes, 2 * 64 * 128);
  EXPECT_GT(memory.latency, 0);
  EXPECT_FALSE(result.search.has_value());
}

TEST(Program, GivesDistributions) {
  Program program = Program::load("import std.workloads.llama3\nimport std.hardware.h100\n"
                                  "serve llama3_8b on h100_sxm {\n"
                                  "  scheduler sarathi(chunk = 512)\n  arrivals fixed(2req/s)\n"
                                  "  lengths fixed(512, 64)\n  requests 4\n}\n");
  Results found;
  ASSERT_TRUE(program.run(found)) << program.problemsText();
  const Result &result = found.list.front();
  EXPECT_EQ(result.find("ttft.mean")->value, result.find("ttft")->value);
  EXPECT_GE(result.find("ttft.p99")->value, result.find("ttft.p50")->value);
  EXPECT_EQ(result.find("ttft.p99")->unit, "s");
  EXPECT_EQ(result.find("throughput.p99"), nullptr);
}

TEST(Program, ChecksWithoutEvaluating) {
  EXPECT_TRUE(Program::load(product).check());
  Program unknown = Program::load("import std.hardware.h100\nevaluate conv2d() on h100_sxm\n");
  EXPECT_TRUE(unknown.isGood()); // its declarations
  EXPECT_FALSE(unknown.check());
  EXPECT_FALSE(unknown.check());
  ASSERT_EQ(unknown.problems().size(), 1u); // not once for each look
  EXPECT_EQ(unknown.problems()[0].code, 100u);
}

TEST(Program, RunsSearchesAlone) {
  Program program =
      Program::load(std::string(product) + "import std.hardware.eyeriss\n"
                                           "mapspace any_order for lib.matmul on eyeriss {}\n"
                                           "search lib.matmul(M = 8, N = 8, K = 8) on eyeriss with "
                                           "any_order { minimize energy }\n");
  Results found;
  RunSettings settings;
  settings.which = Statements::Searches;
  ASSERT_TRUE(program.run(found, settings)) << program.problemsJson();
  ASSERT_EQ(found.list.size(), 1u);
  const std::optional<Search> &search = found.list.front().search;
  ASSERT_TRUE(search.has_value());
  EXPECT_EQ(search->goal, "minimize energy");
  EXPECT_EQ(search->value, found.list.front().find("energy")->value);
  EXPECT_TRUE(search->isProven);
  EXPECT_EQ(search->bound, search->value);
  EXPECT_GT(search->evaluated, 0);
  EXPECT_NE(search->mappings.find("mapping best_matmul for"), std::string::npos);
  // There are none of the other kind.
  settings.which = Statements::Sweeps;
  EXPECT_FALSE(program.run(found, settings));
  EXPECT_EQ(found.list.size(), 1u);
}

TEST(Program, ListsItsParameters) {
  Program program = Program::load(std::string(product) + "param way = fp16 in [fp8, fp16]\n");
  std::vector<Parameter> parameters = program.parameters();
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].name, "n");
  EXPECT_EQ(parameters[0].documentation, "How many rows.\n");
  EXPECT_EQ(parameters[0].value, "64");
  EXPECT_EQ(parameters[0].values.size(), 4096u);
  EXPECT_EQ(parameters[0].values.back(), "4096");
  EXPECT_EQ(parameters[0].place.line, 6u);
  EXPECT_EQ(parameters[1].value, "2GB/s");
  EXPECT_EQ(parameters[1].unit, "B/s");
  EXPECT_TRUE(parameters[1].values.empty());
  EXPECT_EQ(parameters[2].values, (std::vector<std::string>{"fp8", "fp16"}));
  ASSERT_TRUE(program.set("n", 8));
  EXPECT_EQ(program.parameters()[0].value, "8");
}

TEST(Program, ListsTheLibrary) {
  std::vector<Answer> all = library();
  auto chip = std::find_if(all.begin(), all.end(),
                           [](const Answer &one) { return one.name == "h100_sxm"; });
  ASSERT_NE(chip, all.end());
  EXPECT_EQ(chip->kind, "hardware");
  EXPECT_EQ(chip->module, "std.hardware.h100");
}

TEST(Program, RunsATextOfTheIr) {
  Program program = Program::load(product);
  Results fromText, fromIr;
  ASSERT_TRUE(program.run(fromText)) << program.problemsJson();
  std::optional<std::string> ir = program.ir("collective");
  ASSERT_TRUE(ir.has_value()) << program.problemsJson();
  Program module = Program::load(*ir, "product.ir");
  ASSERT_TRUE(module.run(fromIr)) << module.problemsJson();
  ASSERT_EQ(fromIr.list.size(), fromText.list.size());
  EXPECT_EQ(fromIr.list.front().find("latency")->value,
            fromText.list.front().find("latency")->value);
  EXPECT_FALSE(module.set("n", 2));
  EXPECT_FALSE(module.format().has_value());
  EXPECT_FALSE(module.at(1, 1).has_value());

  Program broken = Program::load("study.evaluate @e (", "broken.ir");
  EXPECT_FALSE(broken.isGood());
  EXPECT_FALSE(broken.run(fromIr));
  EXPECT_FALSE(Program::load("", "empty.ir").isGood());
}

TEST(Program, RunsAgainWithOtherParameters) {
  Program program = Program::load(product);
  Results again, fresh;
  ASSERT_TRUE(program.set("n", 128));
  program.run(again);
  ASSERT_TRUE(program.set("n", std::string("2 * 128")));
  program.run(again);
  Program::load(product, "program.perf", {{"n", "256"}}).run(fresh);
  ASSERT_EQ(again.list.size(), 2u);
  EXPECT_EQ(again.list[0].find("macs")->value, 128 * 256 * 64);
  EXPECT_EQ(again.list[1].find("latency")->value, fresh.list.front().find("latency")->value);
  // A sweep over it leaves it as it was set.
  Program swept =
      Program::load(std::string(product) +
                    "sweep n in [1, 2] { evaluate lib.matmul(M = n, N = 1, K = 1) on h100_sxm }");
  ASSERT_TRUE(swept.set("n", 128));
  for (int round = 0; round < 2; ++round) {
    Results sizes;
    swept.run(sizes);
    ASSERT_EQ(sizes.list.size(), 3u);
    EXPECT_EQ(sizes.list[0].find("macs")->value, 128 * 256 * 64);
    EXPECT_EQ(sizes.list[2].find("macs")->value, 2);
  }
  // What was set goes.
  Program given = Program::load(product, "program.perf", {{"n", "32"}});
  EXPECT_TRUE(given.set("n", 16) && given.set("rate", 3e9));
  EXPECT_TRUE(given.reset("n") && given.reset("rate"));
  EXPECT_FALSE(given.reset("m"));
  EXPECT_EQ(given.parameters()[0].value, "32");
  EXPECT_EQ(given.parameters()[1].value, "2GB/s");
  // In the base units of what it is by default.
  EXPECT_TRUE(program.set("rate", 3e9));
  EXPECT_EQ(program.at(7, 8)->value, "3GB/s");
}

TEST(Program, RefusesWhatIsNoValue) {
  Program program = Program::load(product);
  EXPECT_FALSE(program.set("m", 1));
  EXPECT_FALSE(program.set("n", 5000)); // not one of its domain
  EXPECT_FALSE(program.set("n", std::string("1 +")));
  EXPECT_FALSE(program.isGood());
  EXPECT_TRUE(program.set("n", 64)); // what was wrong before is over
  EXPECT_TRUE(program.isGood());
  // It is as it was before.
  Results found;
  EXPECT_TRUE(program.run(found)) << program.problemsJson();
  EXPECT_EQ(found.list.front().find("macs")->value, 64 * 128 * 64);
}

TEST(Program, SaysWhatIsWrongAndWhere) {
  Program program =
      Program::load("import std.hardware.h100\nevaluate conv2d() on h100_sxm\n", "my.perf");
  Results found;
  EXPECT_FALSE(program.run(found));
  std::vector<Problem> problems = program.problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, "error");
  EXPECT_EQ(problems[0].code, 100u);
  EXPECT_EQ(problems[0].place.file, "my.perf");
  EXPECT_EQ(problems[0].place.line, 2u);
  EXPECT_EQ(problems[0].place.column, 10u);
  EXPECT_FALSE(problems[0].remarks.empty());
  EXPECT_NE(program.problemsText().find("2 | evaluate conv2d() on h100_sxm\n   |          ^~~~~~"),
            std::string::npos)
      << program.problemsText();
  EXPECT_FALSE(Program::loadFile("/nothing.perf").isGood());
}

TEST(Program, FormatsAndLowers) {
  Program program = Program::load("import   std.ops.matmul\nlet a=1\n");
  EXPECT_EQ(program.format().value_or(""), "import std.ops.matmul\nlet a = 1\n");
  EXPECT_EQ(Program::load("let a = (\n").format(), std::nullopt);
  Program evaluation = Program::load(product);
  EXPECT_NE(evaluation.ir("phase").value_or("").find("phase.kernel"), std::string::npos);
  EXPECT_EQ(evaluation.ir("cellar"), std::nullopt);
  EXPECT_FALSE(evaluation.isGood());
}

TEST(Program, AnswersAboutPlaces) {
  Program program = Program::load(product);
  EXPECT_EQ(program.at(10, 50)->name, "h100_sxm");
  EXPECT_EQ(program.at(10, 50)->module, "std.hardware.h100");
  EXPECT_EQ(program.at(10, 50)->kind, "hardware");
  EXPECT_EQ(program.at(10, 15)->name, "matmul"); // of a module with another name
  EXPECT_EQ(program.at(8, 6)->value, "128");
  EXPECT_EQ(program.at(6, 7)->documentation, "How many rows.\n");
  EXPECT_EQ(program.at(6, 7)->place.line, 6u);
  EXPECT_EQ(program.at(11, 4)->kind, "word");
  EXPECT_EQ(program.at(4, 1), std::nullopt);
  EXPECT_EQ(program.at(0, 1), std::nullopt);
  EXPECT_EQ(program.at(1000, 1000), std::nullopt);
}

TEST(Program, EndsASweepThatIsCancelled) {
  struct Cancelling : Results {
    void result(Result result) override {
      Results::result(std::move(result));
      if (list.size() == 3)
        program->cancel();
    }
    Program *program = nullptr;
  } found;
  Program program =
      Program::load("import std.ops.matmul\nimport std.hardware.h100\n"
                    "sweep n in 1..100 { evaluate matmul(M = n, N = 1, K = 1) on h100_sxm }\n");
  found.program = &program;
  program.run(found);
  EXPECT_EQ(found.list.size(), 3u);
  ASSERT_EQ(found.list[2].point.size(), 1u);
  EXPECT_EQ(found.list[2].point[0].name, "n");
  EXPECT_EQ(found.list[2].point[0].text, "3");
  EXPECT_EQ(found.list[2].point[0].value, 3.0);
  // The next run is another one.
  Results all;
  program.run(all);
  EXPECT_EQ(all.list.size(), 100u);
}

// Programs do not see each other: as many at once say what one says alone.
TEST(Program, RunsBesideOthers) {
  auto text = [](int n) {
    return "import std.ops.{conv2d, matmul}\nimport std.hardware.{h100, eyeriss}\n"
           "import std.workloads.llama3\n"
           "evaluate matmul(M = " +
           std::to_string(n) +
           ", N = 64, K = 64) on eyeriss\n"
           "evaluate llama3_8b.decode(batch = " +
           std::to_string(n) +
           ") on h100_sxm\n"
           "evaluate conv2d(N = 1, M = 8, C = " +
           std::to_string(n) + ", P = 8, Q = 8, R = 3, S = 3) on eyeriss\n";
  };
  constexpr int count = 8;
  std::vector<std::string> alone(count), beside(count);
  for (int i = 0; i < count; ++i)
    alone[i] = Program::load(text(i + 1)).runJson();
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] { beside[i] = Program::load(text(i + 1)).runJson(); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(beside, alone);
  EXPECT_NE(alone[0], alone[1]);
}
