// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/JoinRules.h"

#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Training.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

/// Reports names of `text` that no op has: no kernel would ever end with them.
static void checkOps(BuildContext &context, llvm::StringRef text, SourceRange place) {
  Program &program = context.evaluator.program;
  bool isWritten = place.end - place.begin == text.size() + 2; // in quotes, without escapes
  llvm::SmallVector<llvm::StringRef, 8> names;
  llvm::SplitString(text, names, " +");
  for (llvm::StringRef name : names) {
    if (program.hasOp(name))
      continue;
    SourceRange at = place;
    if (isWritten) {
      at.begin += 1 + static_cast<uint32_t>(name.data() - text.data());
      at.end = at.begin + static_cast<uint32_t>(name.size());
    }
    std::vector<llvm::StringRef> known = program.opNames(); // loads files, which may report
    context.diagnostics.report(at, diag::UnknownName, name)
        .suggest(name, known, "`joins` has names of ops");
  }
}

std::vector<std::string> perfc::joinsIn(BuildContext &context, const Node &line) {
  std::vector<std::string> list;
  for (const NodeArg &arg : line.args) {
    const std::string *text = arg.value.getIf<std::string>();
    if (!text)
      continue;
    auto [before, behind] = llvm::StringRef(*text).split('+');
    if (before.trim().empty() || behind.trim().empty() || behind.contains('+'))
      context.diagnostics.report(
          arg.range, diag::BadTrainValue,
          fmt::format("`joins` is of ops and those that join them, \"conv2d + relu\", not \"{}\"",
                      *text));
    else
      checkOps(context, *text, arg.range);
    list.push_back(*text);
  }
  return list;
}
