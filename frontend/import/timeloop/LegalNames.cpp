// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/LegalNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::timeloop;

static std::string word(llvm::StringRef name, llvm::StringRef otherwise) {
  static constexpr llvm::StringLiteral reserved[] = {"import", "if",  "then", "else", "and",
                                                     "or",     "not", "in",   "as",   "step"};
  std::string result;
  for (char letter : name)
    result += llvm::isAlnum(letter) || letter == '_' ? letter : '_';
  if (result.empty())
    result = otherwise.str();
  if (llvm::isDigit(result.front()))
    result = otherwise.str() + result;
  return llvm::is_contained(reserved, result) ? result + "_" : result;
}

static void rename(std::string &name, llvm::StringRef otherwise, llvm::StringSet<> &taken) {
  std::string legal = word(name, otherwise), next = legal;
  for (unsigned number = 2; !taken.insert(next).second; ++number)
    next = legal + "_" + std::to_string(number);
  name = std::move(next);
}

static void nameDims(std::vector<std::string> &dims, llvm::StringSet<> &taken) {
  for (std::string &dim : dims) {
    std::string letter(1, llvm::toUpper(dim.empty() ? 'A' : dim.front()));
    bool isFree = llvm::isAlpha(letter.front()) && !taken.count(letter);
    for (char other = 'A'; other <= 'Z' && !isFree; ++other) {
      letter.assign(1, other);
      isFree = !taken.count(letter);
    }
    if (isFree)
      dim = letter;
    rename(dim, "D", taken);
  }
}

void timeloop::makeNamesLegal(Input &input) {
  llvm::StringSet<> names;
  nameDims(input.problem.dims, names);
  for (Space &space : input.problem.spaces)
    rename(space.name, "T", names);
  // Declarations of the program that is written.
  llvm::StringSet<> declarations;
  declarations.insert("chip");
  declarations.insert("mapped");
  rename(input.problem.name, "problem", declarations);
  llvm::StringSet<> places;
  for (unsigned memory = 0; memory < input.memories.size(); ++memory)
    places.insert("array" + std::to_string(memory));
  for (Level &level : input.memories)
    rename(level.name, "memory", places);
  rename(input.compute.name, "unit", places);
}
