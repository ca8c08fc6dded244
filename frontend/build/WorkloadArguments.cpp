// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workload's body with its arguments, of which some are tensors. An op or a collective on its own
// becomes a graph with one operation.
#include "frontend/build/GraphBuilder.h"
#include "frontend/build/KeptGraph.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Ops.h"
#include "ir/common/diagnostics/Systems.h"

#include "frontend/build/Phases.h"
#include "frontend/build/Unused.h"
#include "frontend/sema/Written.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace perfc;

/// `x[N, C, Y, X]` in the signature: the extents of the tensor become names.
bool GraphBuilder::bindTensor(const ast::Expr &declared, const Tensor &tensor, SourceRange range,
                              Scope &scope) {
  if (declared.args.size() != tensor.shape.size()) {
    diagnostics
        .report(range, diag::ArgumentRank, declared.operands[0]->text,
                counted(declared.args.size(), "rank"), tensor.shape.size())
        .note(declared.range, "it is declared here");
    return false;
  }
  for (size_t rank = 0; rank < tensor.shape.size(); ++rank) {
    const ast::Expr &extent = *declared.args[rank].value;
    int64_t size = tensor.shape[rank];
    if (extent.kind != ast::ExprKind::Name)
      continue;
    const Value *known = scope.find(extent.text);
    const Quantity *given = known ? known->getIf<Quantity>() : nullptr;
    if (!given) {
      scope.set(extent.text, Quantity(Rational(size)));
    } else if (*given != Quantity(Rational(size))) {
      diagnostics.report(range, diag::ExtentConflict, extent.text, written(*given), size,
                         "from `" + declared.operands[0]->text.str() + "`");
      return false;
    }
  }
  return true;
}

bool GraphBuilder::bind(const Instance &instance, const ResolvedWorkload &workload, Scope &scope) {
  Instance resolved{workload.decl, "", {}, instance.range};
  for (const Argument &argument : workload.arguments) {
    llvm::StringRef name = argument.name;
    bool isFormat = (name == "dtype" || name == "weights" || name == "cache") &&
                    !workload.decl->findParameter(name);
    if (!isFormat) {
      resolved.arguments.push_back(argument);
      continue;
    }
    auto given = context.evaluator.format(*argument.value, argument.range);
    if (!given)
      return false;
    if (name == "dtype") {
      dtype = *given;
      context.tableFormat.reset();
    } else {
      (name == "weights" ? context.weightFormat : context.cacheFormat) = given;
    }
  }
  // `weight[V, D]: dtype` is in the format of all, whatever that of weights is.
  auto name = [&](llvm::StringRef word, DType format) {
    if (!workload.decl->findParameter(word))
      scope.set(word, WordValue{dtypeName(format).str(), {}});
  };
  DType all = context.tableFormat.getValueOr(dtype);
  name("dtype", all);
  name("weights", context.weightFormat.getValueOr(all));
  const ast::Expr &head = *workload.decl->item->args[0].value;
  llvm::ArrayRef<ast::Arg> declared =
      head.kind == ast::ExprKind::Call ? head.args : llvm::ArrayRef<ast::Arg>();
  // Tensors first: the defaults of numbers may use their extents.
  size_t position = 0;
  bool good = true;
  for (const Argument &argument : resolved.arguments) {
    llvm::StringRef name = argument.name;
    if (name.empty() && position < workload.decl->parameters.size())
      name = workload.decl->parameters[position++].name;
    const Tensor *tensor = argument.value->getIf<Tensor>();
    for (const ast::Arg &arg : declared)
      if (tensor && arg.value->kind == ast::ExprKind::Index && arg.value->operands[0]->text == name)
        good &= bindTensor(*arg.value, *tensor, argument.range, scope);
  }
  if (context.allowMissing) // a tensor that is not there leaves its extents open
    for (const ast::Arg &arg : declared)
      if (arg.value->kind == ast::ExprKind::Index)
        for (const ast::Arg &rank : arg.value->args)
          if (rank.value->kind == ast::ExprKind::Name && !scope.find(rank.value->text))
            scope.set(rank.value->text, Value());
  size_t before = diagnostics.all().size();
  bool bound = good && context.evaluator.bind(resolved, scope, context.allowMissing);
  auto isMissing = [](const Diagnostic &error) {
    return error.kind->code == diag::MissingArgument.code;
  };
  if (bound || !llvm::all_of(diagnostics.all().drop_front(before), isMissing))
    return bound;
  std::vector<llvm::StringRef> phases =
      phaseNames(phasesOf(context, *workload.decl, workload.arguments));
  if (!good || !instance.phase.empty() || phases.empty())
    return false;
  // What is missing is what the phases give.
  diagnostics.truncate(before);
  diagnostics.report(instance.range, diag::NeedsPhase, workload.decl->name,
                     fmt::format("{}", fmt::join(phases, "`, `")));
  return false;
}

bool GraphBuilder::finish(const ResolvedWorkload &workload, const Scope &scope, ir::Region &into) {
  const Decl &decl = *workload.decl;
  if (decl.item->results.empty()) {
    diagnostics.report(decl.nameRange, diag::WorkloadWithoutResult, decl.name);
    return false;
  }
  ir::Operation *end = context.builder.create(into, "op.return", decl.nameRange);
  bool good = true;
  for (const ast::Arg &result : decl.item->results) {
    const Value *value =
        result.value->kind == ast::ExprKind::Name ? scope.find(result.value->text) : nullptr;
    if (!value) {
      auto &error =
          diagnostics.report(result.range, diag::ResultNeverSet,
                             context.evaluator.program.sourceManager().text(result.range));
      if (result.value->kind != ast::ExprKind::Name)
        error.help("the results of a workload are plain names");
      good = false;
    } else if (const Tensor *tensor = value->getIf<Tensor>()) {
      end->addOperand(*values[tensor->id]);
    } else {
      if (!value->isUnknown())
        diagnostics.report(result.range, diag::NotATensor, "->", value->describe());
      good = false;
    }
  }
  return good;
}

/// One op or collective on tensors of its own.
bool GraphBuilder::buildSingle(const Instance &instance, ir::Region &into) {
  Value result;
  if (instance.decl->kind == DeclKind::Collective) {
    bool hasSizes = instance.decl->name == "all_to_allv";
    const Quantity byte(Rational(1), Dimension(BaseUnit::Byte));
    const Quantity *size =
        instance.arguments.size() == 1 || (hasSizes && !instance.arguments.empty())
            ? instance.arguments[0].value->getIf<Quantity>()
            : nullptr;
    if (instance.decl->name == "barrier" && instance.arguments.empty())
      size = &byte; // nothing moves
    bool isSize = size && size->dimension() == Dimension(BaseUnit::Byte);
    if (!isSize || !size->isInteger() || size->sign() <= 0) {
      if (instance.arguments.size() == 1 && instance.arguments[0].value->isUnknown())
        return false;
      Diagnostic &error =
          diagnostics.report(instance.range, diag::CollectiveNeedsSize, instance.decl->name);
      if (isSize)
        error.help(size->sign() <= 0 ? "a size is above 0" : "a size is a whole number of bytes");
      return false;
    }
    // A size in bytes is a tensor of so many 8-bit elements.
    DType outer = dtype;
    dtype = DType::Int8;
    Tensor bytes{0, {size->rational().numerator()}, dtype, "tensor"};
    Value tensor = made(bytes, "", instance.range);
    dtype = outer;
    Instance call{instance.decl, "", {makeArgument("", tensor, instance.range)}, instance.range};
    for (size_t i = 1; i < instance.arguments.size(); ++i)
      call.arguments.push_back(instance.arguments[i]);
    result = applyCollective(call, instance.range);
  } else {
    Instance call = instance;
    for (Argument &argument : call.arguments)
      if (const Tensor *tensor = argument.value->getIf<Tensor>())
        argument = makeArgument(argument.name, withFormat(*tensor), argument.range);
    auto model = buildOpModel(context.elaborator, {&call, dtype}, context.allowMissing);
    if (!model)
      return false;
    std::vector<Value> operands;
    for (size_t position : model->arguments) {
      const OpTensor &tensor = model->tensors[position];
      bool isStored = tensor.role == "weight" || tensor.role == "cache";
      operands.push_back(stored(isStored ? tensor.role : "input", tensor, instance.range));
    }
    result = applyModel(std::move(*model), operands, instance.range);
  }
  ir::Operation *end = context.builder.create(into, "op.return", instance.range);
  const Value::List *list = result.getIf<Value::List>();
  for (const Value &value : list ? list->values : std::vector<Value>{result})
    if (const Tensor *tensor = value.getIf<Tensor>())
      end->addOperand(*values[tensor->id]);
  return !result.isUnknown();
}

/// The instance as it is written, with a collective's size in units that people read.
static std::string labelOf(const Instance &instance) {
  const Quantity *size = instance.decl->kind == DeclKind::Collective && !instance.arguments.empty()
                             ? instance.arguments[0].value->getIf<Quantity>()
                             : nullptr;
  if (!size)
    return written(Value(instance));
  return instance.decl->name.str() + "(" + formatEngineering(*size) + ")";
}

Value GraphBuilder::argumentOf(const Tensor &tensor, llvm::StringRef name) {
  Value argument = tensorOf(region->addArgument(values[tensor.id]->type(), name));
  if (auto drawn = draws.find(tensor.id); drawn != draws.end())
    draws[argument.get<Tensor>().id] = OpDraw(drawn->second);
  return argument;
}

llvm::Optional<BuiltGraph> GraphBuilder::buildBody(const Instance &instance,
                                                   const ResolvedWorkload &workload) {
  size_t errors = diagnostics.errorCount();
  DType outerDtype = dtype;
  llvm::SaveAndRestore<llvm::Optional<DType>> outerWeights(context.weightFormat),
      outerCache(context.cacheFormat),
      outerTables(context.tableFormat); // arguments may give others
  ir::Region *outerRegion = region;
  std::vector<std::string> outerKernels;
  std::swap(outerKernels, kernels);
  ir::Operation *graph =
      context.createTop("op.graph", instance.decl->name, instance.decl->nameRange);
  region = &graph->body();
  building.push_back(instance.decl);
  bool good = true;
  int64_t batch = 0;
  if (instance.decl->kind == DeclKind::Workload) {
    // Tensors from the caller become arguments of the graph; others are made in it.
    ResolvedWorkload inner = workload;
    for (Argument &argument : inner.arguments) {
      Value own = mapTensors(*argument.value, [&](const Tensor &tensor) {
        return tensor.kind.empty() ? argumentOf(tensor, argument.name)
                                   : made(tensor, argument.name, argument.range);
      });
      argument = makeArgument(argument.name, std::move(own), argument.range);
    }
    Scope &scope = context.elaborator.newScope(*workload.decl->module);
    good = bind(instance, inner, scope);
    if (const Value *samples = scope.hasLocal("batch") ? scope.find("batch") : nullptr)
      if (const Quantity *count = samples->getIf<Quantity>(); count && count->isInteger())
        batch = count->rational().numerator();
    if (good && workload.decl->item->block) {
      llvm::SaveAndRestore<Instance> inside(running, {workload.decl, "", {}, instance.range});
      Evaluator::InCall called(context.evaluator, instance.range);
      body(*workload.decl->item->block, scope);
      good = !isAbandoned && finish(inner, scope, *region);
      if (good && !context.allowMissing)
        dropUnused(context, *region);
    }
  } else {
    good = buildSingle(instance, *region);
  }
  building.pop_back();
  BuiltGraph built{graph->symbol().str(), labelOf(instance), kernels, batch};
  dtype = outerDtype;
  region = outerRegion;
  kernels = std::move(outerKernels);
  if (good && diagnostics.errorCount() == errors)
    return built;
  graph->erase();
  return llvm::None;
}

/// What makes two graphs the same: tensors count by their type and how their values are spread.
std::string GraphBuilder::keyOf(const Instance &instance, const ResolvedWorkload &workload) const {
  std::string key = "graph " + instance.decl->module->name + "." + instance.decl->name.str() + "." +
                    instance.phase + ":" + dtypeName(dtype).str();
  auto typeOf = [&](const Tensor &tensor) -> Value {
    if (!tensor.kind.empty())
      return tensor;
    std::string type = ir::Type::tensor(tensor.shape, tensor.dtype).text();
    return WordValue{type + draws.lookup(tensor.id).text(), {}};
  };
  for (const Argument &argument : workload.arguments)
    key += "," + argument.name + "=" + mapTensors(*argument.value, typeOf).text();
  for (llvm::StringRef kind : {"weight", "cache"})
    if (auto format = context.formatOf(kind))
      key += fmt::format(" {} {}", kind, dtypeName(*format));
  if (context.tableFormat)
    key += fmt::format(" dtype {}", dtypeName(*context.tableFormat));
  return key;
}

/// Calls of workloads that differ in their arguments, in one program.
static constexpr size_t mostGraphs = 1 << 16;

llvm::Optional<BuiltGraph> GraphBuilder::build(const Instance &instance,
                                               std::vector<ir::Value *> &operands) {
  BlameScope blame(diagnostics, instance.range);
  ResolvedWorkload workload{instance.decl, instance.arguments};
  if (instance.decl->kind == DeclKind::Workload) {
    auto resolved = resolve(instance);
    if (!resolved)
      return llvm::None;
    workload = std::move(*resolved);
  }
  for (const Argument &argument : workload.arguments)
    mapTensors(*argument.value, [&](const Tensor &tensor) {
      if (tensor.kind.empty())
        operands.push_back(values[tensor.id]);
      return tensor;
    });
  std::string key = keyOf(instance, workload);
  auto known = context.graphs.find(key);
  if (known == context.graphs.end()) {
    if (context.graphs.size() >= mostGraphs) {
      diagnostics.report(instance.range, diag::ProgramTooLong, instance.decl->name, mostGraphs,
                         "calls with other arguments");
      isAbandoned = true;
      return llvm::None;
    }
    auto built = buildBody(instance, workload);
    if (!built)
      return llvm::None;
    known = context.graphs.try_emplace(key, std::move(*built)).first;
  }
  return known->second;
}

llvm::Optional<BuiltGraph> perfc::buildGraph(BuildContext &context, const Instance &subject,
                                             DType dtype) {
  auto build = [&] {
    std::vector<ir::Value *> operands; // none: there is no graph around it
    return GraphBuilder(context, dtype).build(subject, operands);
  };
  if (context.keptGraph && context.graphs.empty())
    return context.keptGraph->in(context, subject, dtype, build);
  return build();
}
