// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/target/GenerationOp.h"

#include "ir/common/DType.h"
#include "ir/core/CycleTime.h"
#include "ir/core/Verifier.h"

using namespace perfc;
using namespace perfc::ir;

static bool verifyGeneration(const Operation &op, DiagnosticEngine &diagnostics) {
  for (const AttrDict::Entry &entry : op.dictAttr("energy").entries())
    if (!parseDType(entry.first))
      return invalidOp(op, diagnostics, "`" + entry.first + "` is no number format");
  if (op.realAttr("overlap", 1) < 1)
    return invalidOp(op, diagnostics, "an overlap below 1 would add up to more than the sum");
  return verifyCycleTimes(op, {"launch", "split"}, diagnostics);
}

AttrDecl target::measuredOverAttr() {
  return dictAttr("measured_over", AttrKind::Quantity, "times over those of providers, by name")
      .atLeast(0)
      .optional();
}

OpDecl target::generationDecl() {
  Dimension joule = BaseUnit::Joule;
  return {
      .name = GenerationOp::opName,
      .doc = "What kernels take on chips of one design, beside their work.",
      .symbol = SymbolUse::Required,
      .topLevel = true,
      .attrs = {listAttr("libraries", AttrKind::Symbol, "the first that has a kernel is taken")
                    .oneOf({"tile.library"}),
                cycleTimeAttr("launch", "start and end of a kernel; the chip's when not "
                                        "given"),
                quantityAttr("bandwidth", {}, "share that kernels reach")
                    .positive()
                    .share()
                    .otherwise(1),
                quantityAttr("cache", {}, "share that a tensor can stay in")
                    .positive()
                    .share()
                    .otherwise(1),
                quantityAttr("stream", {},
                             "share of the bandwidth that streams reach; "
                             "`bandwidth` when not given")
                    .positive()
                    .share()
                    .optional(),
                quantityAttr("stream_cache", {},
                             "share of the cache that they can stay in; "
                             "`cache` when not given")
                    .positive()
                    .share()
                    .optional(),
                quantityAttr("attention_cache", {},
                             "share of it that one tensor which is used again can stay in, of "
                             "keys and values or weights of experts; `cache` when not given")
                    .positive()
                    .share()
                    .optional(),
                quantityAttr("cache_bandwidth", {}, "over that of the outermost memory")
                    .positive()
                    .optional(),
                quantityAttr("core", {}, "16-bit operations of a whole unit in a cycle")
                    .positive()
                    .optional(),
                dictAttr("energy", AttrKind::Quantity,
                         "of a multiply-accumulate in a core of 4096, by format")
                    .in(joule)
                    .atLeast(0)
                    .optional(),
                quantityAttr("sustained", {},
                             "energy of an operation in runs of seconds over `energy`; "
                             "power does not limit these when not given")
                    .positive()
                    .optional(),
                quantityAttr("dynamic", {},
                             "energy of an operation in a kernel below the power "
                             "limit over `energy`")
                    .positive()
                    .otherwise(1),
                quantityAttr("byte_energy", joule, "of a byte of the outermost memory")
                    .atLeast(0)
                    .optional(),
                quantityAttr("idle", {},
                             "share of the power limit that is drawn whatever runs; the "
                             "chip's own energies count when not given")
                    .share()
                    .optional(),
                quantityAttr("reached_power", {}, "share of the limit that kernels draw at most")
                    .positive()
                    .otherwise(1),
                quantityAttr("measured_energy", {}, "energies over those of these figures")
                    .positive()
                    .otherwise(1),
                cycleTimeAttr("split", "adding up the parts of a sum"),
                quantityAttr("overlap", {},
                             "exponent by which limits add up; the largest "
                             "alone counts when not given")
                    .optional(),
                measuredOverAttr(),
                quantityAttr("measured", {}, "times over those of the other figures")
                    .positive()
                    .otherwise(1)},
      .verifier = verifyGeneration};
}
