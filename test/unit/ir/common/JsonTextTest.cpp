// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/JsonText.h"

#include "gtest/gtest.h"

using namespace perfc;

static constexpr llvm::StringLiteral text =
    R"({"a": "b\": 1", "b": [{"a": 1}, {"c": 2}], "c": {"a": {"a": 3}, "b": 4}})";

/// The key at `path` as it stands in the text, with the byte before it; "" where there is none.
static std::string at(llvm::ArrayRef<llvm::StringRef> path) {
  auto place = placeOfKey(text, path);
  return place ? text.slice(place->first - 1, place->second).str() + "@" +
                     std::to_string(place->first)
               : "";
}

TEST(JsonText, placesOfKeys) {
  EXPECT_EQ(at({"a"}), "\"a@2");
  EXPECT_EQ(at({"b"}), "\"b@17");
  EXPECT_EQ(at({"c", "a", "a"}), "\"a@56");
  EXPECT_EQ(at({"c", "b"}), "\"b@65");
  EXPECT_EQ(at({"b", "", "c"}), "\"c@34"); // a list has no keys
  EXPECT_EQ(at({"d"}), "");
  EXPECT_EQ(at({"c", "c"}), "");
}

TEST(JsonText, repeatedKeys) {
  EXPECT_FALSE(repeatedKey(text));
  auto repeated = repeatedKey(R"({"a": {"b": 1}, "c": [{"b": 1, "d": 2, "b": 3}]})");
  ASSERT_TRUE(repeated.hasValue());
  EXPECT_EQ(repeated->key, "b");
  EXPECT_EQ(repeated->first, 24u);
  EXPECT_EQ(repeated->second, 40u);
}
