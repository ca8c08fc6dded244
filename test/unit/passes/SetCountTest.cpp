// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/SetCount.h"
#include <gtest/gtest.h>
#include <isl/ctx.h>
#include <isl/options.h>

using namespace perfc;

namespace {

class SetCount : public testing::Test {
protected:
  SetCount() : context(isl_ctx_alloc()) {
    isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
  }
  ~SetCount() override { isl_ctx_free(context); }
  IslSet read(const char *text) { return isl_set_read_from_str(context, text); }
  /// -1 where it has no number.
  int64_t count(const char *text) { return countPoints(read(text)).getValueOr(-1); }

  isl_ctx *context;
};

} // namespace

TEST_F(SetCount, MultipliesWhatVariesFreely) {
  EXPECT_EQ(count("{ [a, b] : 0 <= a < 3 and 2 <= b < 7 }"), 15);
  // Far too many points to walk over.
  EXPECT_EQ(count("{ [a, b, c] : 0 <= a, b, c < 1000000 }"), 1000000000000000000);
  EXPECT_EQ(count("{ [a, b, c] : 0 <= a, b < 1000000 and 0 <= c <= a and a < 2 }"), 3000000);
}

TEST_F(SetCount, CountsTiedVariablesTogether) {
  EXPECT_EQ(count("{ [a, b] : 0 <= a < 4 and 0 <= b <= a }"), 10);
  EXPECT_EQ(count("{ [a, b, x] : 0 <= a, b < 4 and x = 2a + b }"), 16);
  // Holes: 0, 3, 6, 9, as a coordinate and through an existential variable.
  EXPECT_EQ(count("{ [x, y] : 0 <= x <= 10 and x mod 3 = 0 and 0 <= y < 5 }"), 20);
  EXPECT_EQ(count("{ [x] : exists a, b : 0 <= a < 2 and 0 <= b < 2 and x = 2a + 3b }"), 4);
  EXPECT_EQ(count("{ [x] : exists a, b : 0 <= a < 3 and 0 <= b < 3 and x = a + b }"), 5);
}

TEST_F(SetCount, CountsEachPointOfAUnionOnce) {
  EXPECT_EQ(count("{ [a, b] : 0 <= a < 4 and 0 <= b < 4; [a, b] : 2 <= a < 6 and 1 <= b < 3 }"),
            20);
  EXPECT_EQ(count("{ [a] : 1 = 0 }"), 0);
  EXPECT_EQ(count("{ [a, b] : 0 <= a < 5 and 1 <= 2b <= 1 }"), 0);
  EXPECT_EQ(count("{ [] }"), 1);
}

TEST_F(SetCount, GivesUpOnWhatHasNoNumber) {
  EXPECT_EQ(count("{ [a, b] : 0 <= a, b < 1000000000000 }"), -1); // 2^79
  EXPECT_FALSE(countPoints(IslSet()));
  isl_ctx_set_max_operations(context, 10);
  EXPECT_EQ(count("{ [x] : exists a, b : 0 <= a < 300 and 0 <= b < 300 and x = 7a + 3b }"), -1);
}

TEST_F(SetCount, FindsTheLargestFibre) {
  IslSet rows = read("{ [a, b] : 0 <= a < 4 and 0 <= b <= a }"),
         one = read("{ [a, b] : a = 0 and b = 9 }");
  EXPECT_EQ(*mostInFibre({rows}, {1}, 1, 100), 4);
  EXPECT_EQ(*mostInFibre({rows, one}, {1, 5}, 1, 100), 6); // a = 0: 1 + 5
  EXPECT_EQ(*mostInFibre({rows}, {1}, 0, 100), 10);
  EXPECT_FALSE(mostInFibre({rows}, {1}, 1, 9));
  EXPECT_EQ(*mostInFibre({}, {}, 1, 100), 0);
}
