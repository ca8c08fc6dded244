// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/RequestStream.h"
#include "ir/study/AllOps.h"

#include "gtest/gtest.h"

using namespace perfc;
using namespace perfc::serving;

static ir::Attribute plain(double value) { return Quantity(Uncertain(value), Dimension()); }

/// A `serve` of `count` requests of 10 + 3 tokens.
static void describe(ir::Operation &serve, const ir::AttrDict &arrivals, int64_t count) {
  serve.setAttr("requests", count);
  for (const auto &[key, value] : arrivals.entries())
    study::partToWrite(serve, study::ArrivalsOp::opName).setAttr(key, value);
  ir::Operation &lengths = study::partToWrite(serve, study::LengthsOp::opName);
  lengths.setAttr("kind", "fixed");
  lengths.setAttr("prompt", 10);
  lengths.setAttr("answer", 3);
}

/// What a drawn stream says of who follows whom is what its requests say, and each comes as much
/// later as is asked.
TEST(RequestStream, SaysWhoFollowsAsItsRequestsDo) {
  const ir::AttrDict closed = {{"kind", "closed"}, {"users", 3}, {"think", plain(1)}};
  const ir::AttrDict sessions = {
      {"kind", "sessions"}, {"rate", plain(2)}, {"turns", 4}, {"think", plain(1)}, {"seed", 1}};
  const ir::AttrDict burst = {{"kind", "burst"}};
  for (const ir::AttrDict &arrivals : {closed, sessions, burst})
    for (int64_t count : {1, 2, 3, 4, 11}) {
      ir::Operation serve(*allOps().find(study::ServeOp::opName), ir::Location());
      describe(serve, arrivals, count);
      study::ServeOp view(&serve);
      std::vector<RequestSpec> all = makeRequests(view);
      ListedStream listed(all);
      auto drawn = streamOf(view, 5);
      ASSERT_EQ(drawn->size(), all.size());
      for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(drawn->ownFrom(i), listed.ownFrom(i)) << count << " " << i;
        EXPECT_EQ(drawn->followerOf(i), listed.followerOf(i)) << count << " " << i;
        RequestSpec request = drawn->next();
        EXPECT_EQ(request.arrival, all[i].arrival + 5);
        EXPECT_EQ(request.think, all[i].think + 5);
        EXPECT_EQ(request.after, all[i].after);
        EXPECT_EQ(request.prompt, all[i].prompt);
      }
      EXPECT_EQ(drawn->ownFrom(all.size()), all.size());
    }
}
