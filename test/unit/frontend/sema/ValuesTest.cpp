// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant evaluation: exact integers, units and dimensions, uncertain values, ranges, records,
// lists.
#include "Evaluated.h"

#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Values.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

TEST(Values, IntegersAreExact) {
  EXPECT_EQ(valueOf("3037000500 * 3037000499"), "9223372033963249500");
  EXPECT_EQ(valueOf("9223372036854775807 - 1"), "9223372036854775806");
  EXPECT_EQ(valueOf("2^62"), "4611686018427387904");
  EXPECT_EQ(valueOf("7 / 2 * 2"), "7");
  EXPECT_EQ(valueOf("1 / 3 + 1 / 3 + 1 / 3"), "1");
  EXPECT_EQ(valueOf("0.1 + 0.2"), valueOf("0.3"));
  EXPECT_EQ(valueOf("-7 % 3"), "2") << "the remainder is not negative";
  EXPECT_EQ(valueOf("2^3^2"), "512");
  EXPECT_EQ(valueOf("2^-2"), "0.25");
}

TEST(Values, OverflowIsAnError) {
  EXPECT_EQ(codeOf("9223372036854775807 + 1"), diag::IntegerOverflow.code);
  EXPECT_EQ(codeOf("2^62 * 2"), diag::IntegerOverflow.code);
  EXPECT_EQ(codeOf("3037000500 * 3037000500"), diag::IntegerOverflow.code);
  EXPECT_EQ(codeOf("2^64"), diag::IntegerOverflow.code);
  EXPECT_EQ(codeOf("sum(9223372036854775807, 1)"), diag::IntegerOverflow.code);
  EXPECT_EQ(codeOf("99999999999999999999"), diag::NumberTooLarge.code);
  EXPECT_EQ(codeOf("1 / 0"), diag::DivisionByZero.code);
  EXPECT_EQ(codeOf("1 % (2 - 2)"), diag::DivisionByZero.code);
}

TEST(Values, Units) {
  EXPECT_EQ(valueOf("108KiB"), "110592B");
  EXPECT_EQ(valueOf("8b"), "1B");
  EXPECT_EQ(valueOf("1GHz * 2s"), "2000000000");
  EXPECT_EQ(valueOf("32B/cycle * 4cycle"), "128B");
  EXPECT_EQ(valueOf("100W * 2s"), "200J");
  EXPECT_EQ(valueOf("50%"), "0.5");
  EXPECT_EQ(valueOf("2x + 1"), "3");
  EXPECT_EQ(valueOf("1h"), "3600s");
  EXPECT_EQ(valueOf("sqrt(16m2)"), "4m") << "a root that comes out even is exact";
  EXPECT_EQ(valueOf("rsqrt(9 / 4)"), "2|3");
  EXPECT_EQ(valueOf("8 ^ (2 / 3)"), "4");
  EXPECT_EQ(valueOf("4token + 1"), "5token") << "a bare number goes with a count";
  EXPECT_EQ(valueOf("25GB/s/chip * 8chip"), "200000000000B/s");
  EXPECT_EQ(valueOf("max(1us, 900ns)"), "0.000001s");
}

TEST(Values, DimensionsAreChecked) {
  EXPECT_EQ(valueOf("4KiB + 1us"),
            "1:9 203 `+` cannot combine an amount of data (B) with a time (s)");
  EXPECT_EQ(codeOf("1s < 1B"), diag::DimensionMismatch.code);
  EXPECT_EQ(codeOf("4token + 1image"), diag::DimensionMismatch.code);
  EXPECT_EQ(codeOf("max(1s, 1J)"), diag::DimensionMismatch.code);
  EXPECT_EQ(codeOf("2^(1s)"), diag::DimensionMismatch.code);
  EXPECT_EQ(codeOf("1s..1B"), diag::DimensionMismatch.code);
  EXPECT_EQ(codeOf("1GB +- 1s"), diag::DimensionMismatch.code);
  EXPECT_EQ(codeOf("sqrt(2s)"), diag::OutsideFunctionDomain.code);
  EXPECT_EQ(codeOf("3furlong"), diag::UnknownUnit.code);
  EXPECT_EQ(codeOf("\"a\" + 1"), diag::BadOperand.code);
}

TEST(Values, DimensionErrorShowsBothSides) {
  Loaded loaded("let a = 4KiB\nlet x = a + 2us");
  loaded.value();
  ASSERT_EQ(loaded.diagnostics.all().size(), 1u);
  const Diagnostic &error = loaded.diagnostics.all()[0];
  ASSERT_EQ(error.remarks.size(), 2u);
  EXPECT_EQ(loaded.sources.text(error.remarks[0].range), "a");
  EXPECT_EQ(loaded.sources.text(error.remarks[1].range), "2us");
}

TEST(Values, Rounding) {
  EXPECT_EQ(valueOf("ceil(7 / 2)"), "4");
  EXPECT_EQ(valueOf("floor(-7 / 2)"), "-4");
  EXPECT_EQ(valueOf("round(5 / 2)"), "3");
  EXPECT_EQ(valueOf("ceil(7token / 2)"), "4token");
  EXPECT_EQ(valueOf("log2(1024)"), "10");
  EXPECT_EQ(valueOf("xor(12, 10)"), "6");
  EXPECT_EQ(valueOf("abs(-3)"), "3");
  EXPECT_EQ(codeOf("log(0)"), diag::OutsideFunctionDomain.code);
  EXPECT_EQ(codeOf("ceil(1, 2)"), diag::BadFunctionArguments.code);
  EXPECT_EQ(codeOf("max()"), diag::BadFunctionArguments.code);
  EXPECT_EQ(valueOf("sum([1, 2, 3])"), "6");
  EXPECT_EQ(valueOf("min([4, 2, 3])"), "2");
}

TEST(Values, Comparisons) {
  EXPECT_EQ(valueOf("1KiB > 1KB"), "true");
  EXPECT_EQ(valueOf("1 / 2 == 0.5"), "true");
  EXPECT_EQ(valueOf("fp16 == fp16 and fp16 != bf16"), "true");
  EXPECT_EQ(valueOf("not (1 < 2) or 2 <= 2"), "true");
  EXPECT_EQ(valueOf("if 1 < 2 then 10 else 20"), "10");
  EXPECT_EQ(codeOf("fp16 < bf16"), diag::NotOrdered.code);
  EXPECT_EQ(codeOf("1 and true"), diag::ExpectedCondition.code);
  EXPECT_EQ(codeOf("if 1 then 2 else 3"), diag::ExpectedCondition.code);
}

TEST(Values, LogicStopsWhereItIsDecided) {
  EXPECT_EQ(valueOf("1 > 2 and 1 / 0 > 1"), "false");
  EXPECT_EQ(valueOf("1 < 2 or 1 / 0 > 1"), "true");
  EXPECT_EQ(valueOf("if 1 < 2 then 1 else 1 / 0"), "1");
}

TEST(Values, Membership) {
  EXPECT_EQ(valueOf("3 in [1, 3]"), "true");
  EXPECT_EQ(valueOf("2 in [1, 3]"), "false");
  EXPECT_EQ(valueOf("3 in 1..9 step 2"), "true");
  EXPECT_EQ(valueOf("4 in 1..9 step 2"), "false");
  EXPECT_EQ(valueOf("64KiB in 16KiB..1MiB step 2x"), "true");
  EXPECT_EQ(valueOf("48KiB in 16KiB..1MiB step 2x"), "false");
  EXPECT_EQ(valueOf("5 in 1..4000000000"), "true") << "needs no list of all members";
  EXPECT_EQ(valueOf("fp16 in [bf16, fp16]"), "true");
}

TEST(Values, Ranges) {
  Loaded loaded("let a = 1..4\nlet b = 8..64 step 2x\nlet c = 1..10 step 4\nlet d = 3..1");
  auto count = [&](llvm::StringRef name) {
    Value range = loaded.evaluator.valueOf(*loaded.find(name), {});
    return loaded.evaluator.members(range, {}).size();
  };
  EXPECT_EQ(count("a"), 4u);
  EXPECT_EQ(count("b"), 4u);
  EXPECT_EQ(count("c"), 3u);
  EXPECT_EQ(count("d"), 0u);
  EXPECT_FALSE(loaded.diagnostics.hasErrors());
  EXPECT_EQ(codeOf("1..8 step 1x"), diag::BadStep.code);
  EXPECT_EQ(codeOf("1..8 step 0"), diag::BadStep.code);
  EXPECT_EQ(codeOf("\"a\"..8"), diag::ExpectedQuantity.code);
}

TEST(Values, ListsAndRecords) {
  EXPECT_EQ(valueOf("[1, [2, 3]][1][0]"), "2");
  EXPECT_EQ(valueOf("length([1, 2, 3])"), "3");
  EXPECT_EQ(valueOf("(a = 1, b = 2KiB).b"), "2048B");
  EXPECT_EQ(valueOf("(1, 2)"), "(1, 2)");
  EXPECT_EQ(valueOf("(1)"), "1");
  EXPECT_EQ(codeOf("[1, 2][2]"), diag::IndexOutOfRange.code);
  EXPECT_EQ(codeOf("[1, 2][-1]"), diag::IndexOutOfRange.code);
  EXPECT_EQ(codeOf("[1, 2][0.5]"), diag::NotWhole.code);
  EXPECT_EQ(codeOf("3[0]"), diag::NotIndexable.code);
  EXPECT_EQ(codeOf("(a = 1).c"), diag::NoMember.code);
  EXPECT_EQ(codeOf("(a = 1, a = 2)"), diag::DuplicateArgument.code);
}

TEST(Values, Strings) {
  EXPECT_EQ(valueOf(R"("a\"b")"), R"("a"b")");
  EXPECT_EQ(valueIn("let n = 4\nlet s = \"v\"\nlet x = \"{s}-{n}.json\""), "\"v-4.json\"");
  EXPECT_EQ(codeOf(R"("{nobody}")"), diag::UnknownName.code);
}

TEST(Values, UncertainValues) {
  EXPECT_EQ(valueIn("let a = 10 +- 1\nlet x = a - a"), "~0");
  Loaded loaded("let a = 10 +- 1\nlet b = 10 +- 1\nlet c = 200GB/s +- 10%\nlet same = a + a\n"
                "let other = a + b\nlet share = 50% +- 2%\nlet difference = a - a");
  auto half = [&](llvm::StringRef name) {
    return loaded.evaluator.valueOf(*loaded.find(name), {})
        .get<Quantity>()
        .toUncertain()
        .halfWidth();
  };
  EXPECT_DOUBLE_EQ(half("same"), 2) << "a name used twice is one source: errors add linearly";
  EXPECT_DOUBLE_EQ(half("other"), std::sqrt(2.0)) << "independent ones add in quadrature";
  EXPECT_DOUBLE_EQ(half("difference"), 0);
  EXPECT_DOUBLE_EQ(half("c"), 20e9);
  EXPECT_DOUBLE_EQ(half("share"), 0.02) << "in the unit of the value, which is % itself";
  EXPECT_EQ(codeOf("1 +- -1"), diag::NegativeUncertainty.code);
}

TEST(Values, Distributions) {
  Loaded loaded("let n = normal(10, 1)\nlet u = uniform(0, 10)");
  auto uncertain = [&](llvm::StringRef name) {
    return loaded.evaluator.valueOf(*loaded.find(name), {}).get<Quantity>().toUncertain();
  };
  EXPECT_NEAR(uncertain("n").halfWidth(), 1.6449, 1e-4)
      << "the central 90 % of a normal distribution";
  EXPECT_DOUBLE_EQ(uncertain("u").central(), 5);
  EXPECT_DOUBLE_EQ(uncertain("u").halfWidth(), 4.5);
}
