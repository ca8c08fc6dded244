// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A std::vector whose members are instantiated late, at the end of the file: those of std::vector
// itself are constexpr in C++20, and clang instantiates such a member as soon as it is named.
// cmake/PerfcDependencies.cmake puts it into JSON.h of LLVM 14, which names members of a vector
// before its elements' type is complete; it has what JSON.h uses.
#ifndef PERFC_CMAKE_LATEVECTOR_H
#define PERFC_CMAKE_LATEVECTOR_H

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace perfc {

template <typename T> class LateVector {
  std::vector<T> v;

public:
  using iterator = typename std::vector<T>::iterator;
  using const_iterator = typename std::vector<T>::const_iterator;

  LateVector() {}
  LateVector(const LateVector &other) : v(other.v) {}
  LateVector(LateVector &&other) noexcept : v(std::move(other.v)) {}
  LateVector &operator=(const LateVector &other) {
    v = other.v;
    return *this;
  }
  LateVector &operator=(LateVector &&other) noexcept {
    v = std::move(other.v);
    return *this;
  }
  ~LateVector() {}

  T &operator[](std::size_t i) { return v[i]; }
  const T &operator[](std::size_t i) const { return v[i]; }
  T &front() { return v.front(); }
  const T &front() const { return v.front(); }
  T &back() { return v.back(); }
  const T &back() const { return v.back(); }
  T *data() { return v.data(); }
  const T *data() const { return v.data(); }
  iterator begin() { return v.begin(); }
  const_iterator begin() const { return v.begin(); }
  iterator end() { return v.end(); }
  const_iterator end() const { return v.end(); }
  bool empty() const { return v.empty(); }
  std::size_t size() const { return v.size(); }
  void reserve(std::size_t count) { v.reserve(count); }
  void clear() { v.clear(); }
  void push_back(const T &value) { v.push_back(value); }
  void push_back(T &&value) { v.push_back(std::move(value)); }
  template <typename... Args> void emplace_back(Args &&...args) {
    v.emplace_back(std::forward<Args>(args)...);
  }
  void pop_back() { v.pop_back(); }
  iterator insert(iterator at, const T &value) { return v.insert(at, value); }
  iterator insert(iterator at, T &&value) { return v.insert(at, std::move(value)); }
  template <typename It> iterator insert(iterator at, It first, It last) {
    return v.insert(at, first, last);
  }
  template <typename... Args> iterator emplace(const_iterator at, Args &&...args) {
    return v.emplace(at, std::forward<Args>(args)...);
  }

  friend bool operator==(const LateVector &a, const LateVector &b) { return a.v == b.v; }
};

} // namespace perfc

#endif // PERFC_CMAKE_LATEVECTOR_H
