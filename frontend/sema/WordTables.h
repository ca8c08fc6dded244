// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the word tables, behind Words.h.
#ifndef PERFC_FRONTEND_SEMA_WORDTABLES_H
#define PERFC_FRONTEND_SEMA_WORDTABLES_H

#include "frontend/sema/Words.h"
#include "ir/common/Providers.h"

namespace perfc {

/// Of a chip, and of a generation for those that do not say it.
constexpr WordSpec measuredOverWord(llvm::StringLiteral byDefault) {
  return {.word = "measured_over",
          .kind = ArgKind::Pairs,
          .dims = Dims::Number,
          .maxArgs = anyNumber,
          .choices = memberChoices,
          .byDefault = byDefault,
          .doc = "measured times of kernels over those of a provider, for ensembles: roofline = 1 "
                 "+- 50%"};
}

/// The words of a block of a chip or system; empty for a block that is none.
llvm::ArrayRef<WordSpec> partWordsOf(BlockKind kind);
/// Those of `layers` of a chip.
llvm::ArrayRef<WordSpec> layersWords();
/// The words of a block of a system alone.
llvm::ArrayRef<WordSpec> systemWordsOf(BlockKind kind);
/// The words of a `timeloop` block or of the lines in it.
llvm::ArrayRef<WordSpec> timeloopWordsOf(BlockKind kind);
/// The words of a statement's block; empty for a block that holds none.
llvm::ArrayRef<WordSpec> statementWordsOf(BlockKind kind);
/// The words of `serve` and of the blocks in it.
llvm::ArrayRef<WordSpec> serveWordsOf(BlockKind kind);
llvm::ArrayRef<WordSpec> trainWordsOf(BlockKind kind);
/// The words of `trace` and of the blocks in it.
llvm::ArrayRef<WordSpec> traceWordsOf(BlockKind kind);
/// The words of `generation` and `library` and of the blocks in them.
llvm::ArrayRef<WordSpec> kernelWordsOf(BlockKind kind);
/// Those of `kernel` in a `library`.
llvm::ArrayRef<WordSpec> kernelFamilyWords();

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_WORDTABLES_H
