// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the builders of one IR module share: where the operations go, and which declarations have
// already become operations.
#ifndef PERFC_FRONTEND_BUILD_BUILDCONTEXT_H
#define PERFC_FRONTEND_BUILD_BUILDCONTEXT_H

#include "frontend/build/OpModel.h"
#include "frontend/sema/Elaborator.h"
#include "ir/core/Module.h"
#include "ir/study/StudyOps.h"
#include "llvm/ADT/StringSet.h"

namespace perfc {

/// A workload, op or collective that became a graph.
struct BuiltGraph {
  std::string symbol;
  std::string label;
  /// Symbols of the kernels that it runs, sub-graphs included.
  std::vector<std::string> kernels;
  /// Samples, where a workload has them as `batch`; 0 where it does not say.
  int64_t batch = 0;
};

/// A result that a statement names with `as`.
struct ResultName {
  std::string name;
  SourceRange range;
  /// Metrics of the file that come with it, since the file asks for them by its name, and their
  /// dimensions where they are known.
  llvm::StringMap<llvm::Optional<Dimension>> metrics = {};
};

/// How algorithms run that a statement or a line of a workload names.
struct AlgorithmForms {
  std::vector<std::string> schedules; ///< symbols of those that are written out
  std::string formulas;               ///< of the others, with `|` between them

  void add(llvm::StringRef formula) {
    formulas += (formulas.empty() || formula.empty() ? "" : "|") + formula.str();
  }
};

/// A chip that an earlier statement has built and whose parts no parameter changes, for others.
struct KeptChip {
  ir::Module module; ///< of the chip alone, without a name
  std::string label;
  DType dtype;
  llvm::Optional<Instance> link, generation;
  std::vector<Instance> libraries; ///< of a generation, in order
  bool usesConstants = false;      ///< that a fit sets
};

class KeptGraph;

struct BuildContext {
  BuildContext(Elaborator &elaborator, ir::Module &module, const ir::OpRegistry &registry)
      : elaborator(elaborator), evaluator(elaborator.evaluator),
        diagnostics(elaborator.evaluator.diagnostics), module(module), builder(registry) {}

  Elaborator &elaborator;
  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  ir::Module &module;
  ir::Builder builder;
  /// Parameters without an argument are unknown instead of an error: a declaration is being
  /// checked.
  bool allowMissing = false;

  /// Symbols of what was built, by what it was built from.
  llvm::StringMap<std::string> symbols;
  /// Graphs, by what they were built from.
  llvm::StringMap<BuiltGraph> graphs;
  /// The op model behind a kernel's symbol, for the mappings that serve it.
  llvm::StringMap<OpModel> kernels;

  /// Symbols of kernels, by the op and the types and values that it is applied to.
  llvm::StringMap<std::string> applied;

  /// What the sweep around the statement sets, which metrics of the file may use.
  std::vector<std::pair<std::string, Value>> swept;
  bool isSwept(llvm::StringRef name) const {
    return llvm::any_of(swept, [&](const auto &entry) { return entry.first == name; });
  }
  /// Dimensions of the metrics of the file that have become operations, where they are known.
  llvm::StringMap<llvm::Optional<Dimension>> metricDimensions;

  /// Formats of weights and of caches, where the statement gives them one of their own.
  llvm::Optional<DType> weightFormat, cacheFormat;
  /// What `dtype` is in workloads, where activations have a format of their own.
  llvm::Optional<DType> tableFormat;
  llvm::Optional<DType> formatOf(llvm::StringRef kind) const {
    return kind == "weight" ? weightFormat : kind == "cache" ? cacheFormat : llvm::None;
  }

  /// Names of results that later statements may mention; null where there are none.
  std::vector<ResultName> *results = nullptr;
  ResultName *findResult(llvm::StringRef name) const {
    for (ResultName &result : results ? llvm::MutableArrayRef<ResultName>(*results) : llvm::None)
      if (result.name == name)
        return &result;
    return nullptr;
  }
  /// What of the statement being built cannot be evaluated yet.
  struct Unsupported {
    SourceRange range;
    std::string what;
  };
  std::vector<Unsupported> unsupported;
  /// Algorithms that lines of workloads name, by what `op.collective` calls them.
  llvm::StringMap<Instance> lineAlgorithms;
  /// How algorithms run, by what that was built from.
  llvm::StringMap<AlgorithmForms> algorithmForms;
  /// The networks that the links of chips make, by the symbols of these.
  llvm::StringMap<Instance> chipLinks;
  /// The generations of chips, by the symbols of these.
  llvm::StringMap<Instance> chipGenerations;
  /// Chips and libraries of all statements, by what they were built from and where that stands; or
  /// null.
  llvm::StringMap<KeptChip> *keptChips = nullptr;
  /// The first graph of the module, where that stays from one module to the next; or null.
  KeptGraph *keptGraph = nullptr;

  /// Symbols of statements, those inside points as well.
  llvm::StringSet<> statements;
  /// A symbol for a statement from `name`: what is made of it later has a name made of this one.
  std::string statementSymbol(const std::string &name) {
    std::string symbol = module.uniqueName(name);
    for (unsigned next = 1; !statements.insert(symbol).second; ++next)
      symbol = module.uniqueName(name + "_" + std::to_string(next));
    return symbol;
  }

  /// A new operation at the top of the module with a symbol made from `name`.
  ir::Operation *createTop(llvm::StringRef opName, llvm::StringRef name, SourceRange range) {
    ir::Operation *op = builder.create(module.body(), opName, range);
    op->setSymbol(module.uniqueName(name));
    return op;
  }
};

/// Keeps what is built from here on for the statements that follow.
class ChipKeeper {
public:
  explicit ChipKeeper(const BuildContext &context);
  /// A copy of `op` by `key`; null where nothing is kept, where a parameter has a part in `op`, or
  /// where something was reported of it.
  KeptChip *keep(llvm::StringRef key, const ir::Operation &op) const;

private:
  const BuildContext &context;
  size_t parameters, constants, problems; ///< before it was built
};

/// The part of `statement` that is a `View`; a new one, at `range`, where there is none.
template <typename View> ir::Operation &partAt(ir::Operation &statement, SourceRange range) {
  bool isNew = !study::findPart(statement, View::opName);
  ir::Operation &part = study::partToWrite(statement, View::opName);
  if (isNew)
    part.setLocation(range);
  return part;
}

/// A chip or system that became an operation.
struct BuiltTarget {
  std::string symbol;
  std::string label;                  ///< as written: "eyeriss(pes = 84)"
  const Instance *instance = nullptr; ///< of the hardware; null for a system
  DType dtype = DType::FP16;
};

/// Builds the target.chip of a hardware instance; nothing after a report.
llvm::Optional<BuiltTarget> buildChip(BuildContext &context, const Instance &hardware);

/// Builds the target.system of a system instance.
llvm::Optional<BuiltTarget> buildSystem(BuildContext &context, const Instance &system);

/// Builds the system `4 * chip over network { differs }` of a statement's `on`. `statement` has the
/// `over` clause and its block.
llvm::Optional<BuiltTarget> buildAnonymousSystem(BuildContext &context, const Multiple &members,
                                                 const Node &statement);

/// Chips of a target.system; 1 for a target.chip.
int64_t chipsOfSystem(const ir::Operation &target);

/// True when a network of `system` has parameters of the library `name`.
bool hasLibrary(const ir::Operation &system, llvm::StringRef name);

/// Builds the op.kernel of a model; returns its symbol. Equal models share one kernel.
std::string buildKernel(BuildContext &context, OpModel model);

llvm::Optional<BuiltGraph> buildGraph(BuildContext &context, const Instance &subject, DType dtype);

/// Builds a loopnest.mapping for each kernel of `graph` that `mapping` serves on `chip`, or for the
/// graph itself, which is that of `subject`; appends their symbols.
bool buildMappings(BuildContext &context, const Instance &mapping, const Instance &subject,
                   const BuiltGraph &graph, const BuiltTarget &chip,
                   std::vector<std::string> &symbols);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_BUILDCONTEXT_H
