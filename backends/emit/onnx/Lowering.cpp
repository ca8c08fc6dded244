// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/onnx/Lowering.h"

#include "backends/emit/onnx/Functions.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::emit::onnx;

Lowering::Lowering(Model &model, op::KernelOp kernel, llvm::ArrayRef<Value> operands, Type result)
    : model(model), kernel(kernel), result(std::move(result)),
      computed(computedIn(this->result.dtype)), given(operands) {
  for (ir::Operation &one : kernel->body())
    if (auto statement = ir::as<op::StatementOp>(&one))
      statements.push_back(statement);
}

static const ir::Attribute *numberOf(op::KernelOp kernel, llvm::StringRef parameter) {
  const ir::Attribute *value = kernel.parameters().find(parameter);
  return value && value->fits(ir::AttrKind::Quantity) ? value : nullptr;
}

int64_t Lowering::whole(llvm::StringRef parameter, int64_t otherwise) const {
  const ir::Attribute *value = numberOf(kernel, parameter);
  return value && value->is(ir::AttrKind::Int) ? value->asInt() : otherwise;
}

llvm::Optional<double> Lowering::real(llvm::StringRef parameter) const {
  const ir::Attribute *value = numberOf(kernel, parameter);
  return value ? llvm::Optional<double>(value->asQuantity().toDouble()) : llvm::None;
}

/// The module of the library that declares the op; "" for others.
static llvm::StringRef moduleOf(op::KernelOp kernel) { return kernel->stringAttr("module"); }

bool Lowering::isOfLibrary() const { return moduleOf(kernel).startswith("std."); }

/// A real parameter; as text where single precision, which attributes have, would not be it.
static Attribute realParameter(const std::string &name, double value) {
  std::string text = fmt::format("{}", value);
  if (fmt::format("{}", static_cast<float>(value)) == text)
    return {name, value};
  return {name, text};
}

/// The op by its name, with its parameters as attributes, and the module of the library that has
/// it.
static std::vector<Value> lowerOther(Model &model, op::KernelOp kernel,
                                     llvm::ArrayRef<Value> operands, llvm::ArrayRef<Type> results) {
  std::vector<Attribute> attributes;
  if (llvm::StringRef module = moduleOf(kernel); !module.empty())
    attributes.push_back({"module", module.str()});
  for (const ir::AttrDict::Entry &parameter : kernel.parameters().entries()) {
    if (parameter.second.is(ir::AttrKind::Int))
      attributes.push_back({parameter.first, parameter.second.asInt()});
    else if (parameter.second.fits(ir::AttrKind::Quantity))
      attributes.push_back(
          realParameter(parameter.first, parameter.second.asQuantity().toDouble()));
    else if (parameter.second.is(ir::AttrKind::String))
      attributes.push_back({parameter.first, parameter.second.asString().str()});
  }
  auto isLikeFirst = [&](const Value &value) {
    return isReal(value.type.dtype) && value.type.dtype == operands.front().type.dtype;
  };
  model.define(kernel.declaration(), llvm::all_of(operands, isLikeFirst)
                                         ? functionOf(moduleOf(kernel), kernel.declaration())
                                         : llvm::None);
  return model.other(kernel.declaration(), operands, results, attributes);
}

std::vector<Value> emit::onnx::lower(Model &model, op::KernelOp kernel,
                                     llvm::ArrayRef<Value> operands, llvm::ArrayRef<Type> results) {
  size_t mark = model.mark();
  Lowering lowering(model, kernel, operands, results.front());
  llvm::Optional<std::vector<Value>> values;
  if (results.size() == 1 && moduleOf(kernel).startswith("std.ops."))
    if (llvm::Optional<Value> value = lowerLibraryOp(lowering))
      values = std::vector<Value>{*value};
  if (!values) {
    model.takeBack(mark);
    values = lowerEquations(lowering);
  }
  auto isGiven = [](const auto &pair) {
    const auto &[value, type] = pair;
    return value.shape() == llvm::makeArrayRef(type.shape);
  };
  if (!values || values->size() != results.size() ||
      !llvm::all_of(llvm::zip(*values, results), isGiven)) {
    model.takeBack(mark);
    return lowerOther(model, kernel, operands, results);
  }
  for (auto [value, type] : llvm::zip(*values, results))
    value = model.cast(value, type.dtype);
  return *values;
}
