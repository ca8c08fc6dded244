// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/RequestList.h"

#include "gtest/gtest.h"
#include <numeric>

using namespace perfc::serving;

/// Requests are handed on in order, whatever the order in which they are done, and no page before
/// all in it are done and hold nothing.
TEST(RequestList, HandsOnInOrder) {
  std::vector<RequestSpec> stream(2500);
  for (size_t i = 0; i < stream.size(); ++i)
    stream[i].prompt = static_cast<int64_t>(i) + 1;
  RequestList list(std::move(stream));
  std::vector<uint64_t> taken;
  auto take = [&](const Request &request, const RequestSpec &spec) {
    EXPECT_EQ(spec.prompt, static_cast<int64_t>(request.id) + 1);
    EXPECT_EQ(request.prompt, request.id == 1500 ? 7 : spec.prompt);
    taken.push_back(request.id);
  };
  list.retire(take);
  EXPECT_TRUE(taken.empty());
  list[1500].prompt = 7; // restarts change it
  for (size_t i = 1024; i < 2048; ++i)
    list[i].done = 1;
  list.retire(take);
  EXPECT_TRUE(taken.empty());
  for (size_t i = 0; i < 1024; ++i)
    list[i].done = 2;
  list[3].isResident = true;
  list.retire(take);
  EXPECT_TRUE(taken.empty());
  list[3].isResident = false;
  size_t held = 0;
  list.forEachHeld([&](uint32_t, Request &) { ++held; });
  EXPECT_EQ(held, 2048U);
  list.retire(take);
  EXPECT_EQ(taken.size(), 2048U);
  list.retireAll(take);
  std::vector<uint64_t> all(2500);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(taken, all);
}
