// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets and maps of isl with an owner. Each isl function takes its arguments over or only looks at
// them, as its declaration says (__isl_take, __isl_keep): `take` hands out a copy or, from a
// handle that is given up, the object itself, `get` lends it. A null handle is an error on the
// way, most likely that the operations allowed are used up; isl passes it on from call to call.
#ifndef PERFC_PASSES_ANALYSIS_ISLHANDLE_H
#define PERFC_PASSES_ANALYSIS_ISLHANDLE_H

#include <cstdint>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <utility>

namespace perfc {
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

/// A context that gives up quietly after so many operations.
class IslContext {
public:
  explicit IslContext(uint64_t operations) : context(isl_ctx_alloc()) {
    isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(context, operations);
  }
  ~IslContext() { isl_ctx_free(context); }
  IslContext(const IslContext &) = delete;
  IslContext &operator=(const IslContext &) = delete;
  isl_ctx *get() const { return context; }

private:
  isl_ctx *context;
};

using IslSet = IslHandle<isl_set, isl_set_copy, isl_set_free>;
using IslMap = IslHandle<isl_map, isl_map_copy, isl_map_free>;

} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_ISLHANDLE_H
