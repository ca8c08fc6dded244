// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of all operations of perfc, level by level from op to study.
#ifndef PERFC_IR_STUDY_ALLOPS_H
#define PERFC_IR_STUDY_ALLOPS_H

#include "ir/core/OpDecl.h"

namespace perfc {

const ir::OpRegistry &allOps();

} // namespace perfc

#endif // PERFC_IR_STUDY_ALLOPS_H
