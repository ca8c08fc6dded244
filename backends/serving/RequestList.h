// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests of a stream while it is served, by number. What the stream says of each, and what
// becomes of it, is there from when it is first asked for until it is done: in pages, which are
// handed on and freed in order.
#ifndef PERFC_BACKENDS_SERVING_REQUESTLIST_H
#define PERFC_BACKENDS_SERVING_REQUESTLIST_H

#include "backends/serving/RequestStream.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <functional>

namespace perfc::serving {

class RequestList {
public:
  /// Takes a request that is done, and what the stream says of it.
  using Taker = std::function<void(const Request &, const RequestSpec &)>;

  /*implicit*/ RequestList(std::unique_ptr<RequestStream> of) : stream(std::move(of)) {
    size_t count = (stream->size() + pageSize - 1) / pageSize;
    specs.resize(count);
    pages.resize(count);
  }
  /*implicit*/ RequestList(std::vector<RequestSpec> stream)
      : RequestList(std::make_unique<ListedStream>(std::move(stream))) {}
  /*implicit*/ RequestList(llvm::ArrayRef<Request> stream)
      : RequestList(std::vector<RequestSpec>(stream.begin(), stream.end())) {}
  /*implicit*/ RequestList(const std::vector<Request> &stream)
      : RequestList(llvm::makeArrayRef(stream)) {}

  size_t size() const { return stream->size(); }
  /// What is said of one that is not forgotten.
  const RequestSpec &spec(size_t number) {
    while (read <= number / pageSize)
      readPage();
    return specs[number / pageSize][number % pageSize];
  }
  size_t ownFrom(size_t number) const { return stream->ownFrom(number); }
  llvm::Optional<size_t> followerOf(size_t number) const { return stream->followerOf(number); }

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

  void readPage();
  void open(size_t page);
  void retirePage(const Taker &take);

  std::unique_ptr<RequestStream> stream;
  std::vector<std::vector<RequestSpec>> specs; ///< by page, empty before and after
  std::vector<std::vector<Request>> pages;     ///< the same
  size_t read = 0;                             ///< pages of specs that have been read
  size_t retired = 0;                          ///< pages
  size_t checked = 0; ///< requests of the next one that are known to be done
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_REQUESTLIST_H
