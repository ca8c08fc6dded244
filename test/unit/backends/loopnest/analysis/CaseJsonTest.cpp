// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Nests.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

static std::string readError(llvm::StringRef text) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  llvm::Expected<Nest> nest = readCase(*value.getAsObject());
  return nest ? "" : llvm::toString(nest.takeError());
}

TEST(CaseJson, MalformedPartsAreNamed) {
  EXPECT_EQ(readError("{}"), "dims: not an object");
  EXPECT_EQ(readError(R"({"dims": {"p": "x"}})"), "dims.p: not an integer");
  EXPECT_EQ(readError(R"({"dims": {}})"), "tensors or output is missing");
  EXPECT_EQ(readError(R"({"dims": {}, "tensors": {"Z": 3}, "output": "Z"})"),
            "tensors.Z: not a list");
  EXPECT_EQ(readError(R"({"dims": {}, "tensors": {"Z": [{"p": 1}]}, "output": "Z"})"),
            "subscript of 'p': no such dim, or not an integer");
  EXPECT_EQ(readError(R"({"dims": {}, "tensors": {"Z": []}, "output": "Z"})"),
            "hierarchy: not a list");
  EXPECT_EQ(readError(R"({"dims": {}, "tensors": {"Z": []}, "output": "Z", "hierarchy": [{}]})"),
            "hierarchy: neither a memory nor an array");
  EXPECT_EQ(readError(R"({"dims": {}, "tensors": {"Z": []}, "output": "Z", "mapping": {"M": [7]},
                          "hierarchy": [{"memory": "M", "keep": ["Z"]}]})"),
            "a loop of M is not [dim, factor]");
  EXPECT_EQ(readError(R"({"dims": {}, "tensors": {"Z": []}, "output": "Z", "mapping": {},
                          "hierarchy": [{"memory": "M", "keep": ["Y"]}]})"),
            "M keeps an unknown tensor");
}

TEST(CaseJson, DifferencesAreLocated) {
  Nest nest = parseNest(R"({"dims": {"p": 2}, "tensors": {"Z": [{"p": 1}]}, "output": "Z",
    "hierarchy": [{"memory": "M", "keep": ["Z"]}], "mapping": {"M": [["p", 2]]}})");
  AnalysisResult result = analyse(nest);
  ASSERT_TRUE(result.counts);
  llvm::json::Object same = writeCounts(nest, *result.counts);
  EXPECT_TRUE(differences(same, nest, *result.counts).empty());
  llvm::json::Object other{{"macs", 3}, {"joules", 1}};
  std::vector<std::string> lines = differences(other, nest, *result.counts);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "joules: nothing, not 1");
  EXPECT_EQ(lines[1], "macs: 2, not 3");
}
