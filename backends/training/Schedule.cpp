// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Schedule.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

using namespace perfc;
using namespace perfc::training;
using passes::ScheduleKind;

double StageTime::least(ScheduleKind kind) const {
  // Gradients of weights may run beside messages.
  double open = kind == ScheduleKind::ZeroBubble ? std::max(0.0, waits() - weights) : waits();
  return kernels() + open;
}

void StageTime::add(const StageTime &other, double times) {
  forward += other.forward * times;
  backward += other.backward * times;
  weights += other.weights * times;
  for (auto [send, more] : {std::make_pair(&sendForward, &other.sendForward),
                            std::make_pair(&sendBackward, &other.sendBackward)}) {
    send->way += more->way * times;
    send->waits += more->waits * times;
  }
}

bool StageTime::operator==(const StageTime &other) const {
  auto all = [](const StageTime &time) {
    return std::make_tuple(time.forward, time.backward, time.weights, time.sendForward.way,
                           time.sendForward.waits, time.sendBackward.way, time.sendBackward.waits);
  };
  return all(*this) == all(other);
}

bool training::hasClosedForm(ScheduleKind kind, int64_t stages, int64_t microbatches,
                             const StageTime &stage) {
  bool canFill = stage.weights <= std::min(stage.forward, stage.backward / 2);
  return kind != ScheduleKind::ZeroBubble || (microbatches >= stages && canFill);
}

double training::closedFormTime(ScheduleKind kind, int64_t stages, int64_t microbatches,
                                int64_t chunks, const StageTime &stage) {
  double one = stage.forward + stage.backward;
  double fill = static_cast<double>(stages - 1) * one;
  if (kind == ScheduleKind::Interleaved)
    fill /= static_cast<double>(chunks);
  // The halves of the backward pass that wait for nothing fill the gaps.
  if (kind == ScheduleKind::ZeroBubble)
    fill = static_cast<double>(stages - 1) * std::max(0.0, one - 2 * stage.weights);
  return static_cast<double>(microbatches) * one + fill;
}

double training::microbatchesInFlight(ScheduleKind kind, int64_t stage, int64_t stages,
                                      int64_t microbatches, int64_t chunks) {
  double all = static_cast<double>(microbatches);
  double ahead = static_cast<double>(stages - stage);
  if (kind == ScheduleKind::GPipe)
    return all;
  // All stages hold as many as the first: what waits for its gradients of weights is still held.
  if (kind == ScheduleKind::ZeroBubble)
    return std::min(all, static_cast<double>(stages));
  if (kind == ScheduleKind::Interleaved && chunks > 1) {
    // 2 (p - s - 1) + (v - 1) p + 1 chunks of a microbatch, each 1 / v of the layers. With one
    // round all forward passes come first.
    double v = static_cast<double>(chunks), p = static_cast<double>(stages);
    return microbatches == stages ? all : std::min(all, (2 * (ahead - 1) + (v - 1) * p + 1) / v);
  }
  return std::min(all, ahead);
}

namespace {

/// One task of a stage's list.
struct Task {
  char kind;
  int64_t microbatch;
  int64_t chunk;
};

class Player {
public:
  /// Zero-bubble schedules put gradients of weights off unless `kind` is another one.
  Player(const passes::PipelineOrder &order, ScheduleKind kind, llvm::ArrayRef<StageTime> times)
      : order(order), kind(kind), times(times), p(order.stages()), m(order.microbatches),
        v(order.chunks), forwardEnd(p * m * v, -1), forwardThere(p * m * v, -1),
        backwardThere(p * m * v, -1) {
    assert(passes::hasWholeRounds(kind, p, m, v));
  }

  ScheduleResult run(std::vector<ScheduledTask> *tasks);

private:
  bool start(int64_t stage, const Task &task, double &at) const;
  double duration(int64_t stage, const Task &task) const;
  const StageTime &timeOf(int64_t stage, int64_t chunk) const { return times[stage * v + chunk]; }
  void finish(int64_t stage, const Task &task, double at);
  void makeGradients(int64_t stage, bool isForced, double before);
  size_t index(int64_t stage, int64_t microbatch, int64_t chunk) const {
    return static_cast<size_t>((stage * v + chunk) * m + microbatch);
  }

  const passes::PipelineOrder &order;
  ScheduleKind kind;
  llvm::ArrayRef<StageTime> times;
  int64_t p, m, v;
  std::vector<double> forwardEnd;
  std::vector<double> forwardThere, backwardThere; ///< when what a pass made is with the next stage
  std::vector<double> free;                        ///< when a stage's kernels are done
  std::vector<double> sent;                        ///< when it no longer waits for what it sends
  std::vector<double> linkFree; ///< when its last message is there: one goes at a time
  std::vector<double> held;
  std::vector<int64_t> waiting; ///< microbatches whose gradients of weights are not made, by stage
  std::vector<int64_t> made;    ///< those that are
  std::vector<ScheduledTask> *tasks = nullptr;
  ScheduleResult result;
};

} // namespace

double Player::duration(int64_t stage, const Task &task) const {
  const StageTime &time = timeOf(stage, task.chunk);
  if (task.kind == 'F')
    return time.forward;
  if (kind != ScheduleKind::ZeroBubble)
    return time.backward;
  return task.kind == 'W' ? time.weights : time.backward - time.weights;
}

/// When `task` can start; false while its input is not there.
bool Player::start(int64_t stage, const Task &task, double &at) const {
  at = std::max(free[stage], sent[stage]);
  auto after = [&](const std::vector<double> &there, int64_t from, int64_t chunk) {
    double time = there[index(from, task.microbatch, chunk)];
    at = std::max(at, time);
    return time >= 0;
  };
  int64_t last = p - 1, chunk = task.chunk;
  if (task.kind == 'F') {
    if (stage > 0)
      return after(forwardThere, stage - 1, chunk);
    return chunk == 0 || after(forwardThere, last, chunk - 1);
  }
  if (!after(forwardEnd, stage, chunk))
    return false;
  if (stage < last)
    return after(backwardThere, stage + 1, chunk);
  return chunk == v - 1 || after(backwardThere, 0, chunk + 1);
}

/// Enters a task that starts `at`.
void Player::finish(int64_t stage, const Task &task, double at) {
  double end = at + duration(stage, task);
  if (task.kind != 'W') {
    bool isForward = task.kind == 'F';
    size_t entry = index(stage, task.microbatch, task.chunk);
    const StageTime &time = timeOf(stage, task.chunk);
    const StageSend &send = isForward ? time.sendForward : time.sendBackward;
    double there = send.way > 0 ? std::max(end, linkFree[stage]) + send.way : end;
    (isForward ? forwardThere : backwardThere)[entry] = there;
    linkFree[stage] = std::max(linkFree[stage], there);
    if (isForward)
      forwardEnd[entry] = end;
    sent[stage] = end + send.waits;
  }
  bool isZero = kind == ScheduleKind::ZeroBubble;
  if (task.kind == 'F')
    held[stage] += 1.0 / static_cast<double>(v);
  else if (task.kind == (isZero ? 'W' : 'B'))
    held[stage] -= 1.0 / static_cast<double>(v);
  waiting[stage] += isZero && task.kind == 'B' ? 1 : task.kind == 'W' ? -1 : 0;
  result.inFlight[stage] = std::max(result.inFlight[stage], held[stage]);
  result.working[stage] += end - at;
  if (tasks)
    tasks->push_back({static_cast<int>(stage), task.kind, task.microbatch, task.chunk, at, end});
  free[stage] = end;
}

/// Gradients of weights that wait: those that are through `before` then, or where it is forced, as
/// many as it takes to hold no more microbatches than there are stages (ZB-H1).
void Player::makeGradients(int64_t stage, bool isForced, double before) {
  auto isDue = [&] {
    bool fits = free[stage] + timeOf(stage, 0).weights <= before * (1 + 1e-12);
    return fits || (isForced && held[stage] >= static_cast<double>(p));
  };
  while (waiting[stage] > 0 && isDue())
    finish(stage, {'W', made[stage]++, 0}, free[stage]);
}

ScheduleResult Player::run(std::vector<ScheduledTask> *list) {
  tasks = list;
  result.working.assign(p, 0);
  result.inFlight.assign(p, 0);
  result.sending.assign(p, 0);
  free.assign(p, 0);
  sent.assign(p, 0);
  linkFree.assign(p, 0);
  held.assign(p, 0);
  waiting.assign(p, 0);
  made.assign(p, 0);
  std::vector<std::vector<passes::StageTask>> orders;
  for (int64_t stage = 0; stage < p; ++stage)
    orders.push_back(order.tasksOf(stage));
  std::vector<size_t> next(p, 0);
  // Each round runs what can run; a schedule that is sound never stands still.
  for (bool moved = true; moved;) {
    moved = false;
    for (int64_t stage = 0; stage < p; ++stage) {
      while (next[stage] < orders[stage].size()) {
        const passes::StageTask &listed = orders[stage][next[stage]];
        Task task{listed.isBackward ? 'B' : 'F', listed.microbatch, listed.chunk};
        double at = 0;
        if (!start(stage, task, at))
          break;
        makeGradients(stage, task.kind == 'F', at);
        result.sending[stage] += std::max(0.0, sent[stage] - free[stage]);
        finish(stage, task, std::max(at, free[stage]));
        ++next[stage];
        moved = true;
      }
    }
  }
  for (int64_t stage = 0; stage < p; ++stage) {
    makeGradients(stage, false, std::numeric_limits<double>::infinity());
    result.sending[stage] += std::max(0.0, sent[stage] - free[stage]);
  }
  result.time = *std::max_element(free.begin(), free.end());
  return result;
}

ScheduleResult training::playSchedule(const passes::PipelineOrder &order,
                                      llvm::ArrayRef<StageTime> times,
                                      std::vector<ScheduledTask> *tasks) {
  ScheduleResult result = Player(order, order.kind, times).run(tasks);
  if (order.kind != ScheduleKind::ZeroBubble)
    return result;
  // Where stages differ, what was put off may delay more than it fills.
  std::vector<ScheduledTask> list;
  ScheduleResult plain = Player(order, ScheduleKind::OneFOneB, times).run(tasks ? &list : nullptr);
  if (plain.time >= result.time)
    return result;
  if (tasks)
    *tasks = std::move(list);
  return plain;
}

ScheduleResult training::playSchedule(ScheduleKind kind, llvm::ArrayRef<StageTime> times,
                                      int64_t microbatches, int64_t chunks,
                                      std::vector<ScheduledTask> *tasks) {
  auto stages = static_cast<int64_t>(times.size()) / chunks;
  return playSchedule(passes::orderOf(kind, stages, microbatches, chunks), times, tasks);
}
