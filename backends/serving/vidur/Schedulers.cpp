// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/vidur/Schedulers.h"

#include "backends/serving/schedulers/LightLlm.h"
#include "backends/serving/schedulers/Sarathi.h"
#include "backends/serving/schedulers/Static.h"
#include "backends/serving/schedulers/Vllm.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::serving;

namespace {

class VidurSarathi : public Sarathi {
  using Sarathi::Sarathi;
  void restart(Request &request) const override {
    request.isPrefilled = true;
    Sarathi::restart(request);
  }
};

/// Takes no prompt in that a batch cannot hold.
template <typename Base> class WithoutLongPrompts : public Base {
  using Base::Base;
  bool isStuck() const {
    return !this->queue.empty() &&
           this->requests[this->queue.front()].prompt > vidur::mostPromptTokens;
  }
  Batch next() override {
    if (!isStuck())
      return Base::next();
    std::deque<uint32_t> waiting;
    waiting.swap(this->queue); // nobody passes it
    Batch batch = Base::next();
    this->queue.insert(this->queue.end(), waiting.begin(), waiting.end());
    return batch;
  }
};

class VidurStatic : public Static {
  using Static::Static;
  void release(const Batch &, const Batch &last) override {
    for (const BatchEntry &entry : last)
      free(requests[entry.request]);
  }
};

class VidurLightLlm : public WithoutLongPrompts<LightLlm> {
public:
  using WithoutLongPrompts::WithoutLongPrompts;
  std::string failure() const override { return isFull ? "the cache of lightllm is full" : ""; }

private:
  bool makeRoom() override {
    isFull = true;
    return false;
  }
  bool isFull = false;
};

} // namespace

bool vidur::hasScheduler(llvm::StringRef kind) {
  return llvm::StringSwitch<bool>(kind)
      .Cases("static", "orca", "vllm", "sarathi", "lightllm", true)
      .Default(false);
}

int64_t vidur::blockOf(llvm::StringRef kind) { return kind == "lightllm" ? 1 : 16; }

Limits vidur::limitsOf(llvm::StringRef kind, const Pool &pool, int64_t mostTokens, int64_t cap,
                       int64_t chunk, int64_t stages) {
  Limits limits;
  limits.blocks = pool.blocks;
  limits.blockTokens = blockOf(kind);
  bool isReserving = kind == "orca" || kind == "static";
  limits.maxBatch = isReserving ? std::min(pool.slots, cap) : cap;
  limits.maxTokens = mostPromptTokens;
  limits.chunk = chunk;
  limits.reserved = mostTokens / limits.blockTokens;
  limits.stages = stages;
  return limits;
}

SchedulerFactory vidur::schedulerOf(llvm::StringRef kind) {
  if (kind == "sarathi")
    return makeScheduler<VidurSarathi>;
  if (kind == "vllm")
    return makeScheduler<WithoutLongPrompts<Vllm>>;
  if (kind == "static")
    return makeScheduler<VidurStatic>;
  if (kind == "lightllm")
    return makeScheduler<VidurLightLlm>;
  return serving::schedulerOf(kind);
}
