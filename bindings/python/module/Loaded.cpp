// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/python/module/Loaded.h"

#include "bindings/python/module/Interrupt.h"
#include <array>
#include <charconv>
#include <stdexcept>

using namespace perfc;
using namespace perfc::python;

static bool setIn(api::Program &program, const std::string &name, const Given &value) {
  return std::visit([&](const auto &given) { return program.set(name, given); }, value);
}

static api::Setting settingOf(const std::string &name, const Given &value) {
  if (const std::string *text = std::get_if<std::string>(&value))
    return {name, *text, std::nullopt};
  std::array<char, 32> text;
  double number = std::get<double>(value);
  char *end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {name, std::string(text.data(), end), number};
}

thread_local const Loaded::Telling *Loaded::Telling::innermost = nullptr;

std::unique_lock<std::mutex> Loaded::waitForOthers() {
  for (const Telling *telling = Telling::innermost; telling; telling = telling->outer)
    if (&telling->program == this)
      throw std::runtime_error("the program is running: a progress function may only cancel it");
  return std::unique_lock<std::mutex>(busy);
}

Findings Loaded::findings() {
  auto guard = waitForOthers();
  return findingsOf(program, {});
}

Findings Loaded::check() {
  auto guard = waitForOthers();
  program.check();
  return findingsOf(program, {});
}

std::vector<api::Parameter> Loaded::parameters() {
  auto guard = waitForOthers();
  return program.parameters();
}

std::optional<std::string> Loaded::format() {
  auto guard = waitForOthers();
  return program.format();
}

std::pair<std::optional<std::string>, Findings> Loaded::ir(const std::string &level) {
  auto guard = waitForOthers();
  std::optional<std::string> text = program.ir(level);
  return {std::move(text), findingsOf(program, {})};
}

void Loaded::runPoint(Results &results, const std::vector<Axis> &axes, size_t number,
                      const api::RunSettings &settings) {
  std::vector<const Given *> values(axes.size());
  Settings point(axes.size());
  for (size_t i = axes.size(); i-- > 0;) {
    const auto &[name, choices] = axes[i];
    values[i] = &choices[number % choices.size()];
    number /= choices.size();
    point[i] = settingOf(name, *values[i]);
  }
  results.begin(std::move(point));
  bool areSet = true;
  for (size_t i = 0; i < axes.size() && areSet; ++i)
    areSet = setIn(program, axes[i].first, *values[i]);
  if (areSet)
    program.run(results, settings);
  results.end(program);
}

std::shared_ptr<Results> Loaded::sweep(const std::vector<Axis> &axes,
                                       const api::RunSettings &settings, bool endsOnInterrupt,
                                       Results::Listener listener) {
  auto guard = waitForOthers();
  isCancelled = false;
  auto results = std::make_shared<Results>();
  size_t count = 1;
  for (const Axis &axis : axes)
    count *= axis.second.size();
  results->listen(std::move(listener), count);
  Interrupt interrupt(program, endsOnInterrupt);
  for (size_t i = 0; i < count && !interrupt.hasCome() && !isCancelled; ++i) {
    runPoint(*results, axes, i, settings);
    results->pointEnds(i + 1);
  }
  results->listen(nullptr, 0);
  results->isInterrupted = interrupt.hasCome() || isCancelled;
  for (const Axis &axis : axes)
    program.reset(axis.first);
  return results;
}
