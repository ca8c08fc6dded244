// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said of requests before they are served, one after the other: a stream of any length
// takes no memory but what makes the next one.
#ifndef PERFC_BACKENDS_SERVING_REQUESTSTREAM_H
#define PERFC_BACKENDS_SERVING_REQUESTSTREAM_H

#include "backends/serving/Requests.h"
#include "llvm/ADT/Optional.h"

namespace perfc::serving {

class RequestStream {
public:
  virtual ~RequestStream() = default;

  virtual size_t size() const = 0;
  /// The next one, from the first on.
  virtual RequestSpec next() = 0;
  /// The first one from `number` on that follows no other; these arrive in order. `size()` where
  /// there is none.
  virtual size_t ownFrom(size_t number) const = 0;
  /// Who follows `number`.
  virtual llvm::Optional<size_t> followerOf(size_t number) const = 0;
};

/// One that is there in all.
class ListedStream : public RequestStream {
public:
  explicit ListedStream(std::vector<RequestSpec> requests);

  size_t size() const override { return requests.size(); }
  RequestSpec next() override { return std::move(requests[given++]); }
  size_t ownFrom(size_t number) const override {
    return number < own.size() ? own[number] : size();
  }
  llvm::Optional<size_t> followerOf(size_t number) const override {
    return followers.empty() ? llvm::None : followers[number];
  }

private:
  std::vector<RequestSpec> requests;
  std::vector<size_t> own;                       ///< by number, `ownFrom`
  std::vector<llvm::Optional<size_t>> followers; ///< by number; empty where nobody follows
  size_t given = 0;
};

/// The stream that the arrivals, lengths and number of `serve` describe (docs/serving.md), which
/// stays as it is for as long; each request comes `late` s later.
std::unique_ptr<RequestStream> streamOf(study::ServeOp serve, double late = 0);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_REQUESTSTREAM_H
