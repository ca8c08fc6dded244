// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workloads to op.graph: the body is run once, in order; calls of ops become op.apply, calls of
// workloads op.call, `repeat` op.repeat with the names that it sets again as its carried values.
#ifndef PERFC_FRONTEND_BUILD_GRAPHBUILDER_H
#define PERFC_FRONTEND_BUILD_GRAPHBUILDER_H

#include "frontend/build/BuildContext.h"
#include "llvm/ADT/StringSet.h"

namespace perfc {

/// A workload after its `from` chain: whose body runs, and with which arguments.
struct ResolvedWorkload {
  const Decl *decl = nullptr;
  std::vector<Argument> arguments;
};

class GraphBuilder : public TensorSemantics {
public:
  GraphBuilder(BuildContext &context, DType dtype);
  ~GraphBuilder() override;

  /// The graph of a workload (or of one op or collective); tensors in `instance`'s arguments, also
  /// in lists and records, become the graph's region arguments, and are added to `operands` in
  /// their order. Nothing after a report, or if something is unknown.
  llvm::Optional<BuiltGraph> build(const Instance &instance, std::vector<ir::Value *> &operands);

  Value make(llvm::StringRef kind, const Value::List &shape, llvm::Optional<DType> format,
             SourceRange range) override;
  Value apply(const Instance &callee, SourceRange range) override;
  Value elementwise(llvm::StringRef function, llvm::ArrayRef<Value> operands,
                    SourceRange range) override;

private:
  llvm::Optional<ResolvedWorkload> resolve(const Instance &instance);
  bool addPhase(const Instance &instance, const Decl &decl, std::vector<Argument> &arguments,
                const llvm::StringSet<> &defaults);
  bool bind(const Instance &instance, const ResolvedWorkload &workload, Scope &scope);
  bool bindTensor(const ast::Expr &declared, const Tensor &tensor, SourceRange range, Scope &scope);
  void body(const ast::Body &body, Scope &scope);
  void item(const ast::Item &item, Scope &scope);
  void equation(const ast::Item &item, Scope &scope);
  void repeat(const ast::Item &item, Scope &scope);
  void draw(const ast::Item &item, const Scope &scope);
  /// `tensor`, which has a kind, in the format that it has in this graph.
  Tensor withFormat(Tensor tensor) const;
  /// Makes `tensor`, which has a kind, called `name` where that is not "".
  Value made(const Tensor &tensor, llvm::StringRef name, SourceRange range);
  /// `tensor` of the caller, as the argument `name` of this graph.
  Value argumentOf(const Tensor &tensor, llvm::StringRef name);
  std::string keyOf(const Instance &instance, const ResolvedWorkload &workload) const;
  /// A tensor of a kind that a parameter stands for.
  Value stored(llvm::StringRef kind, const OpTensor &tensor, SourceRange range);
  Value applyModel(OpModel model, llvm::ArrayRef<Value> operands, SourceRange range);
  Value applyKernel(const std::string &kernel, llvm::ArrayRef<Value> operands, SourceRange range);
  std::string applicationKey(const Instance &callee) const;
  /// The tensors that the op of `model` reads here; nothing after a report.
  llvm::Optional<std::vector<Value>> operandsOf(const Instance &callee, const OpModel &model,
                                                SourceRange range);
  Value applyOp(const Instance &callee, SourceRange range);
  Value applyWorkload(const Instance &callee, SourceRange range);
  Value applyCollective(const Instance &callee, SourceRange range);
  bool pairSizes(const Instance &callee, ir::Operation &op);
  void lineAlgorithm(const ast::Clause &with, size_t firstCollective, const Scope &scope);
  Value tensorOf(ir::Value &value);
  llvm::Optional<BuiltGraph> buildBody(const Instance &instance, const ResolvedWorkload &workload);
  bool finish(const ResolvedWorkload &workload, const Scope &scope, ir::Region &region);
  bool buildSingle(const Instance &instance, ir::Region &region);

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  DType dtype;
  TensorSemantics *previous; ///< of the evaluator; put back at the end
  ir::Region *region = nullptr;
  std::vector<ir::Value *> values;        ///< by Tensor::id
  llvm::DenseMap<unsigned, OpDraw> draws; ///< by Tensor::id, of those that `draw` is about
  std::vector<std::string> kernels;
  std::vector<ir::Operation *> collectives; ///< of this graph and those around it, in order
  llvm::SmallVector<const Decl *, 8> building;
  bool isAbandoned = false; ///< what is asked of a body does not hold: the rest of it is not read
  Instance running; ///< of the workload whose body is being read: what runs, for whoever called it
};

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_GRAPHBUILDER_H
