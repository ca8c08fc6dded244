// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream of requests of a `serve`: when they arrive, how long their prompts are and how many
// tokens each answer has. All of it follows from the statement and its seeds (docs/serving.md).
#ifndef PERFC_BACKENDS_SERVING_REQUESTS_H
#define PERFC_BACKENDS_SERVING_REQUESTS_H

#include "backends/serving/PrefixCache.h"
#include "backends/serving/Random.h"
#include "ir/study/ServeOps.h"
#include <memory>

namespace perfc::serving {

/// What a stream says of a request.
struct RequestSpec {
  double arrival = 0;             ///< s; of one that follows another, once that is done
  int64_t after = -1;             ///< the number of the request that it follows
  double think = 0;               ///< s from the end of that one to its arrival
  int64_t prompt = 0, answer = 0; ///< tokens
  int64_t priority = 0;           ///< served first when smaller
  /// What it reads, piece by piece, and then its answer; null where nobody begins alike.
  std::shared_ptr<const std::vector<PrefixPiece>> text;

  int64_t total() const { return prompt + answer; }
};

/// One that is under way: a restart moves tokens from its answer to its prompt.
struct Request : RequestSpec {
  uint64_t id = 0;          ///< its place in the stream
  int64_t processed = 0;    ///< tokens of both, of which the last one is not in the cache
  bool isPrefilled = false; ///< the prompt has been read
  double scheduled = -1, first = -1, last = -1, done = -1; ///< s; below 0 for not yet
  int64_t restarts = 0;
  int64_t blocks = 0;      ///< of the cache that it alone holds
  int64_t shared = 0;      ///< blocks of its beginning that others may use as well
  uint32_t prefixNode = 0; ///< the last of these in the prefix cache; 0 for none
  bool isResident = false; ///< taken in
  int64_t copy = -1;       ///< of the model, that it is at
  int64_t target = -1;   ///< the copy that is to go on with it, from when its prompt has been read
  int64_t incoming = 0;  ///< blocks that wait for its cache there
  int64_t transfer = -1; ///< the number of its transfer
  int64_t reroutes = 0;  ///< times that its copy broke
  int64_t joined = 0;    ///< the step of its copy's steady group behind which it joined that

  Request() = default;
  Request(const RequestSpec &spec, uint64_t number) : RequestSpec(spec), id(number) {}

  bool isDone() const { return done >= 0; }
  /// It has to read again what it has read and made, as its prompt; one that has not read its
  /// prompt reads that again.
  void startAgain();
  /// Its caches are gone with the copy that had them.
  void holdNothing();
  /// The same where its caches are gone with the copy that had them.
  void loseCaches();
};

/// Shares `total` tokens, a draw of a distribution, out among prompt and answer of `request`, as
/// docs/serving.md says for uniform lengths and for others; either may come to 0.
void shareOut(RequestSpec &request, double total, double promptToAnswer, bool isUniform);

/// The requests that the arrivals, lengths and number of `serve` describe, in order of arrival but
/// for those that follow others.
std::vector<RequestSpec> makeRequests(study::ServeOp serve);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_REQUESTS_H
