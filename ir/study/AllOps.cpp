// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/AllOps.h"

#include "ir/collective/CollectiveOps.h"
#include "ir/loopnest/LoopnestOps.h"
#include "ir/op/OpOps.h"
#include "ir/phase/PhaseOps.h"
#include "ir/study/StudyOps.h"
#include "ir/target/TargetOps.h"
#include "ir/tile/TileOps.h"

using namespace perfc;

const ir::OpRegistry &perfc::allOps() {
  static const ir::OpRegistry registry = [] {
    ir::OpRegistry ops;
    ops.add(op::opOps());
    ops.add(loopnest::loopnestOps());
    ops.add(tile::tileOps());
    ops.add(phase::phaseOps());
    ops.add(collective::collectiveOps());
    ops.add(target::targetOps());
    ops.add(study::studyOps());
    return ops;
  }();
  return registry;
}
