// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/collective/CollectiveOps.h"

#include "ir/core/Verifier.h"
#include <fmt/compile.h>
#include <set>

using namespace perfc;
using namespace perfc::ir;

static OpDecl transfer(llvm::StringRef name, llvm::StringRef doc) {
  return {.name = name,
          .doc = doc,
          .attrs = {intAttr("bytes", "that one rank contributes").atLeast(0),
                    stringAttr("group", "name of the group of ranks"),
                    intAttr("ranks", "how many take part").atLeast(1),
                    stringAttr("algorithm", "ring, direct, or a library's name").optional(),
                    listAttr("schedules", AttrKind::Symbol, "of which the fastest counts")
                        .oneOf({"collective.schedule"})
                        .optional(),
                    intAttr("stride", "ranks of the group stand so far apart; 1 when not given")
                        .atLeast(1)
                        .optional(),
                    listAttr("dimensions", AttrKind::Int,
                             "ranks and stride of each dimension of a group that has several, the "
                             "nearest first")
                        .optional()}};
}

static bool verifySend(const Operation &op, DiagnosticEngine &diagnostics) {
  if (!op.hasAttr("senders"))
    return true;
  const AttrList &senders = op.listAttr("senders");
  if (senders.size() != 4 || senders[0].asInt() < 0 || senders[1].asInt() < 1 ||
      senders[2].asInt() < 1)
    return invalidOp(op, diagnostics, "senders are a rank, a count, a step and a distance");
  return true;
}

/// A message from one rank to another, or from many at the same time.
static OpDecl sendTransfer(llvm::StringRef doc) {
  OpDecl decl = transfer("collective.send", doc);
  decl.attrs.push_back(listAttr("senders", AttrKind::Int,
                                "a first rank and how many, a step to further ones, and how far "
                                "behind each the rank is that it sends to")
                           .optional());
  decl.verifier = verifySend;
  return decl;
}

/// An all-to-all whose sizes differ.
static OpDecl unevenTransfer() {
  OpDecl decl = transfer("collective.all_to_allv",
                         "Every rank sends a part of its own size to each other one.");
  decl.attrs.push_back(quantityAttr("load", {}, "what the busiest rank is sent over the mean")
                           .atLeast(1)
                           .optional());
  decl.attrs.push_back(
      listAttr("sizes", AttrKind::Quantity, "from each rank to each, in order").optional());
  return decl;
}

void collective::ScheduleOp::append(std::string &sends, const ScheduledSend &send) {
  fmt::format_to(std::back_inserter(sends), FMT_COMPILE("{} {} {} {}, "), send.move, send.chunk,
                 send.from, send.to);
}

bool collective::ScheduleOp::forEachSend(
    llvm::function_ref<bool(const ScheduledSend &)> each) const {
  llvm::StringRef text = op->stringAttr("sends");
  auto number = [&](llvm::StringRef behind, uint32_t &value) {
    return !text.consumeInteger(10, value) && text.consume_front(behind);
  };
  for (ScheduledSend send; !text.empty();)
    if (!number(" ", send.move) || !number(" ", send.chunk) || !number(" ", send.from) ||
        !number(", ", send.to) || !each(send))
      return false;
  return true;
}

/// Sends are fours of numbers inside their bounds.
static bool verifySchedule(const Operation &op, DiagnosticEngine &diagnostics) {
  auto schedule = as<collective::ScheduleOp>(op);
  int64_t moves = 0;
  for ([[maybe_unused]] const Operation &move : op.body())
    ++moves;
  bool areKnown = true;
  bool areSends = schedule.forEachSend([&](const collective::ScheduledSend &send) {
    return areKnown = send.move < moves && send.chunk < schedule.chunks() &&
                      send.from < schedule.ranks() && send.to < schedule.ranks();
  });
  if (!areKnown)
    return invalidOp(op, diagnostics, "a send names a move, chunk or rank that there is not");
  return areSends || invalidOp(op, diagnostics, "sends are four numbers each: `0 0 1 0, `");
}

/// Groups have numbers of their own; their members are ranks of the trace, once each.
static bool verifyTrace(const Operation &op, DiagnosticEngine &diagnostics) {
  std::set<int64_t> ranks, numbers;
  for (const Operation &part : op.body())
    if (part.is("collective.ranks"))
      for (const Attribute &rank : part.listAttr("ranks"))
        if (!ranks.insert(rank.asInt()).second)
          return invalidOp(part, diagnostics, "a rank has its nodes already");
  for (const Operation &part : op.body()) {
    if (!part.is("collective.group"))
      continue;
    if (!numbers.insert(part.intAttr("number")).second)
      return invalidOp(part, diagnostics, "there is a group of this number already");
    std::set<int64_t> members;
    for (const Attribute &member : part.listAttr("members"))
      if (!ranks.count(member.asInt()) || !members.insert(member.asInt()).second)
        return invalidOp(part, diagnostics, "its members are ranks of the trace, once each");
  }
  return true;
}

/// Graphs of ranks, node by node.
static std::vector<OpDecl> traceDeclarations() {
  return {
      {.name = "collective.trace",
       .doc = "What each rank runs: graphs of kernels, messages and collectives.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .regions = {{{"collective.group", "collective.ranks"}}},
       .verifier = verifyTrace},
      {.name = "collective.group",
       .doc = "A communicator group of a trace.",
       .attrs = {intAttr("number", "by which nodes name it").atLeast(1),
                 listAttr("members", AttrKind::Int, "ranks, in the order of rings")}},
      {.name = "collective.ranks",
       .doc = "The graph that some ranks run.",
       .attrs = {listAttr("ranks", AttrKind::Int, "which")},
       .regions = {{{"collective.node"}}}},
      {.name = "collective.node",
       .doc = "Starts when the nodes that it waits for are done.",
       .attrs = {
           stringAttr("kind", "what it does")
               .oneOf({"compute", "cpu", "load", "store", "send", "receive", "all_reduce",
                       "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce",
                       "collective", "metadata", "invalid"}),
           intAttr("id", "among the nodes of its ranks").atLeast(0),
           listAttr("after", AttrKind::Int, "ids of those that it waits for").optional(),
           intAttr("micros", "that a kernel takes").atLeast(0).optional(),
           intAttr("bytes", "of a message, collective or access").atLeast(0).optional(),
           intAttr("operations", "of a kernel").atLeast(0).optional(),
           intAttr("moves", "bytes of a kernel").atLeast(0).optional(),
           intAttr("peer", "the rank at the other end of a message").atLeast(0).optional(),
           intAttr("tag", "of a message").optional(),
           intAttr("type", "of a collective, where its kind does not say it").optional(),
           intAttr("group", "of a collective; all ranks when not given").atLeast(1).optional()}}};
}

/// In a program with a schedule a stage runs every microbatch forward and backward on each chunk,
/// in one without it runs all in one pass.
static bool verifyStage(const Operation &op, collective::ProgramOp program, bool hasSchedule,
                        DiagnosticEngine &diagnostics) {
  int64_t forward = 0, backward = 0, passes = 0;
  for (const Operation &part : op.body()) {
    auto tasks = as<collective::TasksOp>(part);
    auto pass = as<collective::PassOp>(part);
    forward += tasks ? tasks.forward() * tasks.times() : 0;
    backward += tasks ? tasks.backward() * tasks.times() : 0;
    passes += pass && (!hasSchedule || pass.chunk() < program.chunks());
  }
  if (!hasSchedule)
    return (op.body().size() == 1 && passes == 1) ||
           invalidOp(op, diagnostics, "a stage of a program without a schedule has one pass");
  int64_t all = program.microbatches() * program.chunks();
  return (passes == 2 * program.chunks() && forward == all && backward == all) ||
         invalidOp(op, diagnostics,
                   "a stage has a forward and a backward pass for each chunk, and runs each for "
                   "every microbatch");
}

/// Stages are numbered from 0, and there is nothing beside them.
static bool verifyProgram(const Operation &op, DiagnosticEngine &diagnostics) {
  collective::ProgramOp program(const_cast<Operation *>(&op));
  bool hasSchedule = op.hasAttr("schedule");
  if (hasSchedule && !(op.hasAttr("microbatches") && op.hasAttr("chunks")))
    return invalidOp(op, diagnostics, "a schedule has microbatches and chunks");
  int64_t number = 0, others = 0;
  for (const Operation &inner : op.body()) {
    auto stage = as<collective::StageOp>(inner);
    others += !stage;
    if ((stage && stage.number() != number++) || (others > 0 && (number > 0 || hasSchedule)))
      return invalidOp(op, diagnostics,
                       "stages are numbered from 0, with nothing beside them in the program");
    if (stage && !verifyStage(inner, program, hasSchedule, diagnostics))
      return false;
  }
  return true;
}

/// What a training step runs.
static std::vector<OpDecl> stepDeclarations(const RegionDecl &steps) {
  RegionDecl pass = steps, stage{{"collective.pass", "collective.tasks", "collective.update"}};
  for (llvm::StringRef name : steps.allowed)
    if (name != "collective.run" && name != "collective.repeat")
      stage.allowed.push_back(name);
  return {
      {.name = "collective.stage",
       .doc = "A pipeline stage: its passes, and the order in which it runs them.",
       .attrs = {intAttr("number", "from 0").atLeast(0),
                 listAttr("chips", AttrKind::Int,
                          "its first chip, how many stand side by side, and how far on there "
                          "are more")
                     .atLeast(0)},
       .regions = {stage}},
      {.name = "collective.pass",
       .doc = "What a stage runs for a microbatch on one of its chunks.",
       .attrs = {stringAttr("direction", "of the pass").oneOf({"forward", "backward"}),
                 intAttr("chunk", "from 0").atLeast(0)},
       .regions = {pass}},
      {.name = "collective.tasks",
       .doc = "So many forward passes, then so many backward ones, that often.",
       .attrs = {intAttr("forward", "passes").atLeast(0), intAttr("backward", "passes").atLeast(0),
                 intAttr("times", "how often").atLeast(1)}},
      {.name = "collective.update",
       .doc = "The optimizer's update of what a rank has to update.",
       .attrs = {intAttr("elements", "on a rank, of a mean one where they do not divide evenly")
                     .atLeast(0)}}};
}

static std::vector<OpDecl> declarations() {
  std::vector<OpDecl> transfers = {
      transfer("collective.all_reduce", "Every rank gets the sum of all."),
      transfer("collective.all_gather", "Every rank gets the parts of all."),
      transfer("collective.reduce_scatter", "Every rank gets its part of the sum of all."),
      transfer("collective.all_to_all", "Every rank sends a different part to each other one."),
      unevenTransfer(),
      transfer("collective.broadcast", "One rank sends the same to all others."),
      transfer("collective.reduce", "One rank gets the sum of all."),
      transfer("collective.barrier", "No rank goes on before all have come."),
      sendTransfer("One rank sends to another one.")};
  RegionDecl steps{{"collective.run", "collective.repeat"}};
  for (const OpDecl &decl : transfers)
    steps.allowed.push_back(decl.name);
  RegionDecl program = steps;
  program.allowed.push_back("collective.stage");
  std::vector<OpDecl> all = {
      {.name = "collective.program",
       .doc = "What the ranks of a system do, in order.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {symbolAttr("system", "where").oneOf({"target.system", "target.chip"}),
                 stringAttr("schedule", "of the pipeline of a training step")
                     .oneOf({"gpipe", "one_f_one_b", "interleaved_1f1b", "zero_bubble"})
                     .optional(),
                 intAttr("microbatches",
                         "of each data-parallel rank; the last may be a part of one")
                     .atLeast(1)
                     .optional(),
                 intAttr("chunks", "of the layers of each stage").atLeast(1).optional(),
                 listAttr("parameters", AttrKind::String,
                          "of what a served model runs for a batch: the tokens that it reads, the "
                          "requests that make a token each, and the contexts before them; the "
                          "program is written for the sizes of one sample")
                     .optional()},
       .regions = {program},
       .verifier = verifyProgram},
      {.name = "collective.schedule",
       .doc = "A collective algorithm for a number of ranks: sends of chunks, in order.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {stringAttr("algorithm", "its name"), stringAttr("collective", "what it is for"),
                 stringAttr("module", "in which it is declared").optional(),
                 intAttr("ranks", "how many").atLeast(1),
                 intAttr("chunks", "of a buffer").atLeast(1),
                 stringAttr("sends", "move, chunk, sender and receiver of each: `0 0 1 0, `"),
                 stringAttr("line", "of the lines of a workload that name it alone").optional()},
       .regions = {{{"collective.move"}}},
       .verifier = verifySchedule},
      {.name = "collective.move",
       .doc = "A line of an algorithm, from which sends come.",
       .attrs = {stringAttr("action", "what the receiver does").oneOf({"copy", "reduce"})}},
      {.name = "collective.run",
       .doc = "A sequence of phases on every rank.",
       .attrs = {symbolAttr("phase", "which").oneOf({"phase.sequence"})}},
      {.name = "collective.repeat",
       .doc = "Its region, so many times.",
       .attrs = {intAttr("count", "how often").atLeast(0)},
       .regions = {steps}}};
  for (const auto &more : {stepDeclarations(steps), transfers, traceDeclarations()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

llvm::ArrayRef<OpDecl> collective::collectiveOps() {
  static const std::vector<OpDecl> table = declarations();
  return table;
}
