// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JSON document as a tree: built first, printed in one go. Keys keep the order in which they were
// set, integers are exact, reals are the shortest text that reads back as the same number.
#ifndef PERFC_BACKENDS_EMIT_JSON_H
#define PERFC_BACKENDS_EMIT_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace perfc::emit {

class Json {
public:
  /// null
  Json() = default;
  Json(bool value) : data(value) {}
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer> &&
                                                          !std::is_same_v<Integer, bool>>>
  Json(Integer value) : data(toData(value)) {}
  /// Infinities and not-a-number become null.
  Json(double value) : data(value) {}
  Json(const char *text) : data(std::string(text)) {}
  Json(llvm::StringRef text) : data(text.str()) {}
  Json(std::string text) : data(std::move(text)) {}
  static Json array() { return Json(List()); }
  static Json object() { return Json(Fields()); }
  /// An array or object that has been printed, with the indent that it has where it will stand.
  static Json printed(std::string text) { return Json(Printed{std::move(text)}); }

  /// Appends to an array.
  Json &push(Json value);
  /// Sets a new field of an object; returns the object.
  Json &set(llvm::StringRef key, Json value);
  bool isEmpty() const;
  /// Elements of an array.
  size_t size() const { return std::get<List>(data).size(); }
  /// Leaves the first elements of an array.
  void truncate(size_t count) {
    List &list = std::get<List>(data);
    list.resize(std::min(count, list.size()));
  }

  /// Two blanks per level; arrays and objects without nested ones stay on a line of their own if it
  /// is not too long.
  void print(llvm::raw_ostream &os, unsigned indent = 0) const;
  /// The same in one line, for programs alone.
  void printLine(llvm::raw_ostream &os) const { printFlat(os, ",", ":"); }

private:
  using List = std::vector<Json>;
  using Fields = std::vector<std::pair<std::string, Json>>;
  struct Printed {
    std::string text;
  };
  explicit Json(List list) : data(std::move(list)) {}
  explicit Json(Printed text) : data(std::move(text)) {}
  explicit Json(Fields fields) : data(std::move(fields)) {}
  bool isFlat() const;
  void printFlat(llvm::raw_ostream &os, llvm::StringRef comma = ", ",
                 llvm::StringRef colon = ": ") const;

  using Data = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, List,
                            Fields, Printed>;
  template <typename Integer> static Data toData(Integer value) {
    if constexpr (std::is_signed_v<Integer>)
      return static_cast<int64_t>(value);
    else
      return static_cast<uint64_t>(value);
  }

  Data data;
};

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_JSON_H
