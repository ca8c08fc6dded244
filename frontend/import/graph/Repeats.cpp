// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Repeats.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <fmt/format.h>
#include <map>

using namespace perfc;
using namespace perfc::graph;

namespace {

/// Longest block that is looked for, and how many lengths are tried at a line.
constexpr size_t longestBlock = 2000;
constexpr size_t mostTries = 8;
/// Comparisons of lines in all, so that no graph takes long.
constexpr size_t mostWork = 1u << 23;

/// A line as text with holes, and the lines whose names stand in the holes.
struct Parsed {
  std::string form;
  std::vector<size_t> uses;
};

class Folder {
public:
  Folder(std::vector<Line> lines, std::vector<std::string> &results)
      : lines(std::move(lines)), results(results) {}
  Folded run();

private:
  void parse();
  size_t blocksFrom(size_t first, size_t length, size_t &carried);
  size_t closedBlocks(size_t first, size_t length, size_t count, size_t carried) const;
  std::string text(size_t line, const std::map<size_t, std::string> &names) const;

  std::vector<Line> lines;
  std::vector<std::string> &results;
  std::vector<Parsed> parsed;
  std::vector<size_t> lastUse;  ///< of a line's name; one behind all lines for a result
  std::vector<size_t> nextSame; ///< the next line of the same form, or none
  size_t work = mostWork;       ///< comparisons that are left
};

} // namespace

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

void Folder::parse() {
  llvm::StringMap<size_t> numbers;
  for (size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].isFixed)
      numbers[lines[i].name] = i;
  lastUse.assign(lines.size(), 0);
  for (size_t i = 0; i < lines.size(); ++i) {
    Parsed line;
    llvm::StringRef rest = lines[i].text;
    while (!rest.empty()) {
      llvm::StringRef word = rest.take_while(isWord);
      rest = rest.drop_front(word.size());
      auto found = numbers.find(word);
      if (found != numbers.end() && found->second != i) {
        line.form += '$';
        line.uses.push_back(found->second);
        lastUse[found->second] = std::max(lastUse[found->second], i);
      } else if (found != numbers.end()) {
        line.form += '@';
      } else {
        line.form += word.str();
      }
      if (!rest.empty()) {
        line.form += rest.front();
        rest = rest.drop_front();
      }
    }
    parsed.push_back(std::move(line));
  }
  for (const std::string &result : results)
    if (auto found = numbers.find(result); found != numbers.end())
      lastUse[found->second] = lines.size();
  std::map<std::string, size_t> seen;
  nextSame.assign(lines.size(), SIZE_MAX);
  for (size_t i = lines.size(); i-- > 0;) {
    auto [entry, isNew] = seen.try_emplace(parsed[i].form, i);
    if (!isNew)
      nextSame[i] = std::exchange(entry->second, i);
  }
}

/// How many blocks of `length` lines from `first` on are equal, where each takes the result of its
/// last line to the next. `carried` becomes the line whose value the first one takes.
size_t Folder::blocksFrom(size_t first, size_t length, size_t &carried) {
  size_t count = 1;
  carried = SIZE_MAX;
  for (;; ++count) {
    size_t begin = first + count * length;
    if (begin + length > lines.size())
      return count;
    for (size_t i = 0; i < length; ++i) {
      const Parsed &a = parsed[first + i], &b = parsed[begin + i];
      if (work == 0 || lines[first + i].isFixed || lines[begin + i].isFixed)
        return 1;
      --work;
      if (a.form != b.form || lines[first + i].ranks != lines[begin + i].ranks)
        return count;
      for (size_t k = 0; k < a.uses.size(); ++k) {
        size_t x = a.uses[k], y = b.uses[k];
        if (x >= first ? y == x + count * length : y == x)
          continue; // in the block, or the same tensor for all
        if (x >= first || y != begin - 1 || (carried != SIZE_MAX && carried != x))
          return count;
        carried = x;
      }
    }
    if (carried == SIZE_MAX || lines[carried].ranks != lines[first + length - 1].ranks)
      return 1;
  }
}

/// How many of `count` blocks can be one: of the last one's result alone anything is used outside,
/// and what the first one takes nowhere else.
size_t Folder::closedBlocks(size_t first, size_t length, size_t count, size_t carried) const {
  if (lastUse[carried] >= first + length)
    return 1;
  for (size_t i = first; i < first + count * length; ++i) {
    size_t block = (i - first) / length, next = first + (block + 1) * length;
    bool isResult = i + 1 == next;
    if (!isResult && lastUse[i] >= next)
      count = std::min(count, block);
    else if (isResult && lastUse[i] >= next + length)
      count = std::min(count, block + 1);
  }
  return count;
}

std::string Folder::text(size_t line, const std::map<size_t, std::string> &names) const {
  auto nameOf = [&](size_t number) {
    auto found = names.find(number);
    return found == names.end() ? lines[number].name : found->second;
  };
  std::string result;
  size_t next = 0;
  for (char c : parsed[line].form)
    if (c == '$')
      result += nameOf(parsed[line].uses[next++]);
    else if (c == '@')
      result += nameOf(line);
    else
      result += c;
  return result;
}

Folded Folder::run() {
  parse();
  std::map<size_t, std::string> names; ///< of lines whose values go by another name
  Folded result;
  auto add = [&](size_t line, llvm::StringRef indent) {
    result.makers.emplace_back(result.text.size(), lines[line].op);
    result.text += indent.str() + text(line, names) + "\n";
  };
  for (size_t i = 0; i < lines.size();) {
    size_t bestLength = 0, bestCount = 1, bestCarried = 0, tries = 0;
    for (size_t j = nextSame[i]; j != SIZE_MAX && j - i <= longestBlock && tries < mostTries;
         j = nextSame[j], ++tries) {
      size_t carried = 0, length = j - i, count = blocksFrom(i, length, carried);
      if (count > 1)
        count = closedBlocks(i, length, count, carried);
      if (count > 1 && length > 1 && count * length > bestCount * bestLength) {
        bestLength = length;
        bestCount = count;
        bestCarried = carried;
      }
    }
    if (bestCount == 1) {
      add(i, "  ");
      ++i;
      continue;
    }
    auto known = names.find(bestCarried);
    std::string name = known == names.end() ? lines[bestCarried].name : known->second;
    names[i + bestLength - 1] = name;
    result.text += fmt::format("  repeat {} {{\n", bestCount);
    for (size_t k = 0; k < bestLength; ++k)
      add(i + k, "    ");
    result.text += "  }\n";
    i += bestCount * bestLength;
    names[i - 1] = name;
  }
  for (std::string &one : results)
    for (const auto &[line, name] : names)
      if (lines[line].name == one) {
        one = name;
        break;
      }
  return result;
}

Folded graph::foldRepeats(std::vector<Line> lines, std::vector<std::string> &results) {
  return Folder(std::move(lines), results).run();
}
