// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>
#include <set>

using namespace perfc;

static constexpr DiagnosticKind sampleKind{42, Severity::Error, "Sample", "{} has no meaning here"};

static std::string printed(const DiagnosticEngine &engine, size_t limit = 50) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printDiagnostics(os, engine, /*color=*/false, limit);
  return os.str();
}

TEST(Source, PlacesInATextAreLinesAndColumns) {
  SourceManager sources;
  FileId file = sources.add("a.perf", "one\r\ntwo\n\nlast");
  EXPECT_EQ(sources.describe({file, 6, 7}), "a.perf:2:2");
  EXPECT_EQ(sources.line(file, 1), "one");
  EXPECT_EQ(sources.line(file, 3), "");
  EXPECT_EQ(sources.line(file, 4), "last");
  EXPECT_EQ(sources.line(file, 5), "");
  EXPECT_EQ(sources.line(file, 0), "");
  EXPECT_EQ(sources.offset(file, {2, 2}), 6u);
  EXPECT_EQ(sources.offset(file, {9, 1}), 14u);
  EXPECT_EQ(sources.lineColumn(file, 14).column, 5u);
  EXPECT_EQ(sources.text(SourceRange{file, 5, 8}), "two");
}

TEST(Source, FilesAreFoundByPath) {
  SourceManager sources;
  FileId file = sources.add("a.perf", "");
  EXPECT_EQ(sources.find("a.perf"), file);
  EXPECT_EQ(sources.find("b.perf"), 0u);
  std::string error;
  EXPECT_EQ(sources.load("/nonexistent/x.perf", error), 0u);
  EXPECT_FALSE(error.empty());
}

TEST(Source, JoinCoversBothInOneFile) {
  SourceRange a{1, 4, 6}, b{1, 9, 12}, other{2, 0, 1}, nowhere;
  EXPECT_EQ(a.join(b), (SourceRange{1, 4, 12}));
  EXPECT_EQ(b.join(a), (SourceRange{1, 4, 12}));
  EXPECT_EQ(a.join(other), a);
  EXPECT_EQ(nowhere.join(a), a);
  EXPECT_EQ(a.join(nowhere), a);
}

TEST(Diagnostics, CodesAndNamesAreUnique) {
  llvm::StringMap<int> names;
  std::set<int> codes;
  for (const DiagnosticKind &kind : allDiagnosticKinds()) {
    EXPECT_TRUE(codes.insert(kind.code).second) << kind.name;
    EXPECT_EQ(names[kind.name]++, 0) << kind.name;
    llvm::StringRef message = kind.message;
    EXPECT_FALSE(message.endswith(".")) << kind.name;
    EXPECT_FALSE(message.empty()) << kind.name;
    EXPECT_FALSE(message.front() >= 'A' && message.front() <= 'Z' && message.size() > 1 &&
                 message[1] >= 'a')
        << kind.name;
  }
}

TEST(Diagnostics, ShowTheLineAndACaretRange) {
  SourceManager sources;
  FileId file = sources.add("a.perf", "first\n\tbad line\n");
  DiagnosticEngine engine(sources);
  engine.report({file, 7, 10}, sampleKind, "`@`").help("leave it out");
  std::string text = printed(engine);
  EXPECT_NE(text.find("a.perf:2:2: error[PERF0042]: `@` has no meaning here\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find(" 2 |  bad line\n   |  ^~~\n"), std::string::npos) << text;
  EXPECT_NE(text.find("help: leave it out\n"), std::string::npos) << text;
}

TEST(Diagnostics, ControlBytesAndBrokenEncodingsDoNotReachTheTerminal) {
  SourceManager sources;
  FileId file = sources.add("a.perf", "a\x1b[31m \xff \xc3\xa9 \xe2\x82");
  DiagnosticEngine engine(sources);
  engine.report({file, 0, 1}, sampleKind, "`\x1b[31m\xff`");
  std::string text = printed(engine);
  EXPECT_NE(text.find("`?[31m?`"), std::string::npos) << text;
  EXPECT_NE(text.find("a?[31m ? \xc3\xa9 ??\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Diagnostics, CountErrorsAndForgetThemAgain) {
  SourceManager sources;
  DiagnosticEngine engine(sources);
  for (const char *name : {"`x`", "`y`", "`z`", "`z`"})
    engine.report({}, sampleKind, name);
  EXPECT_EQ(engine.errorCount(), 4u);
  // What is found again, as `z` here, is said once.
  EXPECT_NE(printed(engine, 2).find("1 more"), std::string::npos);
  engine.truncate(1);
  EXPECT_EQ(engine.errorCount(), 1u);
  engine.truncate(0);
  EXPECT_FALSE(engine.hasErrors());
}

TEST(Source, PlacesInBytesThatAreNoText) {
  SourceManager sources;
  FileId file = sources.addBinary("a.et");
  EXPECT_EQ(sources.addBinary("a.et"), file);
  EXPECT_EQ(sources.describe({file, 17, 17}), "a.et:byte 17");
  DiagnosticEngine engine(sources);
  engine.report({file, 17, 17}, sampleKind, "x");
  EXPECT_EQ(printed(engine), "a.et:byte 17: error[PERF0042]: x has no meaning here\n");
}

TEST(Diagnostics, BlameWhoLedIntoTheLibrary) {
  SourceManager sources;
  FileId user = sources.add("a.perf", "call"), library = sources.add("std/b.perf", "x y");
  DiagnosticEngine engine(sources);
  engine.report({user, 2, 3}, sampleKind, "before");
  {
    BlameScope outer(engine, {user, 0, 4});
    BlameScope inner(engine, {library, 0, 3}); // a call inside the library is nobody's mistake
    engine.report({library, 0, 1}, sampleKind, "first");
    engine.report({library, 2, 3}, sampleKind, "second");
    engine.report({user, 1, 2}, sampleKind, "own");
  }
  ASSERT_EQ(engine.all().size(), 3u) << "one call is one mistake";
  EXPECT_EQ(engine.all()[1].range, (SourceRange{user, 0, 4}));
  ASSERT_EQ(engine.all()[1].remarks.size(), 1u);
  EXPECT_EQ(engine.all()[1].remarks[0].range, (SourceRange{library, 0, 1}));
  EXPECT_EQ(engine.all()[2].range, (SourceRange{user, 1, 2}));
  EXPECT_EQ(engine.errorCount(), 4u);
}

TEST(Diagnostics, JsonIsOneValidDocument) {
  SourceManager sources;
  FileId file = sources.add("a\"b.perf", "x \xff\n");
  DiagnosticEngine engine(sources);
  engine.report({file, 2, 3}, sampleKind, "\xff").note({file, 0, 1}, "here");
  std::string text;
  llvm::raw_string_ostream os(text);
  printDiagnosticsJson(os, engine);
  auto document = llvm::json::parse(os.str());
  ASSERT_TRUE(static_cast<bool>(document)) << text;
  const llvm::json::Array *list = document->getAsObject()->getArray("diagnostics");
  ASSERT_EQ(list->size(), 1u);
  EXPECT_EQ((*list)[0].getAsObject()->getInteger("column"), llvm::Optional<int64_t>(3));
  EXPECT_EQ((*list)[0].getAsObject()->getString("file"),
            llvm::Optional<llvm::StringRef>("a\"b.perf"));
}

TEST(Diagnostics, SuggestTheNearestName) {
  llvm::StringRef names[] = {"bandwidth", "capacity", "keep", "on"};
  EXPECT_EQ(nearestName("bandwith", names), "bandwidth");
  EXPECT_EQ(nearestName("onn", names), "on");
  EXPECT_EQ(nearestName("kep", names), "keep");
  EXPECT_EQ(nearestName("latency", names), "");
  EXPECT_EQ(nearestName("x", names), "");
}

TEST(Diagnostics, CountsHaveTheirNouns) {
  EXPECT_EQ(counted(0, "value"), "0 values");
  EXPECT_EQ(counted(1, "value"), "1 value");
  EXPECT_EQ(counted(2, "value"), "2 values");
  EXPECT_EQ(atMost(0, "value"), "no value");
  EXPECT_EQ(atMost(1, "value"), "at most 1 value");
}
