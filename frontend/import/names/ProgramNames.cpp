// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/names/ProgramNames.h"

#include "ir/common/DType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

std::string perfc::quotedText(llvm::StringRef text) {
  std::string escaped = "\"";
  for (char c : text)
    if (c == '"' || c == '\\' || c == '{' || c == '}')
      escaped += {'\\', c};
    else
      escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return escaped + "\"";
}

ProgramNames::ProgramNames(std::initializer_list<llvm::StringRef> own) {
  static constexpr llvm::StringLiteral reserved[] = {"import", "if", "then", "else",
                                                     "and",    "or", "not",  "in"};
  for (llvm::StringRef name : reserved)
    takeOwn(name);
  for (llvm::StringRef name : dtypeNames())
    takeOwn(name);
  for (llvm::StringRef name : own)
    takeOwn(name);
}

void ProgramNames::takeOwn(llvm::StringRef name) {
  own.insert(name);
  taken.insert(name);
}

std::string ProgramNames::add(llvm::StringRef text, llvm::StringRef prefix) {
  std::string word;
  for (char c : text)
    word += llvm::isAlnum(c) ? c : '_';
  if (word.empty() || !llvm::isAlpha(word.front()) || own.contains(word))
    word = prefix.str() + word;
  std::string name = word;
  for (unsigned number = 2; !taken.insert(name).second; ++number)
    name = word + "_" + std::to_string(number);
  return name;
}
