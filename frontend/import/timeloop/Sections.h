// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of a Timeloop document, one reader each; all fill the same Input and report what is
// wrong.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_SECTIONS_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_SECTIONS_H

#include "frontend/import/yaml/NodeReader.h"
#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

/// Levels from the outermost inward, the arithmetic units last.
bool readArchitecture(const yaml::Node &node, Input &input, yaml::NodeReader &reader);
/// The ERT; null where there is none.
bool readEnergies(const yaml::Node *node, Input &input, yaml::NodeReader &reader);
bool readProblem(const yaml::Node &node, Input &input, yaml::NodeReader &reader);
bool readMapping(const yaml::Node &node, Input &input, yaml::NodeReader &reader);
/// The densities of a problem's instance, if it has any.
bool readDensities(const yaml::Node &instance, Input &input, yaml::NodeReader &reader);
/// Of the section `sparse_optimizations` and of the nodes of an architecture of v0.4.
bool readSparse(const yaml::Node &root, Input &input, yaml::NodeReader &reader);
/// The attributes of one component, a memory or the arithmetic; `maps` are its own and after them
/// those of what it stands in, which it inherits.
bool readAttributes(llvm::ArrayRef<const yaml::Node *> maps, bool isArithmetic, Level &level,
                    yaml::NodeReader &reader);

/// The name without `[0..n]`, and how many instances that gives.
bool readName(const yaml::Node &node, std::string &name, int64_t &instances,
              yaml::NodeReader &reader);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_SECTIONS_H
