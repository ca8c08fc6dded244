// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/SyntaxErrors.h"

#include "llvm/Support/ConvertUTF.h"

#include "ir/common/diagnostics/Syntax.h"

using namespace perfc;
using namespace perfc::syntax;

void SyntaxErrors::reportIfTooMany(uint32_t where) {
  if (count >= maxSyntaxErrors && where < source.size())
    diagnostics.report({file, where, where}, diag::TooManySyntaxErrors);
}

bool syntax::checkUtf8(SyntaxErrors &errors) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(errors.text().begin());
  auto *end = reinterpret_cast<const llvm::UTF8 *>(errors.text().end());
  for (const llvm::UTF8 *at = begin; at != end;) {
    if (*at < 0x80) {
      ++at;
      continue;
    }
    if (!llvm::isLegalUTF8Sequence(at, end)) {
      Token byte{TokenKind::Stray, static_cast<uint32_t>(at - begin),
                 static_cast<uint32_t>(at - begin + 1)};
      errors.report(byte, diag::InvalidUtf8, static_cast<unsigned>(*at));
      return false;
    }
    at += llvm::getNumBytesForUTF8(*at);
  }
  return true;
}

namespace {
/// A character that word processors or other languages put in, and what is meant by it.
struct Lookalike {
  const char *character;
  const char *meant;
};
} // namespace

static constexpr Lookalike lookalikes[] = {
    {"±", "`+-`"},
    {"×", "`*`"},
    {"·", "`*`"},
    {"÷", "`/`"},
    {"−", "`-`"},
    {"–", "`-`"},
    {"—", "`-`"},
    {"≤", "`<=`"},
    {"≥", "`>=`"},
    {"≠", "`!=`"},
    {"→", "`->`"},
    {"…", "`...`"},
    {"“", "`\"`"},
    {"”", "`\"`"},
    {"„", "`\"`"},
    {"’", "`\"`"},
    {"µ", "`u`"},
    {"μ", "`u`"},
    {"²", "`^2`"},
    {"\xC2\xA0", "a space"},
    {"\xE3\x80\x80", "a space"},
    {"'", "`\"`"},
    {"#", "`//`"},
    {"&", "`and`"},
    {"|", "`or`"},
    {"!", "`not`"},
    {"?", "`if CONDITION then A else B`"},
    {"@", "an equation with indices such as `C[m, n] += A[m, k] * B[k, n]`"},
};

static std::string describeStray(llvm::StringRef run) {
  if (run.front() == '\0')
    return "a NUL byte";
  auto byte = static_cast<unsigned char>(run.front());
  if (byte < 0x20 || byte == 0x7F)
    return fmt::format("the control character 0x{:02X}", static_cast<unsigned>(byte));
  llvm::StringRef first = run.take_front(llvm::getNumBytesForUTF8(byte));
  constexpr size_t shown = 24;
  if (run.size() <= shown)
    return fmt::format("`{}`", run);
  return fmt::format("`{}`, and what follows it,", first);
}

void syntax::reportStray(SyntaxErrors &errors, Token run) {
  llvm::StringRef text = errors.text(run);
  Diagnostic &diagnostic = errors.report(run, diag::StrayCharacter, describeStray(text));
  for (const Lookalike &lookalike : lookalikes)
    if (text.startswith(lookalike.character)) {
      diagnostic.help(fmt::format("write {} instead", lookalike.meant));
      return;
    }
}
