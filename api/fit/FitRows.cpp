// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/FitRows.h"

#include "api/Evaluation.h"
#include "api/LoweredRows.h"
#include "api/Providers.h"
#include "api/fit/ChipFit.h"
#include "api/fit/FitText.h"
#include "api/fit/UsedLibraries.h"
#include "ir/study/AllOps.h"
#include "ir/target/LayerFigures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <atomic>
#include <thread>

using namespace perfc;
using namespace perfc::api;

static std::vector<const FitConstant *> constantsOf(llvm::ArrayRef<Fit> fits) {
  std::vector<const FitConstant *> constants;
  for (const Fit &fit : fits)
    for (const FitLine &line : fit.lines) {
      for (const FitConstant &constant : line.constants)
        constants.push_back(&constant);
      if (line.mean)
        constants.push_back(&*line.mean);
    }
  return constants;
}

namespace {
/// Texts and mistakes that nobody sees.
struct OwnTexts {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
};
} // namespace

/// The program once more, for one thread.
class FitRows::Worker {
public:
  /// `own` is null for the thread whose mistakes are shown.
  Worker(std::unique_ptr<OwnTexts> own, SourceManager &texts, DiagnosticEngine &diagnostics)
      : own(std::move(own)), texts(texts), diagnostics(diagnostics),
        compilation(texts, diagnostics, allOps()) {}

  void load(FileId file, Compilation::Defines defines) {
    if (compilation.load(file, defines) || compilation.canRun()) {
      compilation.check(); // which reports what is wrong with fits as well
      if (diagnostics.hasErrors())
        return;
      fits = compilation.fits();
      for (const Fit &fit : fits)
        for (const Module *module : fit.tables)
          compilation.addTables(*module);
      hasTables = llvm::any_of(fits, [](const Fit &fit) { return !fit.tables.empty(); });
      constants = constantsOf(fits);
      for (const FitConstant *constant : constants) { // one of several fits has one source
        auto first = llvm::find_if(
            constants, [&](const FitConstant *other) { return other->place == constant->place; });
        sources.push_back(uncertaintySource("<constant>", first - constants.begin()));
      }
    }
  }

  /// Sets what has a value; with `interval`, a share, the constant is the source of one.
  void set(const ConstantValues &values, double interval = 0) {
    std::vector<std::pair<const FitConstant *, Uncertain>> set;
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i])
        set.emplace_back(constants[i], Uncertain(*values[i], interval * *values[i], sources[i]));
    compilation.setConstants(set);
  }

  /// With a watcher mistakes are shown as well.
  std::vector<ValidationRow> predict(const Adjust &adjust = nullptr, Watcher *shownTo = nullptr) {
    RunOptions options;
    options.adjust = adjust;
    return run(options, shownTo);
  }

  std::vector<ValidationRow> attempt(bool isLearning) {
    RunOptions options;
    options.lowered = &lowered;
    options.findsIntervals = false;
    lowered.isLearning = isLearning;
    compilation.keepGraphs(true);
    std::vector<ValidationRow> rows = run(options, /*shownTo=*/nullptr);
    compilation.keepGraphs(false);
    return rows;
  }

  std::vector<ValidationRow> run(RunOptions &options, Watcher *shownTo) {
    size_t known = diagnostics.all().size();
    options.which = RunOptions::Which::Tables;
    options.calibrates = false;
    Evaluation evaluation({texts, diagnostics, shownTo ? *shownTo : nobody}, providers, options);
    evaluation.run(compilation, [](const Evaluated &) {});
    std::vector<ValidationRow> rows;
    for (const PredictedTable &table : evaluation.tables()) {
      for (const ValidationRow &row : table.rows) {
        rows.push_back(row);
        if (hasTables)
          rows.back().labels.emplace_back("table",
                                          llvm::sys::path::stem(texts.path(table.place.file)));
      }
    }
    if (!shownTo) // what is wrong with a row is in its prediction
      diagnostics.truncate(known);
    return rows;
  }

  /// Which constants each wanted row has in it, where `set` made them sources.
  std::vector<std::vector<size_t>> uses() {
    size_t known = diagnostics.all().size();
    std::vector<std::vector<size_t>> found(1);
    compilation.forEachUnit([&](ir::Module &module) {
      const ir::Operation *point = pointOf(module);
      if (!isRow(point))
        return true;
      UsedLibraries used(module);
      module.walk([&](const ir::Operation &op) {
        for (const ir::Operation::NamedAttribute &attr : op.attrs())
          if (used.include(op))
            addUses(attr.value, found.back());
      });
      if (!ir::as<study::PointOp>(*point).isOpen())
        found.emplace_back();
      return true;
    });
    found.pop_back();
    diagnostics.truncate(known);
    return found;
  }

  /// The chip's declaration's base, else the chip, and the line that imports it.
  LayeredChip layered(const ir::Operation &chip) {
    const Module &root = compilation.rootModule();
    LayeredChip found{chip.symbol().str(), "", chip.dictAttr("layers"), {}};
    for (llvm::StringRef flag : target::layerFlags)
      if (chip.hasAttr(flag))
        found.flags.push_back(flag.str());
    const Decl *decl = compilation.program().lookup(root, chip.symbol()).decl;
    std::string base = decl ? baseOf(*decl, texts) : "";
    llvm::StringRef name = llvm::StringRef(base).split('(').first;
    // The base is seen by the module of the chip, which the root need not import.
    const Decl *of = decl ? compilation.program().lookup(*decl->module, name).decl : nullptr;
    found.base = of ? base : found.base;
    if (of || decl)
      found.import = importLine(of ? *of : *decl, texts.path(root.file), texts);
    return found;
  }

  LayeredChip layers() {
    size_t known = diagnostics.all().size();
    LayeredChip found;
    compilation.forEachUnit([&](ir::Module &module) {
      for (const ir::Operation &op : module.body())
        if (isRow(pointOf(module)) && op.is(target::ChipOp::opName) && op.hasAttr("layers"))
          found = layered(op);
      return found.layers.empty();
    });
    diagnostics.truncate(known);
    return found;
  }

  /// Builds from now on those of the rows that belong to this worker, the `number`-th of `count`;
  /// their places in `numbers`.
  std::vector<size_t> choose(llvm::ArrayRef<size_t> numbers, size_t number, size_t count) {
    std::vector<size_t> places;
    for (size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] % count == number)
        places.push_back(i);
    compilation.chooseRows([=](size_t row) {
      return row % count == number && std::binary_search(numbers.begin(), numbers.end(), row);
    });
    return places;
  }

  Compilation &program() { return compilation; }
  std::vector<Fit> fits;
  std::vector<const FitConstant *> constants;

private:
  void addUses(const ir::Attribute &value, std::vector<size_t> &found) const;

  std::unique_ptr<OwnTexts> own;
  SourceManager &texts;
  DiagnosticEngine &diagnostics;
  std::vector<UncertaintySource> sources; ///< of the constants, where they are such
  Watcher nobody;
  ProviderSet providers = defaultProviders();
  Compilation compilation;
  LoweredRows lowered;
  bool hasTables = false; ///< of other modules
};

void FitRows::Worker::addUses(const ir::Attribute &value, std::vector<size_t> &found) const {
  if (value.is(ir::AttrKind::List))
    for (const ir::Attribute &element : value.asList())
      addUses(element, found);
  if (value.is(ir::AttrKind::Dict))
    for (const ir::AttrDict::Entry &entry : value.asDict().entries())
      addUses(entry.second, found);
  if (!value.is(ir::AttrKind::Quantity))
    return;
  Uncertain number = value.asQuantity().toUncertain();
  for (const Uncertain::Contribution &part : number.contributions())
    for (size_t i = 0; i < constants.size(); ++i)
      if (part.source == sources[i] && !llvm::is_contained(found, i))
        found.push_back(i);
}

/// The names in `value`, an expression of a metric, that results may have.
static void addNames(const ir::Attribute &value, std::set<std::string> &names) {
  if (value.is(ir::AttrKind::String))
    names.insert(llvm::StringRef(value.asString()).split('.').first.str());
  if (value.is(ir::AttrKind::List))
    for (const ir::Attribute &element : value.asList())
      addNames(element, names);
}

/// Adds the names of results that the metrics of a row are of; "*" for any, as metrics of the file
/// may be of others.
static void addResults(const ir::Module &module,
                       std::map<std::string, std::set<std::string>> &resultsOf) {
  bool hasOthers = false;
  module.walk([&](const ir::Operation &op) { hasOthers |= op.is(study::MetricOp::opName); });
  module.walk([&](const ir::Operation &op) {
    auto against = ir::as<study::AgainstOp>(op);
    if (!against || against.pair().empty())
      return;
    std::set<std::string> &names = resultsOf[against.text().str()];
    addNames(against.pair()[0], names);
    if (hasOthers)
      names.insert("*");
  });
}

FitRows::FitRows(Context context, FileId file, Compilation::Defines defines, unsigned threads,
                 Wanted wanted)
    : context(context) {
  workers.push_back(std::make_unique<Worker>(nullptr, context.sources, context.diagnostics));
  Worker &first = *workers.front();
  first.load(file, defines);
  if (context.diagnostics.hasErrors())
    return;
  auto isFamily = [](const Fit &fit) { return fit.family.hasValue(); };
  if (wanted == Wanted::Families && llvm::none_of(first.fits, isFamily))
    return;
  first.program().chooseRows([](size_t) { return true; });
  bool areFamilies = wanted == Wanted::Chip || llvm::all_of(first.fits, isFamily);
  first.program().buildRowStatements(!areFamilies || first.fits.empty());
  asWritten =
      first.predict([&](ir::Module &module) { addResults(module, resultsOf); }, &context.watcher);
  context.watcher.count(Watcher::Level::Sweep, 0, 0);
  areLearnt.resize(asWritten.size());
  first.program().buildRowStatements(true);
  for (unsigned i = 1; i < threads; ++i) {
    auto own = std::make_unique<OwnTexts>();
    SourceManager &sources = own->sources;
    DiagnosticEngine &diagnostics = own->diagnostics;
    FileId copy = sources.add(context.sources.path(file).str(), context.sources.text(file).str());
    workers.push_back(std::make_unique<Worker>(std::move(own), sources, diagnostics));
    workers.back()->load(copy, defines);
  }
}

FitRows::~FitRows() = default;

llvm::ArrayRef<Fit> FitRows::fits() const { return workers.front()->fits; }

llvm::ArrayRef<const FitConstant *> FitRows::constants() const {
  return workers.front()->constants;
}

/// Divides `count` rows among the threads, in parts of which each takes the next.
void FitRows::forParts(size_t count,
                       llvm::function_ref<void(Worker &, size_t begin, size_t end)> each) {
  constexpr size_t leastRows = 8;
  size_t size = std::max(leastRows, count / (8 * workers.size()) + 1);
  std::atomic<size_t> next{0};
  auto work = [&](Worker &worker) {
    for (size_t begin = 0; (begin = next.fetch_add(size)) < count;)
      each(worker, begin, std::min(begin + size, count));
  };
  std::vector<std::thread> threads;
  for (const std::unique_ptr<Worker> &worker : llvm::makeArrayRef(workers).drop_front())
    threads.emplace_back([&] { work(*worker); });
  work(*workers.front());
  for (std::thread &thread : threads)
    thread.join();
}

std::vector<ValidationRow> FitRows::predict(const ConstantValues &values,
                                            llvm::ArrayRef<size_t> numbers) {
  for (const std::unique_ptr<Worker> &worker : workers)
    worker->set(values);
  return predictWith(nullptr, numbers);
}

/// Lets each thread work, the first in this one.
void FitRows::onAll(llvm::function_ref<void(Worker &, size_t number)> each) {
  std::vector<std::thread> threads;
  for (size_t i = 1; i < workers.size(); ++i)
    threads.emplace_back([&, i] { each(*workers[i], i); });
  each(*workers.front(), 0);
  for (std::thread &thread : threads)
    thread.join();
}

/// Compares what rows are with what they are with other values.
void FitRows::learn(llvm::ArrayRef<size_t> numbers) {
  // Lower, so that what is a share stays one.
  constexpr double moved = 1 - 0x1p-13;
  llvm::SmallVector<size_t, 64> others;
  for (size_t number : numbers)
    if (!areLearnt[number])
      others.push_back(number);
  for (size_t number : others)
    areLearnt[number] = true;
  for (double factor : {1.0, moved}) {
    if (others.empty())
      return;
    ConstantValues values;
    for (const FitConstant *constant : constants())
      values.push_back(factor * constant->written);
    onAll([&](Worker &worker, size_t number) {
      worker.set(values);
      worker.choose(others, number, workers.size());
      worker.attempt(/*isLearning=*/true);
    });
  }
}

std::vector<ValidationRow> FitRows::attempt(const ConstantValues &values,
                                            llvm::ArrayRef<size_t> numbers,
                                            llvm::ArrayRef<std::string> metrics) {
  std::set<std::string> names;
  for (const auto &[metric, results] : resultsOf)
    if (metrics.empty() || llvm::is_contained(metrics, metric))
      names.insert(results.begin(), results.end());
  auto isWanted = [&](llvm::StringRef name) { return names.count("*") || names.count(name.str()); };
  for (const std::unique_ptr<Worker> &worker : workers)
    worker->program().chooseResults(isWanted);
  learn(numbers);
  std::vector<ValidationRow> rows(numbers.size());
  onAll([&](Worker &worker, size_t number) {
    worker.set(values);
    std::vector<size_t> places = worker.choose(numbers, number, workers.size());
    std::vector<ValidationRow> found = worker.attempt(/*isLearning=*/false);
    for (size_t i = 0; i < found.size(); ++i)
      rows[places[i]] = std::move(found[i]);
  });
  for (const std::unique_ptr<Worker> &worker : workers)
    worker->program().chooseResults(nullptr);
  return rows;
}

FitRows::LayeredChip FitRows::layersOf(size_t number) {
  Worker &worker = *workers.front();
  worker.program().chooseRows([number](size_t row) { return row == number; });
  return worker.layers();
}

std::vector<ValidationRow> FitRows::predictWith(const Adjust &adjust,
                                                llvm::ArrayRef<size_t> numbers) {
  std::vector<ValidationRow> rows(numbers.size());
  forParts(numbers.size(), [&](Worker &worker, size_t begin, size_t end) {
    llvm::ArrayRef<size_t> part = numbers.slice(begin, end - begin);
    worker.program().chooseRows(
        [part](size_t row) { return std::binary_search(part.begin(), part.end(), row); });
    std::vector<ValidationRow> found = worker.predict(adjust);
    std::move(found.begin(), found.end(), rows.begin() + static_cast<ptrdiff_t>(begin));
  });
  return rows;
}

const std::vector<std::vector<size_t>> &FitRows::uses() {
  if (!usesOfRows.empty() || asWritten.empty())
    return usesOfRows;
  constexpr double interval = 1e-6;
  usesOfRows.resize(asWritten.size());
  ConstantValues values;
  for (const FitConstant *constant : constants())
    values.push_back(constant->written);
  for (const std::unique_ptr<Worker> &worker : workers)
    worker->set(values, interval);
  forParts(asWritten.size(), [&](Worker &worker, size_t begin, size_t end) {
    worker.program().chooseRows([=](size_t row) { return row >= begin && row < end; });
    std::vector<std::vector<size_t>> found = worker.uses();
    std::move(found.begin(), found.end(), usesOfRows.begin() + static_cast<ptrdiff_t>(begin));
  });
  return usesOfRows;
}
