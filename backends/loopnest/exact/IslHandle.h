// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets and maps of isl with an owner. Each isl function takes its arguments over or only looks at
// them, as its declaration says (__isl_take, __isl_keep): `take` hands out a copy or, from a
// handle that is given up, the object itself, `get` lends it. A null handle is an error on the
// way, most likely that the operations allowed are used up; isl passes it on from call to call.
#ifndef PERFC_BACKENDS_LOOPNEST_EXACT_ISLHANDLE_H
#define PERFC_BACKENDS_LOOPNEST_EXACT_ISLHANDLE_H

#include <isl/map.h>
#include <isl/set.h>
#include <utility>

namespace perfc {
namespace loopnest {

template <typename Object, auto copy, auto release> class IslHandle {
public:
  IslHandle() = default;
  IslHandle(Object *object) : object(object) {} // NOLINT: what isl gives becomes owned
  IslHandle(const IslHandle &other) : object(copy(other.object)) {}
  IslHandle(IslHandle &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  IslHandle &operator=(IslHandle other) {
    std::swap(object, other.object);
    return *this;
  }
  ~IslHandle() { release(object); }

  Object *get() const { return object; }
  Object *take() const & { return copy(object); }
  Object *take() && { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object; }

private:
  Object *object = nullptr;
};

using IslSet = IslHandle<isl_set, isl_set_copy, isl_set_free>;
using IslMap = IslHandle<isl_map, isl_map_copy, isl_map_free>;

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_EXACT_ISLHANDLE_H
