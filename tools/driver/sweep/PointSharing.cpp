// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/sweep/PointSharing.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace perfc;
using namespace perfc::driver;
using namespace perfc::mapper;

//===-- Bytes
//----------------------------------------------------------------------------------===//

namespace {

/// Numbers as eight bytes, texts behind their length.
class Packer {
public:
  Packer &number(int64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return *this;
  }
  Packer &text(llvm::StringRef value) {
    number(static_cast<int64_t>(value.size()));
    bytes += value;
    return *this;
  }
  Packer &texts(const std::vector<std::string> &values) {
    number(static_cast<int64_t>(values.size()));
    for (const std::string &value : values)
      text(value);
    return *this;
  }
  Packer &place(SourceRange range) {
    return number(range.file).number(range.begin).number(range.end);
  }

  std::string bytes;
};

class Unpacker {
public:
  explicit Unpacker(llvm::StringRef bytes) : rest(bytes) {}
  int64_t number() {
    int64_t value = 0;
    std::memcpy(&value, rest.data(), sizeof(value));
    rest = rest.drop_front(sizeof(value));
    return value;
  }
  std::string text() {
    auto size = static_cast<size_t>(number());
    std::string value = rest.take_front(size).str();
    rest = rest.drop_front(size);
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values;
    for (int64_t count = number(); count > 0; --count)
      values.push_back(text());
    return values;
  }
  SourceRange place() {
    SourceRange range;
    range.file = static_cast<FileId>(number());
    range.begin = static_cast<uint32_t>(number());
    range.end = static_cast<uint32_t>(number());
    return range;
  }

private:
  llvm::StringRef rest;
};

/// What a process tells the first one.
enum class Message : int64_t { Ask, Outcome, Left };

} // namespace

static void packProblem(Packer &packer, const Diagnostic &problem) {
  packer.number(problem.kind->code).place(problem.range).text(problem.message);
  packer.number(static_cast<int64_t>(problem.remarks.size()));
  for (const Remark &remark : problem.remarks)
    packer.number(static_cast<int64_t>(remark.severity)).place(remark.range).text(remark.message);
}

static Diagnostic unpackProblem(Unpacker &unpacker) {
  Diagnostic problem{};
  int64_t code = unpacker.number();
  problem.kind =
      llvm::find_if(allDiagnosticKinds(), [&](const auto &kind) { return kind.code == code; });
  problem.range = unpacker.place();
  problem.message = unpacker.text();
  for (int64_t count = unpacker.number(); count > 0; --count) {
    Remark remark;
    remark.severity = static_cast<Severity>(unpacker.number());
    remark.range = unpacker.place();
    remark.message = unpacker.text();
    problem.remarks.push_back(std::move(remark));
  }
  return problem;
}

std::string driver::packOutcome(const PointOutcome &outcome) {
  Packer packer;
  packer.number(outcome.statement).number(outcome.point).number(outcome.isComplete);
  packer.number(static_cast<int64_t>(outcome.rows.size()));
  for (const StoredRow &row : outcome.rows)
    packer.number(row.row).text(row.bindings).text(row.label).text(row.metrics);
  packer.text(outcome.texts.asFirst).text(outcome.texts.asNext);
  packer.texts(outcome.texts.results).texts(outcome.texts.searches);
  packer.number(static_cast<int64_t>(outcome.problems.size()));
  for (const Diagnostic &problem : outcome.problems)
    packProblem(packer, problem);
  return packer.bytes;
}

PointOutcome driver::unpackOutcome(llvm::StringRef bytes) {
  Unpacker unpacker(bytes);
  PointOutcome outcome;
  outcome.statement = unpacker.number();
  outcome.point = unpacker.number();
  outcome.isComplete = unpacker.number() != 0;
  for (int64_t count = unpacker.number(); count > 0; --count) {
    StoredRow row;
    row.statement = outcome.statement;
    row.point = outcome.point;
    row.row = unpacker.number();
    row.bindings = unpacker.text();
    row.label = unpacker.text();
    row.metrics = unpacker.text();
    outcome.rows.push_back(std::move(row));
  }
  outcome.texts.asFirst = unpacker.text();
  outcome.texts.asNext = unpacker.text();
  outcome.texts.results = unpacker.texts();
  outcome.texts.searches = unpacker.texts();
  for (int64_t count = unpacker.number(); count > 0; --count)
    outcome.problems.push_back(unpackProblem(unpacker));
  return outcome;
}

//===-- The first process
//-----------------------------------------------------------------------===//

static bool hasErrors(const PointOutcome &outcome) {
  return llvm::any_of(outcome.problems, [](const Diagnostic &problem) {
    return problem.kind->severity == Severity::Error;
  });
}

void PointSharing::serve(ResultStore *store,
                         llvm::function_ref<void(const api::SharedPoint &)> each) {
  Packer known;
  std::vector<PointKey> points = store ? store->points() : std::vector<PointKey>();
  known.number(static_cast<int64_t>(points.size()));
  for (const auto &[statement, point] : points)
    known.number(statement).number(point);
  for (int rank = 1; rank < ranks.size(); ++rank)
    ranks.send(rank, known.bytes);
  std::map<int, int64_t> working;        // the number that each process has
  std::map<int64_t, PointOutcome> ready; // for those before them to come
  // Without a begin, whoever asks gets a number that no point has.
  int64_t next = hasBegun ? INT64_MAX / 2 : 0, printed = 0;
  hasBegun = hasLeft = true;
  auto printReady = [&] {
    for (auto first = ready.find(printed); first != ready.end(); first = ready.find(++printed)) {
      each(first->second);
      if (onOutcome)
        onOutcome(first->second);
      ready.erase(first);
    }
  };
  for (int left = 0; left < ranks.size() - 1;) {
    int from = -1;
    std::string bytes = ranks.receive(from);
    Unpacker message(bytes);
    auto kind = static_cast<Message>(message.number());
    if (kind == Message::Outcome) {
      PointOutcome outcome = unpackOutcome(llvm::StringRef(bytes).drop_front(sizeof(int64_t)));
      if (store && outcome.isComplete)
        store->add(outcome.statement, outcome.point, outcome.rows, !hasErrors(outcome),
                   diagnostics);
      ready[working[from]] = std::move(outcome);
      printReady();
    } else if (kind == Message::Ask) {
      working[from] = next;
      ranks.send(from, Packer().number(next++).bytes);
    } else {
      ++left;
    }
  }
}

//===-- The others
//------------------------------------------------------------------------------===//

void PointSharing::askForNext() {
  ranks.send(0, Packer().number(static_cast<int64_t>(Message::Ask)).bytes);
  int first = 0;
  std::string bytes = ranks.receive(first);
  assigned = Unpacker(bytes).number();
}

bool PointSharing::takes(int64_t statement, int64_t point) {
  if (!hasBegun) {
    hasBegun = true;
    int first = 0;
    std::string bytes = ranks.receive(first);
    Unpacker known(bytes);
    for (int64_t count = known.number(); count > 0; --count) {
      int64_t of = known.number();
      done.emplace(of, known.number());
    }
    askForNext();
  }
  if (done.count({statement, point}) || seen++ != assigned)
    return false;
  current.emplace();
  current->statement = statement;
  current->point = point;
  return true;
}

void PointSharing::finished(std::vector<StoredRow> rows) {
  current->isComplete = true;
  current->rows = std::move(rows);
}

void PointSharing::send(size_t first) {
  PointTexts texts = takePrinted();
  if (!current)
    return;
  current->texts = std::move(texts);
  for (const Diagnostic &problem : diagnostics.all().drop_front(first))
    current->problems.push_back(problem);
  ranks.send(0,
             Packer().number(static_cast<int64_t>(Message::Outcome)).bytes + packOutcome(*current));
  current.reset();
  askForNext();
}

void PointSharing::leave() {
  if (std::exchange(hasLeft, true))
    return;
  if (handsOut()) {
    hasBegun = true;
    return serve(nullptr, [](const api::SharedPoint &) {});
  }
  ranks.send(0, Packer().number(static_cast<int64_t>(Message::Left)).bytes);
}
