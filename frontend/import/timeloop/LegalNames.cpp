// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/LegalNames.h"

#include "frontend/import/names/ProgramNames.h"
#include "frontend/import/timeloop/ChipText.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::timeloop;

static void nameDims(std::vector<std::string> &dims, ProgramNames &names) {
  for (std::string &dim : dims) {
    std::string letter(1, llvm::toUpper(dim.empty() ? 'A' : dim.front()));
    bool isFree = llvm::isAlpha(letter.front()) && !names.isTaken(letter);
    for (char other = 'A'; other <= 'Z' && !isFree; ++other) {
      letter.assign(1, other);
      isFree = !names.isTaken(letter);
    }
    if (isFree)
      dim = letter;
    dim = names.add(dim, "D");
  }
}

void timeloop::makeNamesLegal(Input &input) {
  // Words that a loop or a line of the mapping may begin with.
  ProgramNames names{"as", "step"}, places{"as", "step"};
  nameDims(input.problem.dims, names);
  for (Space &space : input.problem.spaces)
    space.name = names.add(space.name, "T_");
  // Declarations of the program that is written.
  ProgramNames declarations{"chip", "mapped", "open"};
  input.problem.name = declarations.add(input.problem.name, "problem_");
  for (unsigned memory = 0; memory < input.memories.size(); ++memory)
    places.takeOwn(arrayName(memory));
  for (Level &level : input.memories)
    level.name = places.add(level.name, "memory_");
  input.compute.name = places.add(input.compute.name, "unit_");
}
