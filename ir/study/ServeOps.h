// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `serve` says, as typed parts inside its study.serve: the scheduler, when requests arrive,
// how long they are, and the model in the sizes at which batches are costed. Its degrees stand in a
// study.strategy.
#ifndef PERFC_IR_STUDY_SERVEOPS_H
#define PERFC_IR_STUDY_SERVEOPS_H

#include "ir/common/DType.h"
#include "ir/study/OpTable.h"
#include "ir/study/StudyOps.h"

namespace perfc {
namespace study {

/// The declarations of the parts, and of study.serve.
std::vector<ir::OpDecl> serveDecls();

/// How requests are batched.
struct SchedulerOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.scheduler";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  /// What the program calls it.
  llvm::StringRef label() const { return op->stringAttr("label"); }
  /// True where each request holds from its start what it may come to need.
  bool isReserving() const { return kind() == "orca" || kind() == "static"; }
  int64_t maxBatch() const { return op->intAttr("max_batch"); }
  int64_t block() const { return op->intAttr("block"); }
  /// Tokens of a batch, of those that make pieces of prompts.
  int64_t chunk() const { return op->intAttr(kind() == "vllm_v1" ? "max_tokens" : "chunk"); }
  /// Batches of tokens after which new requests are looked for.
  int64_t poll() const { return op->intAttr("poll"); }
  bool makesPieces() const {
    return kind() == "sarathi" || kind() == "vllm_v1" || kind() == "sglang";
  }
  /// True where tokens of a batch of whole prompts are bounded by `max_tokens`.
  bool boundsPrompts() const {
    return kind() == "vllm" || kind() == "lightllm" || kind() == "tensorrt_llm";
  }
  /// B/s to the host, where caches of requests that give way move there; 0 where they do not.
  double swap() const { return op->realAttr("swap"); }
  /// Of vllm and lightllm: tokens of a batch of prompts. Of those that reserve: of a request, where
  /// that is given.
  int64_t maxTokens(int64_t otherwise = 0) const { return op->intAttr("max_tokens", otherwise); }
};

struct ArrivalsOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.arrivals";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  double rate() const { return op->realAttr("rate"); } ///< requests/s
  /// True where a search is to find the rate.
  bool isRateOpen() const { return op->hasAttr("open_rate"); }
  int64_t seed() const { return op->intAttr("seed"); }
  /// Requests to be expected in the first `seconds`: the integral of the rate, of a trace those
  /// that come. Nothing where no time says when requests come: users who wait for answers, one
  /// burst.
  llvm::Optional<double> expectedIn(double seconds) const;
  /// Requests of a burst; `all` of them unless given.
  int64_t size(int64_t all) const { return op->intAttr("size", all); }
  double every() const { return op->realAttr("every"); }   ///< s
  double length() const { return op->realAttr("length"); } ///< s, of a burst
  double peak() const { return op->realAttr("peak"); }     ///< requests/s in a burst
  double swing() const { return op->realAttr("swing"); }
  double period() const { return op->realAttr("period"); } ///< s
  int64_t users() const { return op->intAttr("users"); }
  int64_t turns() const { return op->intAttr("turns", 1); } ///< of a session
  double think() const { return op->realAttr("think"); }    ///< s from an answer to what follows it
  /// Of a trace: numbers of the pieces of all prompts, one after the other, how many each has, and
  /// tokens of a piece; the last one of a prompt may be shorter.
  std::vector<int64_t> pieces() const { return intsOf("pieces"); }
  std::vector<int64_t> pieceCounts() const { return intsOf("piece_counts"); }
  int64_t pieceTokens() const { return op->intAttr("piece_tokens", 512); }
  /// Deviation of the gaps of gamma over their mean.
  double cv() const { return op->realAttr("cv"); }
  const ir::AttrList &times() const { return op->listAttr("times"); }

private:
  std::vector<int64_t> intsOf(llvm::StringRef name) const {
    return op->hasAttr(name) ? op->attr(name)->asInts() : std::vector<int64_t>();
  }
};

/// Normal and lognormal lengths are cut off so many deviations from the middle.
inline constexpr double lengthCut = 4;

struct LengthsOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.lengths";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  int64_t least() const { return op->intAttr("min"); }
  int64_t most() const { return op->intAttr("max"); }
  double theta() const { return op->realAttr("theta"); }
  int64_t mean() const { return op->intAttr("mean"); }
  int64_t deviation() const { return op->intAttr("deviation"); } ///< tokens, of normal
  double sigma() const { return op->realAttr("sigma"); }         ///< of lognormal
  double promptToAnswer() const { return op->realAttr("prefill_to_decode"); }
  int64_t seed() const { return op->intAttr("seed"); }
  int64_t prompt() const { return op->intAttr("prompt"); }
  int64_t answer() const { return op->intAttr("answer"); }
  const ir::AttrList &prompts() const { return op->listAttr("prompts"); }
  const ir::AttrList &answers() const { return op->listAttr("answers"); }
  /// Tokens of the longest request, prompt and answer.
  int64_t longest() const;
};

/// The model in one size.
struct SampleOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.sample";
  llvm::StringRef graph() const { return op->symbolAttr("graph"); }
  /// The same with ops as they are written, before any is taken apart.
  llvm::StringRef whole() const { return op->symbolAttr(op->hasAttr("whole") ? "whole" : "graph"); }
  bool isDecode() const { return op->hasAttr("decode"); }
  bool isPiece() const { return op->hasAttr("piece"); }
  int64_t batch() const { return op->intAttr("batch"); }
  int64_t tokens() const { return op->intAttr("tokens"); }
  int64_t context() const { return op->intAttr("context"); }
};

/// Speculative decoding: what guesses tokens, and how many of them hold.
struct DraftOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.draft";
  /// "mtp", "eagle", "medusa" or "ngram".
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  int64_t tokens() const { return op->intAttr("tokens"); } ///< of each step; 0 without a draft
  /// The chance that a guess holds whose predecessors do, by place.
  std::vector<double> acceptance() const;
  /// Of recorded steps, how many guesses held.
  std::vector<int64_t> recorded() const { return op->intsAttr("recorded"); }
  int64_t seed() const { return op->intAttr("seed"); }
};

/// When a copy of the model is broken: once, or at random times.
struct OutageOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.outage";
  bool isRandom() const { return op->hasAttr("mtbf"); }
  int64_t number() const { return op->intAttr("number"); } ///< of the copy
  double at() const { return op->realAttr("at"); }         ///< s
  double repair() const { return op->realAttr("repair"); } ///< s; 0 for never repaired
  double between() const { return op->realAttr("mtbf"); }  ///< s, of each copy
  int64_t seed() const { return op->intAttr("seed"); }
};

/// How the number of copies follows the load.
struct ScalingOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.scaling";
  int64_t least() const { return op->intAttr("min"); }   ///< copies; 0 without scaling
  double up() const { return op->realAttr("up"); }       ///< requests of a copy
  double down() const { return op->realAttr("down"); }   ///< the same
  double start() const { return op->realAttr("start"); } ///< s
  double every() const { return op->realAttr("every"); } ///< s
};

struct StrategyOp;

/// Copies of the model that serve a stream, or one phase of it: a study.pool, or a study.serve that
/// has none.
struct PoolOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.pool";
  bool isPart() const { return op->is(opName); }
  /// That of the statement and, behind it, of the pool.
  std::string name() const;
  /// "prefill" or "decode"; "" where there are no pools.
  llvm::StringRef phase() const { return isPart() ? op->symbol() : llvm::StringRef(); }
  llvm::StringRef on() const { return op->symbolAttr("on"); }
  int64_t firstChip() const {
    return op->intAttr("first_chip");
  } ///< in the system of the statement
  SchedulerOp scheduler() const { return partOf<SchedulerOp>(*op); }
  DraftOp draft() const { return partOf<DraftOp>(*op); }
  ScalingOp scaling() const { return partOf<ScalingOp>(*op); }
  std::vector<OutageOp> outages() const;
  int64_t degree(llvm::StringRef axis) const;
  /// Data-parallel groups of ranks that share experts and the batches of one scheduler.
  int64_t groups() const { return std::max<int64_t>(1, degree("expert") / degree("tensor")); }
  /// Copies of the model, each with a scheduler.
  int64_t copies() const { return degree("data") / groups(); }
  std::vector<SampleOp> samples() const;
  /// Of these the one with the most tokens of prompts; null without samples.
  SampleOp largestPrompt() const;
  /// Measured times of kernels; nothing where the program names none.
  llvm::Optional<OpTable> table() const;
};

/// The share of a GPU's memory that its driver keeps from programs: of what a card nominally has,
/// its total as programs see it lacks 0.8 to 2 % (docs/serving.md).
inline constexpr double keptByDrivers = 0.015;

/// A stream of requests to a model.
struct ServeOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.serve";
  llvm::StringRef subject() const { return op->symbolAttr("subject"); }
  llvm::StringRef on() const { return op->symbolAttr("on"); }
  llvm::StringRef subjectLabel() const { return op->stringAttr("subject_label"); }
  DType dtype() const { return *parseDType(op->stringAttr("dtype")); }
  int64_t requests() const { return op->intAttr("requests"); }
  /// "arrival", "priority", "shortest" or "goal".
  llvm::StringRef admission() const {
    return op->hasAttr("admission") ? op->stringAttr("admission") : "arrival";
  }
  double admissionGoal() const { return op->realAttr("admission_goal"); } ///< s
  int64_t priorityLevels() const { return op->intAttr("priority_levels", 1); }
  int64_t prioritySeed() const { return op->intAttr("priority_seed"); }
  /// The share of the cache that beginnings of texts may keep; below 0 without a prefix cache.
  double prefixShare() const {
    return op->hasAttr("prefix_share") ? op->realAttr("prefix_share") : -1;
  }
  /// What a request has to meet, in s; nothing where it need not.
  llvm::Optional<double> goal(llvm::StringRef metric) const {
    std::string name = "slo_" + metric.str();
    return op->hasAttr(name) ? llvm::Optional<double>(op->realAttr(name)) : llvm::None;
  }
  /// How requests go to copies: "round_robin", "random", "least_loaded", "cache_aware", "session".
  llvm::StringRef router() const {
    return op->hasAttr("router") ? op->stringAttr("router") : "round_robin";
  }
  int64_t routerSeed() const { return op->intAttr("router_seed"); }
  double warmUp() const { return op->realAttr("warm_up"); } ///< s
  /// Tokens of the longest request, in a session with all turns before it.
  int64_t longest() const { return lengths().longest() * arrivals().turns(); }
  double memoryShare() const { return op->realAttr("memory_share"); }
  /// B of a memory of `capacity` B that the driver keeps.
  double reserve(double capacity) const {
    return op->hasAttr("reserve") ? op->realAttr("reserve") : keptByDrivers * capacity;
  }
  /// The samples of all pools.
  std::vector<SampleOp> samples() const;
  /// The pools that serve it: the statement itself where it names none.
  std::vector<PoolOp> pools() const;
  SchedulerOp scheduler() const { return partOf<SchedulerOp>(*op); }
  ArrivalsOp arrivals() const { return partOf<ArrivalsOp>(*op); }
  LengthsOp lengths() const { return partOf<LengthsOp>(*op); }
  /// B that the host's tier of the prefix cache has for each chip, and B/s to it; 0 without one.
  double tierCapacity() const { return op->realAttr("tier_capacity"); }
  double tierBandwidth() const { return op->realAttr("tier_bandwidth"); }
  /// Experts that are kept twice.
  int64_t redundantExperts() const { return op->intAttr("redundant_experts"); }
  /// By VIDUR's rules, defects included.
  bool isVidur() const { return op->hasAttr("vidur"); }
};

} // namespace study
} // namespace perfc

#endif // PERFC_IR_STUDY_SERVEOPS_H
