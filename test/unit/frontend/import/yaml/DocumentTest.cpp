// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees of YAML files, and what is refused.
#include "frontend/import/yaml/NodeReader.h"
#include <gtest/gtest.h>

using namespace perfc;

namespace {

class DocumentTest : public ::testing::Test {
protected:
  std::unique_ptr<yaml::Document> parse(std::string text) {
    return yaml::parse(sources.add("test.yaml", std::move(text)), diagnostics);
  }
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
};

} // namespace

TEST_F(DocumentTest, NodesKnowTheirPlace) {
  auto document = parse("a: 1\nsome-key:\n- !Tag {b: two}\n");
  ASSERT_TRUE(document);
  const yaml::Node *list = document->root()->find("some_key");
  ASSERT_TRUE(list && list->isSequence());
  EXPECT_EQ(list->items[0]->tag, "Tag");
  const yaml::Node *two = list->items[0]->find("b");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->text, "two");
  EXPECT_EQ(sources.text(two->place), "two");
}

TEST_F(DocumentTest, AliasesShareAndMergesGiveWay) {
  auto document = parse("base: &base {x: 1, y: 2}\nown: {<<: *base, y: 3}\nsame: *base\n");
  ASSERT_TRUE(document);
  const yaml::Node &root = *document->root();
  EXPECT_EQ(root.find("same"), root.find("base"));
  EXPECT_EQ(root.find("own")->find("x")->text, "1");
  EXPECT_EQ(root.find("own")->find("y")->text, "3");
}

TEST_F(DocumentTest, BombsStaySmall) {
  std::string text = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            ", *a" + std::to_string(i - 1) + "]\n";
  EXPECT_TRUE(parse(text));
}

TEST_F(DocumentTest, BrokenTextIsReported) {
  for (const char *text :
       {"", "a: [1", "a: 1\na: 2\n", "a: *b\n", "a: &a [*a]\n", "? [x]\n: y\n"}) {
    diagnostics.truncate(0);
    EXPECT_FALSE(parse(text)) << text;
    EXPECT_EQ(diagnostics.errorCount(), 1u) << text;
  }
}

TEST_F(DocumentTest, ListsThatAreNeverClosedAreNoKeys) {
  const std::pair<std::string, llvm::StringRef> cases[] = {
      {"a: [[[\n", "end of sequence flow not found"},
      {std::string(200'000, '['), "nested more than 100 deep"},
      {"? [x]\n: y\n", "a key must be a plain word"}};
  for (const auto &[text, reason] : cases) {
    diagnostics.truncate(0);
    EXPECT_FALSE(parse(text));
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_TRUE(llvm::StringRef(diagnostics.all().front().message).contains(reason))
        << reason.str();
  }
}

TEST_F(DocumentTest, LongMapsListsAndTextsAreReported) {
  std::string keys, values, words;
  for (int i = 0; i < 4096; ++i) {
    keys += "k" + std::to_string(i) + ": 1\n";
    values += "- v\n";
    words += "w ";
  }
  EXPECT_TRUE(parse(keys));
  EXPECT_FALSE(parse(keys + "one: 1\n"));
  EXPECT_TRUE(parse(values));
  EXPECT_FALSE(parse(values + "- v\n"));
  yaml::NodeReader reader(diagnostics);
  std::vector<std::pair<std::string, SourceRange>> read;
  EXPECT_TRUE(reader.readWords(*parse(words)->root(), "a word", read));
  EXPECT_FALSE(reader.readWords(*parse(words + "w")->root(), "a word", read));
  EXPECT_EQ(diagnostics.errorCount(), 3u);
}

TEST_F(DocumentTest, WholeNumbersAreThoseOfYamlCpp) {
  const std::pair<const char *, int64_t> cases[] = {
      {"400", 400},    {"0400", 256},   {"0x100", 256},
      {"0X1f", 31},    {"0o400", 256},  {"0", 0},
      {"00", 0},       {"007", 7},      {"+010", 8},
      {"-010", -8},    {"-0x10", -16},  {"3e2", 300},
      {"0400.0", 400}, {"'0400'", 256}, {"9223372036854775807", INT64_MAX}};
  yaml::NodeReader reader(diagnostics);
  for (const auto &[text, expected] : cases) {
    int64_t value = -1;
    EXPECT_TRUE(reader.readInteger(*parse(text)->root(), -100, value)) << text;
    EXPECT_EQ(value, expected) << text;
  }
  EXPECT_EQ(diagnostics.errorCount(), 0u);
}

TEST_F(DocumentTest, RealsAreDecimal) {
  yaml::NodeReader reader(diagnostics);
  for (const auto &[text, expected] : {std::pair{"0400", 400.0}, {"0.5", 0.5}, {"010.5", 10.5}}) {
    double value = 0;
    EXPECT_TRUE(reader.readReal(*parse(text)->root(), 0, value)) << text;
    EXPECT_EQ(value, expected) << text;
  }
}

TEST_F(DocumentTest, WhatIsNoWholeNumberIsReported) {
  yaml::NodeReader reader(diagnostics);
  for (const char *text : {"089", "-08", "0x", "0xg", "0o8", "0b11", "--5", "+-5", "-0x-5", "0.5",
                           "9223372036854775808", "02000000000000000000000"}) {
    diagnostics.truncate(0);
    int64_t value = 0;
    EXPECT_FALSE(reader.readInteger(*parse(text)->root(), -100, value)) << text;
    EXPECT_EQ(diagnostics.errorCount(), 1u) << text;
  }
  diagnostics.truncate(0);
  int64_t value = 0;
  reader.readInteger(*parse("089")->root(), 0, value);
  EXPECT_EQ(diagnostics.all().front().message,
            "`089` cannot stand here: after a leading 0, octal digits are needed");
}
