// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests of a stream while it is served, by number. What the stream says of each is there all
// along; what becomes of it, from when it is first asked for until it is done: in pages, which are
// handed on and freed in order.
#ifndef PERFC_BACKENDS_SERVING_REQUESTLIST_H
#define PERFC_BACKENDS_SERVING_REQUESTLIST_H

#include "backends/serving/Requests.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <functional>

namespace perfc::serving {

class RequestList {
public:
  /// Takes a request that is done, and what the stream says of it.
  using Taker = std::function<void(const Request &, const RequestSpec &)>;

  /*implicit*/ RequestList(std::vector<RequestSpec> stream) : specs(std::move(stream)) {
    pages.resize((specs.size() + pageSize - 1) / pageSize);
  }
  /*implicit*/ RequestList(llvm::ArrayRef<Request> stream)
      : RequestList(std::vector<RequestSpec>(stream.begin(), stream.end())) {}
  /*implicit*/ RequestList(const std::vector<Request> &stream)
      : RequestList(llvm::makeArrayRef(stream)) {}

  size_t size() const { return specs.size(); }
  const RequestSpec &spec(size_t number) const { return specs[number]; }

  Request &operator[](size_t number) {
    std::vector<Request> &page = pages[number / pageSize];
    if (page.empty())
      open(number / pageSize);
    return page[number % pageSize];
  }
  /// One that has been asked for before.
  const Request &operator[](size_t number) const {
    return pages[number / pageSize][number % pageSize];
  }

  /// Calls `use` with those that have been asked for and are not retired, and their neighbours.
  void forEachHeld(llvm::function_ref<void(uint32_t, Request &)> use);
  /// Hands on and forgets the first pages whose requests are done and hold nothing.
  void retire(const Taker &take);
  /// Hands on all that are left.
  void retireAll(const Taker &take);

private:
  static constexpr size_t pageSize = 1024;

  void open(size_t page);
  void retirePage(const Taker &take);

  std::vector<RequestSpec> specs;
  std::vector<std::vector<Request>> pages; ///< empty before and after
  size_t retired = 0;                      ///< pages
  size_t checked = 0;                      ///< requests of the next one that are known to be done
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_REQUESTLIST_H
