// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elaboration of blocks: words, `if`, `for`, `let`, templates and `from`.
#include "Evaluated.h"

#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Systems.h"
#include "ir/common/diagnostics/Values.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

static std::string chip(const std::string &text, llvm::StringRef name = "b") {
  return Loaded(text).tree(name);
}

static unsigned codeOfChip(const std::string &text, llvm::StringRef name = "b") {
  Loaded loaded(text);
  loaded.tree(name);
  llvm::ArrayRef<Diagnostic> all = loaded.diagnostics.all();
  return all.size() == 1 ? all[0].kind->code : 10000 + all.size();
}

static const std::string base = "hardware a(size = 4KiB) {\n"
                                "  clock 1GHz\n"
                                "  memory M { capacity size; latency 1us }\n"
                                "  memory L { capacity 1KiB }\n"
                                "  array P[x = 4] { memory R { capacity 8B } }\n"
                                "}\n";

TEST(Elaborator, ControlFlowIsGone) {
  EXPECT_EQ(chip("hardware b(n = 2) {\n"
                 "  let c = n * 1GHz\n"
                 "  clock c\n"
                 "  if n > 1 { memory A { capacity 1KiB } } else { memory B { } }\n"
                 "}"),
            "hardware b { clock 2000000000/s; memory A { capacity 1024B } }");
  EXPECT_EQ(codeOfChip("hardware b { let c = 1; let c = 2 }"), diag::DuplicateDeclaration.code);
  EXPECT_EQ(codeOfChip("hardware b { if 3 { clock 1GHz } }"), diag::ExpectedCondition.code);
}

TEST(Elaborator, FromReplacesAndMerges) {
  EXPECT_EQ(chip(base + "hardware b from a { clock 2GHz }"),
            "hardware b { clock 2000000000/s; memory M { capacity 4096B; latency 0.000001s }; "
            "memory L { capacity 1024B }; array P x = 4 { memory R { capacity 8B } } }");
  EXPECT_EQ(chip(base + "hardware b from a(size = 8KiB) { memory M { latency 2us } }"),
            "hardware b { clock 1000000000/s; memory M { capacity 8192B; latency 0.000002s }; "
            "memory L { capacity 1024B }; array P x = 4 { memory R { capacity 8B } } }");
}

TEST(Elaborator, FromChangesSizesAndParts) {
  EXPECT_EQ(chip(base + "hardware b from a { array P[x = 8]; without L }"),
            "hardware b { clock 1000000000/s; memory M { capacity 4096B; latency 0.000001s }; "
            "array P x = 8 { memory R { capacity 8B } } }");
  EXPECT_EQ(chip(base + "hardware b from a { memory N after M { capacity 2KiB } }"),
            "hardware b { clock 1000000000/s; memory M { capacity 4096B; latency 0.000001s }; "
            "memory N { after M; capacity 2048B }; memory L { capacity 1024B }; "
            "array P x = 4 { memory R { capacity 8B } } }");
  EXPECT_EQ(chip(base + "hardware b from a { array P { memory R { latency 1ns } } }"),
            "hardware b { clock 1000000000/s; memory M { capacity 4096B; latency 0.000001s }; "
            "memory L { capacity 1024B }; "
            "array P x = 4 { memory R { capacity 8B; latency 0.000000001s } } }");
}

TEST(Elaborator, WhatIsDerivedFromStaysAsItWas) {
  Loaded loaded(base + "hardware b from a { memory M { capacity 1B }; array P[x = 8]; without L }");
  std::string before = loaded.tree("a");
  loaded.tree("b");
  EXPECT_EQ(loaded.tree("a"), before);
}

TEST(Elaborator, ChainsOfFrom) {
  EXPECT_EQ(chip(base + "hardware c(k) from a(size = k) { without L, P }\n"
                        "hardware b from c(k = 2KiB) { memory M { latency 3us } }"),
            "hardware b { clock 1000000000/s; memory M { capacity 2048B; latency 0.000003s } }");
  EXPECT_EQ(codeOfChip("hardware b from c { }\nhardware c from b { }"),
            diag::InheritanceCycle.code);
  EXPECT_EQ(codeOfChip("hardware b from 3 { }"), diag::WrongBase.code);
  EXPECT_EQ(codeOfChip(base + "hardware b from a { without Q }"), diag::NothingToRemove.code);
  EXPECT_EQ(codeOfChip(base + "hardware b from a { memory N after Q }"),
            diag::NothingToFollow.code);
}

TEST(Elaborator, LongChainsOfFrom) {
  std::string chain;
  for (int i = 0; i < 20000; ++i)
    chain += fmt::format("hardware h{} from h{} {{ }}\n", i, i + 1);
  EXPECT_EQ(codeOfChip(chain + "hardware h20000 { }\n", "h0"), diag::EvaluationTooDeep.code);
}

TEST(Elaborator, PartTemplates) {
  EXPECT_EQ(chip("memory sram(size, e = 6pJ) { capacity size; energy e }\n"
                 "hardware b { memory G from sram(2KiB) { latency 1us; energy 7pJ } }"),
            "hardware b { memory G { from sram(2048B); capacity 2048B; energy 0.000000000007J; "
            "latency 0.000001s } }");
  EXPECT_EQ(chip("compute mac(r = 1/cycle) { rate r }\n"
                 "array pe { compute C from mac(2/cycle) }\n"
                 "hardware b { array P[x = 2, y = 3] from pe }"),
            "hardware b { array P x = 2, y = 3 { from pe; compute C { from mac(2/cycle); "
            "rate 2/cycle } } }");
  EXPECT_EQ(chip("array pe[x = 16] { memory R }\nhardware b { array P from pe }"),
            "hardware b { array P x = 16 { from pe; memory R } }");
  EXPECT_EQ(codeOfChip("memory s(size) { capacity size }\nhardware b { memory G from s }"),
            diag::MissingArgument.code);
  EXPECT_EQ(codeOfChip("compute m { rate 1/cycle }\nhardware b { memory G from m }"),
            diag::WrongBase.code);
}

TEST(Elaborator, Attributes) {
  EXPECT_EQ(codeOfChip("hardware b { clock 1GHz; clock 2GHz }"), diag::GivenTwice.code);
  EXPECT_EQ(codeOfChip("hardware b { memory M; memory M }"), diag::DuplicatePart.code);
  EXPECT_EQ(codeOfChip("hardware b { clock 5us }"), diag::WrongDimension.code);
  EXPECT_EQ(codeOfChip("hardware b { memory M { capacity 0B - 4KiB } }"), diag::NegativeValue.code);
  EXPECT_EQ(codeOfChip("hardware b { clck 1GHz }"), diag::UnknownWord.code);
  EXPECT_EQ(codeOfChip("hardware b { clock = 1GHz }"), diag::AttributeHasNoAssign.code);
  EXPECT_EQ(codeOfChip("hardware b { x = 1 }"), diag::NoEquationsHere.code);
  EXPECT_EQ(codeOfChip("hardware b { memory M { keep inputs } }"), diag::UnknownChoice.code);
  EXPECT_EQ(codeOfChip("hardware b { memory M { off_chip 3 } }"), diag::TooManyValues.code);
  EXPECT_EQ(codeOfChip("hardware b { clock }"), diag::TooFewValues.code);
  EXPECT_EQ(codeOfChip("hardware b { clock 1GHz { } }"), diag::NoBlockHere.code);
  EXPECT_EQ(codeOfChip("hardware b { array P[x = 0] }"), diag::BadAxisSize.code);
  EXPECT_EQ(codeOfChip("hardware b { array P[x = 1.5] }"), diag::BadAxisSize.code);
  EXPECT_EQ(codeOfChip("hardware b { import std.ops.conv2d }"), diag::ImportInBlock.code);
}

TEST(Elaborator, LoopsMakeScopesOfTheirOwn) {
  Loaded loaded(
      "hardware b {\n  for i in 1..3 { let s = i * 1KiB }\n  for i in [1, 2], j in 1..2 { }\n}");
  EXPECT_EQ(loaded.tree("b"), "hardware b");
  EXPECT_EQ(codeOfChip("hardware b {\n  for i in 1..3 { let s = i }\n  clock s * 1GHz\n}"),
            diag::UnknownName.code);
  EXPECT_EQ(codeOfChip("hardware b { for i in any { } }"), diag::HoleInDomain.code);
}
