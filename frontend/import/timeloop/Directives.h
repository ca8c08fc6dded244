// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What directives of a mapping and of constraints have in common: a target and a type, lists of
// data spaces, orders of dimensions, and where the dimensions along y begin.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_DIRECTIVES_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_DIRECTIVES_H

#include "frontend/import/yaml/NodeReader.h"
#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

/// The head of one directive.
struct Directive {
  unsigned memory = 0;
  std::string memoryName;
  std::string type;
  const yaml::Node *target = nullptr, *typeNode = nullptr;
  bool isBypass() const {
    return type == "bypass" || type == "bypassing" || type == "datatype" || type == "dataspace";
  }
  bool isLoops() const { return type == "temporal" || type == "spatial"; }
};

/// `target` and `type` of `node`, which `what` names in messages. The target of spatial loops may
/// be the node whose mesh they run on. False after a report.
bool readDirective(const yaml::Node &node, llvm::StringRef what, const Input &input,
                   yaml::NodeReader &reader, Directive &directive);

/// The level whose spatial loops are meant by those of `memory`: the one that holds nothing between
/// it and its array, where there is one.
unsigned spatialLevel(const Input &input, unsigned memory);

/// The memory whose spatial loops run on the mesh of the node `name`: the one outside of it. False
/// after a report, also where several nodes make the array together.
bool findArrayMemory(llvm::StringRef name, SourceRange place, const Input &input,
                     yaml::NodeReader &reader, unsigned &memory);

/// The numbers of the data spaces that `node` lists; `*` stands for all.
bool readSpaceList(const yaml::Node &node, const Input &input, yaml::NodeReader &reader,
                   std::vector<unsigned> &spaces);

/// The dimensions of `permutation` in `node`, innermost first: a word of one-letter names, or a
/// list. Nothing is added when there is none.
bool readPermutation(const yaml::Node &node, const Input &input, yaml::NodeReader &reader,
                     std::vector<unsigned> &order);

/// `split` of `node`, at most the number of dimensions; `value` stays without one. False after a
/// report.
bool readSplit(const yaml::Node &node, const Input &input, yaml::NodeReader &reader,
               unsigned &value);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_DIRECTIVES_H
