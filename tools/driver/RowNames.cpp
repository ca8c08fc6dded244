// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/RowNames.h"

#include <set>

using namespace perfc;
using namespace perfc::driver;

static bool areDistinct(const std::vector<std::string> &names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

/// What a result runs on, and with what.
static std::string wholeName(const emit::Result &result) {
  llvm::StringRef with = llvm::StringRef(result.label).split(" on " + result.on).second;
  return result.on + with.str();
}

/// `text` without what stands in parentheses.
static std::string withoutArguments(llvm::StringRef text) {
  std::string bare;
  int depth = 0;
  for (char c : text) {
    depth += c == '(';
    if (depth == 0)
      bare += c;
    depth -= c == ')';
  }
  return bare;
}

std::vector<std::string> driver::comparedNames(llvm::ArrayRef<const emit::Result *> results) {
  std::vector<std::string> brief, whole;
  for (const emit::Result *result : results) {
    brief.push_back(result->on);
    whole.push_back(wholeName(*result));
  }
  return areDistinct(brief) ? brief : whole;
}

std::vector<std::string> driver::pointNames(llvm::ArrayRef<const emit::Result *> results) {
  std::vector<std::string> brief, whole;
  for (const emit::Result *result : results) {
    whole.push_back(wholeName(*result));
    brief.push_back(withoutArguments(whole.back()));
  }
  return areDistinct(brief) ? brief : whole;
}
