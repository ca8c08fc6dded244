// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What requests have seen: 8 B of each for each of four distributions, whose percentiles are exact,
// and of up to 100,000 requests their times.
#ifndef PERFC_BACKENDS_SERVING_REQUESTTALLY_H
#define PERFC_BACKENDS_SERVING_REQUESTTALLY_H

#include "backends/core/Serving.h"
#include "backends/serving/Requests.h"

namespace perfc::serving {

class RequestTally {
public:
  /// Of a stream of `count` requests.
  RequestTally(study::ServeOp serve, size_t count);

  /// Counts the next one in order, which came at `arrival` as `came` says and is done.
  void add(const Request &request, double arrival, const RequestSpec &came);
  /// Moves all that was counted into `summary`.
  void fill(ServingSummary &summary) &&;

private:
  bool meets(const ServedRequest &request) const;

  llvm::Optional<double> ttftGoal, tpotGoal, latencyGoal; ///< s that `slo` asks for
  double warmUp;                                          ///< s
  bool isVidur, keepsRequests;
  std::vector<double> ttft, tpot, latency, delay;
  std::vector<ServedRequest> requests;
  int64_t count = 0, promptTokens = 0, outputTokens = 0, restarts = 0, reroutes = 0, meeting = 0;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_REQUESTTALLY_H
