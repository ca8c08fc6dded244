// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <fmt/format.h>

using namespace perfc::emit;

static constexpr unsigned lineLimit = 100;

Json &Json::push(Json value) {
  std::get<List>(data).push_back(std::move(value));
  return *this;
}

Json &Json::set(llvm::StringRef key, Json value) {
  std::get<Fields>(data).emplace_back(key.str(), std::move(value));
  return *this;
}

bool Json::isEmpty() const {
  if (auto *list = std::get_if<List>(&data))
    return list->empty();
  if (auto *fields = std::get_if<Fields>(&data))
    return fields->empty();
  return std::holds_alternative<std::monostate>(data);
}

bool Json::isFlat() const {
  if (std::holds_alternative<Printed>(data))
    return false;
  auto isScalar = [](const Json &value) {
    return !std::holds_alternative<List>(value.data) &&
           !std::holds_alternative<Fields>(value.data) &&
           !std::holds_alternative<Printed>(value.data);
  };
  if (auto *list = std::get_if<List>(&data))
    return llvm::all_of(*list, isScalar);
  if (auto *fields = std::get_if<Fields>(&data))
    return llvm::all_of(*fields, [&](const auto &field) { return isScalar(field.second); });
  return true;
}

static void printString(llvm::raw_ostream &os, llvm::StringRef text) {
  // Most texts are keys and names, of which nothing has to be escaped.
  if (llvm::all_of(text, [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }))
    os << '"' << text << '"';
  else
    os << llvm::json::Value(llvm::json::fixUTF8(text));
}

void Json::printFlat(llvm::raw_ostream &os, llvm::StringRef comma, llvm::StringRef colon) const {
  if (auto *truth = std::get_if<bool>(&data)) {
    os << (*truth ? "true" : "false");
  } else if (auto *whole = std::get_if<int64_t>(&data)) {
    os << *whole;
  } else if (auto *natural = std::get_if<uint64_t>(&data)) {
    os << *natural;
  } else if (auto *real = std::get_if<double>(&data)) {
    os << (std::isfinite(*real) ? fmt::format("{}", *real) : "null");
  } else if (auto *text = std::get_if<std::string>(&data)) {
    printString(os, *text);
  } else if (auto *list = std::get_if<List>(&data)) {
    os << '[';
    llvm::interleave(
        *list, os, [&](const Json &value) { value.printFlat(os, comma, colon); }, comma);
    os << ']';
  } else if (auto *fields = std::get_if<Fields>(&data)) {
    os << '{';
    auto print = [&](const auto &field) {
      printString(os, field.first);
      os << colon;
      field.second.printFlat(os, comma, colon);
    };
    llvm::interleave(*fields, os, print, comma);
    os << '}';
  } else if (auto *printed = std::get_if<Printed>(&data)) {
    os << printed->text;
  } else {
    os << "null";
  }
}

void Json::print(llvm::raw_ostream &os, unsigned indent) const {
  if (isFlat()) {
    std::string line;
    llvm::raw_string_ostream stream(line);
    printFlat(stream);
    if (stream.str().size() + indent <= lineLimit || isEmpty()) {
      os << line;
      return;
    }
  }
  auto lines = [&](const auto &range, char open, char close, auto printOne) {
    os << open << '\n';
    bool first = true;
    for (const auto &element : range) {
      os << (first ? "" : ",\n");
      os.indent(indent + 2);
      printOne(element);
      first = false;
    }
    os << '\n';
    os.indent(indent) << close;
  };
  if (auto *list = std::get_if<List>(&data))
    lines(*list, '[', ']', [&](const Json &value) { value.print(os, indent + 2); });
  else if (auto *fields = std::get_if<Fields>(&data))
    lines(*fields, '{', '}', [&](const auto &field) {
      printString(os, field.first);
      os << ": ";
      field.second.print(os, indent + 2);
    });
  else if (auto *text = std::get_if<Printed>(&data))
    os << text->text;
  else
    printFlat(os);
}
