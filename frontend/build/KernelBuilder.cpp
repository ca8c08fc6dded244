// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Op models to op.kernel.
#include "frontend/build/BuildContext.h"

using namespace perfc;

static ir::Attribute accessAttribute(const OpAccess &access) {
  ir::AttrList map;
  map.reserve(access.map.size());
  for (const auto &subscript : access.map) {
    if (!subscript)
      map.push_back("any"); // depends on data
    else
      map.push_back(*subscript);
  }
  return ir::AttrDict{{"tensor", access.tensor}, {"map", std::move(map)}};
}

static ir::Attribute countsAttribute(llvm::ArrayRef<std::pair<std::string, int64_t>> counts) {
  ir::AttrDict dict;
  for (const auto &[name, count] : counts)
    dict.set(name, count);
  return dict;
}

static void addStatement(BuildContext &context, const OpStatement &statement, ir::Region &region) {
  ir::Operation *op = context.builder.create(region, "op.statement", statement.range);
  op->setAttr("write", accessAttribute(statement.write));
  ir::AttrList reads;
  reads.reserve(statement.reads.size());
  for (const OpAccess &read : statement.reads)
    reads.push_back(accessAttribute(read));
  op->setAttr("reads", std::move(reads));
  op->setAttr("domain", countsAttribute(statement.domain));
  if (!statement.constraints.empty())
    op->setAttr("constraints", ir::Attribute::affines(statement.constraints));
  if (!statement.reduce.empty())
    op->setAttr("reduce", statement.reduce);
  if (statement.mac)
    op->setAttr("mac", ir::Attribute::unit());
  op->setAttr("flops", statement.flops);
  if (!statement.functions.empty())
    op->setAttr("functions", countsAttribute(statement.functions));
  op->setAttr("text", statement.text);
  if (!statement.value.empty())
    op->setAttr("value", statement.value);
}

static void addDraw(const OpDraw &draw, ir::Operation &operand) {
  if (draw.kind.empty())
    return;
  operand.setAttr("draw", draw.kind);
  if (draw.kind == "zipf" || draw.kind == "power_law")
    operand.setAttr("theta", draw.theta);
  if (draw.kind == "power_law")
    operand.setAttr("most", draw.most);
  if (draw.distinct)
    operand.setAttr("distinct", static_cast<int64_t>(*draw.distinct));
}

static std::string subscriptsOf(const OpAccess &access) {
  std::string text = ";";
  for (const auto &subscript : access.map)
    text += "[" + (subscript ? subscript->text() : "any") + "]";
  return text;
}

/// What makes two kernels the same: the equations and everything they depend on.
static std::string keyOf(const OpModel &model) {
  std::string key = "kernel ";
  if (model.decl)
    key += model.decl->module->name + "." + model.decl->name.str();
  else
    key += model.statements[0].text;
  for (const auto &[name, value] : model.bindings)
    key += "," + name + "=" + value.text();
  for (const OpTensor &tensor : model.tensors) {
    key += ";" + tensor.name + ":" + dtypeName(tensor.dtype).str();
    for (int64_t extent : tensor.shape)
      key += "," + std::to_string(extent);
    key += tensor.draw.kind.empty() ? "" : " " + tensor.draw.text();
  }
  // An equation in a workload may use numbers of the workload.
  if (!model.decl)
    for (const OpStatement &statement : model.statements) {
      key += ";" + ir::Attribute(statement.value).text();
      key += subscriptsOf(statement.write);
      for (const OpAccess &read : statement.reads)
        key += subscriptsOf(read);
    }
  return key;
}

/// A file of the user may be called std.perf, or stand in a folder std.
static bool isLibraryModule(const BuildContext &context, const Module &module) {
  const SourceManager &sources = context.evaluator.program.sourceManager();
  return sources.isLibrary(module.file) && llvm::StringRef(module.name).startswith("std.");
}

std::string perfc::buildKernel(BuildContext &context, OpModel model) {
  std::string key = keyOf(model);
  if (auto known = context.symbols.find(key); known != context.symbols.end())
    return known->second;
  llvm::StringRef name = model.decl ? model.decl->name : llvm::StringRef(model.name);
  SourceRange range = model.decl ? model.decl->nameRange : model.statements[0].range;
  ir::Operation *kernel = context.createTop("op.kernel", name, range);
  kernel->setAttr("op", name);
  if (model.decl && isLibraryModule(context, *model.decl->module))
    kernel->setAttr("module", model.decl->module->name);
  ir::AttrDict parameters;
  for (const auto &[parameter, value] : model.bindings) {
    const Quantity *quantity = value.getIf<Quantity>();
    parameters.set(parameter, quantity ? ir::Attribute(*quantity) : ir::Attribute(value.text()));
  }
  kernel->setAttr("parameters", std::move(parameters));
  for (const OpTensor &tensor : model.tensors) {
    ir::Operation *operand = context.builder.create(kernel->body(), "op.operand", range);
    operand->setSymbol(tensor.name);
    operand->setAttr("role", tensor.role);
    operand->setAttr("shape", ir::Attribute::ints(tensor.shape));
    operand->setAttr("dtype", dtypeName(tensor.dtype));
    if (tensor.inPlace)
      operand->setAttr("in_place", ir::Attribute::unit());
    addDraw(tensor.draw, *operand);
  }
  for (const OpStatement &statement : model.statements)
    addStatement(context, statement, kernel->body());
  std::string symbol = kernel->symbol().str();
  context.symbols[key] = symbol;
  context.kernels.try_emplace(symbol, std::move(model));
  return symbol;
}
