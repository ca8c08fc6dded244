// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Separation.h"

#include <algorithm>
#include <set>

using namespace perfc;
using namespace perfc::api;

/// sum += count * term, without zeros.
static void addRuns(KernelRuns &sum, const KernelRuns &term, int64_t count = 1) {
  for (const auto &[kernel, runs] : term)
    if ((sum[kernel] += runs * count) == 0)
      sum.erase(kernel);
}

namespace {

/// Values, other than the first ones, of two names each, which no point has had at once so far.
class OpenPairs {
public:
  explicit OpenPairs(llvm::ArrayRef<unsigned> sizes) : sizes(sizes) {
    for (unsigned i = 0; i < sizes.size(); ++i)
      for (unsigned j = i + 1; j < sizes.size(); ++j)
        for (unsigned a = 1; a < sizes[i]; ++a)
          for (unsigned b = 1; b < sizes[j]; ++b)
            open.insert({{i, a}, {j, b}});
  }

  bool empty() const { return open.empty(); }
  /// A point with the first of them, and with more of them as each further name adds most.
  Separation::Choice next() const {
    Separation::Choice choice(sizes.size(), 0);
    auto [one, other] = *open.begin();
    choice[one.first] = one.second;
    choice[other.first] = other.second;
    for (unsigned i = 0; i < sizes.size(); ++i)
      if (i != one.first && i != other.first)
        choice[i] = bestValue(choice, i);
    return choice;
  }
  void close(const Separation::Choice &choice) {
    for (unsigned i = 0; i < choice.size(); ++i)
      for (unsigned j = i + 1; j < choice.size(); ++j)
        open.erase({{i, choice[i]}, {j, choice[j]}});
  }

private:
  using NameValue = std::pair<unsigned, unsigned>;

  unsigned bestValue(const Separation::Choice &choice, unsigned name) const {
    size_t most = 0;
    unsigned best = 1 % sizes[name]; // kernels of the first value are those of the base
    for (unsigned value = 1; value < sizes[name]; ++value) {
      size_t closed = 0;
      for (unsigned i = 0; i < choice.size(); ++i)
        if (choice[i] != 0 && i != name) {
          NameValue a{i, choice[i]}, b{name, value};
          closed += open.count({std::min(a, b), std::max(a, b)});
        }
      if (closed > most) {
        most = closed;
        best = value;
      }
    }
    return best;
  }

  llvm::ArrayRef<unsigned> sizes;
  std::set<std::pair<NameValue, NameValue>> open;
};

} // namespace

size_t Separation::partOf(const Group &group, const Choice &choice) const {
  size_t number = 0;
  for (unsigned name : group.names)
    number = number * sizes[name] + choice[name];
  return number;
}

const KernelRuns *Separation::at(const Choice &choice, Runs runs, size_t most) {
  auto found = known.find(choice);
  if (found != known.end())
    return &found->second;
  if (order.size() == most)
    return nullptr;
  llvm::Optional<KernelRuns> ran = runs(choice);
  if (!ran)
    return nullptr;
  order.push_back(choice);
  return &known.emplace(choice, std::move(*ran)).first->second;
}

/// Evaluates the combinations of a group, all other names at their first values.
bool Separation::tabulate(Group &group, Runs runs, size_t most) {
  Choice choice(sizes.size(), 0);
  size_t count = 1;
  for (unsigned name : group.names)
    count *= sizes[name];
  if (count > most)
    return false;
  group.parts.clear();
  for (size_t number = 0; number < count; ++number) {
    size_t rest = number;
    for (unsigned name : llvm::reverse(group.names)) {
      choice[name] = static_cast<unsigned>(rest % sizes[name]);
      rest /= sizes[name];
    }
    const KernelRuns *ran = at(choice, runs, most);
    if (!ran)
      return false;
    group.parts.push_back(*ran);
    addRuns(group.parts.back(), shared, -1);
  }
  return true;
}

bool Separation::holds(const Choice &choice, const KernelRuns &runs) const {
  KernelRuns rest = runs;
  addRuns(rest, shared, -1);
  for (const Group &group : all)
    addRuns(rest, group.parts[partOf(group, choice)], -1);
  return rest.empty();
}

/// Makes one group of those at fault for `choice`, which is no sum: each without which it still is
/// none stays as it was.
bool Separation::join(const Choice &choice, Runs runs, size_t most) {
  Choice least = choice;
  Group joined;
  std::vector<Group> others;
  for (Group &group : all) {
    Choice without = least;
    for (unsigned name : group.names)
      without[name] = 0;
    const KernelRuns *ran = at(without, runs, most);
    if (!ran)
      return false;
    if (without == least || !holds(without, *ran)) {
      least = std::move(without);
      others.push_back(group);
    } else {
      llvm::append_range(joined.names, group.names);
    }
  }
  llvm::sort(joined.names);
  if (!tabulate(joined, runs, most))
    return false;
  all = std::move(others);
  all.push_back(std::move(joined));
  return true;
}

/// Runs that all parts of a group have at least are common: what is left is never negative.
void Separation::makePositive() {
  for (Group &group : all) {
    KernelRuns least;
    for (const KernelRuns &part : group.parts)
      for (const auto &[kernel, runs] : part)
        least.try_emplace(kernel, INT64_MAX);
    for (auto &[kernel, runs] : least)
      for (const KernelRuns &part : group.parts) {
        auto found = part.find(kernel);
        runs = std::min(runs, found == part.end() ? 0 : found->second);
      }
    for (KernelRuns &part : group.parts)
      addRuns(part, least, -1);
    addRuns(shared, least);
  }
  llvm::sort(all, [](const Group &a, const Group &b) { return a.names.back() < b.names.back(); });
}

bool Separation::search(Runs runs, size_t most) {
  const KernelRuns *base = at(Choice(sizes.size(), 0), runs, most);
  if (!base)
    return false;
  shared = *base;
  for (unsigned i = 0; i < sizes.size(); ++i) {
    all.push_back({{i}, {}});
    if (!tabulate(all.back(), runs, most))
      return false;
  }
  // Two names with many values have as many pairs.
  std::vector<unsigned> largest = sizes;
  llvm::sort(largest, std::greater<>());
  if (sizes.size() > 1 && size_t(largest[0] - 1) * (largest[1] - 1) > most)
    return false;
  OpenPairs pairs(sizes);
  for (size_t checked = 0; checked < order.size() || !pairs.empty();) {
    if (checked == order.size()) {
      Choice next = pairs.next();
      pairs.close(next);
      if (!at(next, runs, most))
        return false;
    } else if (Choice choice = order[checked]; holds(choice, known.find(choice)->second)) {
      ++checked;
    } else if (join(choice, runs, most)) {
      checked = 0; // by the new group
    } else {
      return false;
    }
  }
  makePositive();
  return true;
}

llvm::Optional<Separation> Separation::find(llvm::ArrayRef<unsigned> sizes, Runs runs,
                                            size_t most) {
  Separation result(sizes);
  return result.search(runs, most) ? llvm::Optional<Separation>(std::move(result)) : llvm::None;
}
