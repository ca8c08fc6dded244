// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libperfc: load a `.perf` program, run it, ask about a place in it. Nothing is global: programs in
// several threads do not see each other; one program is used by one thread at a time, except for
// `cancel`. Nothing throws but std::bad_alloc, and nothing prints. Figures are in SI units: s, J,
// m2, B, Hz and their products, with USD, tokens and requests.
#ifndef PERFC_PROGRAM_H
#define PERFC_PROGRAM_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifndef PERFC_EXPORT
#define PERFC_EXPORT __attribute__((visibility("default")))
#endif

namespace perfc::api {

/// A place in a text: line and column from 1; line 0 for nowhere.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
};

/// A mistake or a warning, with the notes and helps below it.
struct Problem {
  std::string severity; ///< "error", "warning", "note" or "help"
  unsigned code = 0;    ///< 123 for PERF0123; 0 of notes and helps
  std::string message;
  Place place;
  std::vector<Problem> remarks;
};

/// A figure of a result.
struct Metric {
  std::string name; ///< as `report` names it
  std::string unit; ///< "s", "m2", "B/s", "" for a number
  double value = 0;
  double halfWidth = 0; ///< of the central 90 % interval; 0 where it is exact
  std::string text;     ///< a word in place of a number (`bottleneck`)
  std::string notGiven; ///< why there is no value

  bool hasNumber() const { return text.empty() && notGiven.empty(); }
};

/// What a sweep has set.
struct Setting {
  std::string name;
  std::string text;            ///< as written
  std::optional<double> value; ///< of a number, in base units
};

/// What a memory of the chip moves, all its instances together.
struct Memory {
  std::string name;
  bool isOffChip = false;
  double readBytes = 0, writeBytes = 0; ///< B
  double latency = 0;                   ///< s of its traffic alone; 0 without a bandwidth
  std::optional<double> energy;         ///< J, where it is known
};

/// How a `search` came to its result.
struct Search {
  std::string goal;            ///< as written
  double value = 0;            ///< of the goal
  std::optional<double> bound; ///< no mapping has less
  bool isProven = false;       ///< that none is better
  int64_t evaluated = 0;       ///< complete mappings
  std::string mappings;        ///< the best ones, as a program has them
};

/// One of several providers that an ensemble has asked.
struct Member {
  std::string provider;
  double latency = 0;   ///< s
  double halfWidth = 0; ///< of the central 90 % interval
  double weight = 0;    ///< of 1
};

/// What a part of a result takes, all its runs together; those of its parts are of one run.
struct Part {
  std::string label;
  std::string kind; ///< "kernel", "collective", "phase", "repeat", "compute", "memory", …
  Place place;
  int64_t count = 1;
  double latency = 0;           ///< s
  std::optional<double> energy; ///< J, where it is known
  double macs = 0, flops = 0;
  double bytes = 0; ///< that a memory moves
  double utilization = 0;
  std::string bound, provider, mapping;
  std::vector<Part> parts;
};

/// What a `report` asks for. In the block of a statement a row for the result, or one for each of
/// its parts; at file level a table for each column: of a result its rows under the usual metrics,
/// or its parts, of a figure its value for each result that it is about.
struct Table {
  struct Row {
    std::string label;
    std::vector<Metric> cells; ///< one for each column, by which they are called
  };
  std::string name;                 ///< what it is about: "a", "a.latency / b.latency"
  std::string by;                   ///< "kernel", "memory", …; "" for a row of the whole result
  std::vector<std::string> columns; ///< as written
  std::vector<Row> rows;
};

/// The outcome of an `expect`.
struct Expectation {
  std::string text;
  bool holds = false;
  std::optional<double> probability; ///< that it holds, where `confidence` asks
  Place place;
};

/// One evaluation, row of a comparison, or point of a sweep.
struct PERFC_EXPORT Result {
  std::string statement; ///< "evaluate", "train", "serve", "search", "replay", …
  std::string name;      ///< given by `as`, or made from the statement's word
  std::string label;     ///< "conv1 on eyeriss_like with row_stationary"
  std::string subject, on;
  std::vector<Setting> point;
  Place place;
  /// With members of distributions (`ttft.p99`) and those that the file declares.
  std::vector<Metric> metrics;
  Part breakdown;
  std::vector<Memory> memories; ///< outermost first
  std::optional<Search> search;
  std::vector<Member> ensemble; ///< none without `using ensemble(…)`
  std::vector<Expectation> expectations;
  std::vector<Table> tables; ///< that `report` in its block asks for
  std::vector<std::string> notes;
  /// Who computed it, by what mapping and formula.
  std::string provider, mapping, formula;

  /// Null when there is none of that name.
  const Metric *find(std::string_view metric) const;
};

/// Is told what a run finds, from the thread that runs it, and how far it is, also from the threads
/// of its searches, one at a time. It must not throw: the library cleans nothing up behind an
/// exception.
class PERFC_EXPORT Sink {
public:
  virtual ~Sink();
  /// A result, as soon as it is there, to keep.
  virtual void result(Result result);
  /// What a `report` at file level asks for, where it stands among the results.
  virtual void table(Table table);
  /// The statement that the run is at, in words.
  virtual void at(const std::string &what);
  /// `done` of `total` points of a sweep, or of what the statement at hand looks through.
  virtual void count(bool ofSweep, int64_t done, int64_t total);
  /// The best that it has found so far, in words.
  virtual void best(bool ofSweep, const std::string &what);
};

/// Which statements a run evaluates: all, searches or sweeps with what stands in them.
enum class Statements : uint8_t { All, Searches, Sweeps };

struct RunSettings {
  Statements which = Statements::All;
  unsigned threads = 0; ///< of searches; 0 for as many as there are cores
  uint64_t seed = 1;
  std::optional<double> within; ///< s for each search, in place of what it says
  bool writesFiles = false;     ///< whether `emit` writes what it asks for
};

/// What stands at a place of a program.
struct Answer {
  std::string name;
  std::string kind;        ///< "op", "hardware", "let", …; "word" of a word of the language
  std::string declaration; ///< its head as written
  std::string module;      ///< what to import for it; "" of the program itself
  std::string value;       ///< of a constant or parameter: "8 GiB"
  std::string documentation;
  Place place; ///< of the declaration; nowhere of words
};

/// A `param` of a program.
struct Parameter {
  std::string name;
  std::string documentation;
  std::string value; ///< as written
  std::string unit;  ///< in which numbers set it: "B/s"; "" for a number, and where it is none
  std::vector<std::string> values; ///< that it may take, as written; none where it is free
  Place place;
};

class PERFC_EXPORT Program {
public:
  using Defines = std::vector<std::pair<std::string, std::string>>;

  /// Parses and checks `text` with all that it imports; `name` is what messages call it, and
  /// relative imports start from it. `defines` set its parameters, as `-D name=value`. Where the
  /// name ends in `.ir` it is a text of the IR: read, verified and run, without parameters or
  /// places.
  static Program load(std::string text, const std::string &name = "program.perf",
                      const Defines &defines = {});
  static Program loadFile(const std::string &path, const Defines &defines = {});
  Program(Program &&) noexcept;
  Program &operator=(Program &&) noexcept;
  ~Program();

  /// What is wrong: of the load, then of the last run or `set`.
  std::vector<Problem> problems() const;
  /// The same as a terminal shows it, each with its line and a caret.
  std::string problemsText() const;
  /// The same as the document that `--diagnostics json` prints.
  std::string problemsJson() const;
  /// True unless one of the problems is an error.
  bool isGood() const;

  /// Its parameters, in file order, with the values that they have now.
  std::vector<Parameter> parameters();
  /// Sets a parameter for the runs that follow, without parsing or checking anything else again.
  /// False when the program has no such parameter, or `value` is no value of it
  /// (reported); it is then as it was.
  bool set(std::string_view parameter, double value);
  bool set(std::string_view parameter, const std::string &value);
  /// Gives a parameter the value again that it had after the load; false when there is none.
  bool reset(std::string_view parameter);

  /// Looks for what can be known to be wrong without evaluating: builds all statements, of a sweep
  /// some points, and lowers them to loop nests. False when something is (reported).
  bool check();
  /// Evaluates all statements. False when one has an error (reported), an `expect` that fails
  /// included; the others have results all the same.
  bool run(Sink &sink, const RunSettings &settings = {});
  /// The results of a run as the document that `perfc run --json` prints (docs/output.md).
  std::string runJson(const RunSettings &settings = {});
  /// Ends a run soon, from any thread: a search with the best so far, a `serve` without a result.
  void cancel();

  /// The text in the one style of the language; nothing where it has syntax errors.
  std::optional<std::string> format() const;
  /// The IR of the program at "op", "loopnest", "tile", "phase" or "collective"; nothing after a
  /// report.
  std::optional<std::string> ir(std::string_view level);
  /// What the name or word at a place means; nothing where there is none. Lines and columns from 1.
  std::optional<Answer> at(unsigned line, unsigned column);

private:
  struct State;
  explicit Program(std::unique_ptr<State> state);
  static Program checked(std::unique_ptr<State> state, const Defines &defines);
  std::unique_ptr<State> state;
};

/// Execution traces as text of the language.
struct Traces {
  std::string declaration; ///< of `subject`; "" where a file is wrong
  std::string subject;
  bool isReplayed = false; ///< `subject` is a `trace`, which `replay` runs; else it is a workload
  std::vector<Problem> problems;
  std::string text; ///< these as a terminal shows them
};

/// Formats of execution traces, with the suffix of their files.
PERFC_EXPORT std::vector<std::pair<std::string, std::string>> traceFormats();
/// Traces in one of these formats, a file for each rank; of PyTorch of one process.
PERFC_EXPORT Traces readTraces(const std::string &format, const std::vector<std::string> &files);

/// What the library declares, by module; without values.
PERFC_EXPORT std::vector<Answer> library();

/// "0.1.0"
PERFC_EXPORT const char *version();

} // namespace perfc::api

#endif // PERFC_PROGRAM_H
