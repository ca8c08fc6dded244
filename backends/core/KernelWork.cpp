// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/KernelWork.h"

#include "ir/common/Rational.h"
#include "ir/op/Points.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;

namespace {
/// Sums up the statements of one kernel.
class WorkCounter {
public:
  explicit WorkCounter(const ir::Operation &kernel) : kernel(kernel) {}

  /// False when a count does not fit, which `most` names.
  bool run(KernelWork &work);
  std::string most = "operations";

private:
  bool statement(op::StatementOp statement, KernelWork &work);
  bool arithmetic(op::StatementOp statement, int64_t points, KernelWork &work);
  void access(op::StatementOp statement, const ir::AttrDict &access, bool isWrite, int64_t points);
  int64_t touchedByData(op::StatementOp statement, const ir::AttrDict &access) const;
  op::OperandOp operand(llvm::StringRef tensor) const {
    return ir::as<op::OperandOp>(kernel.body().find(tensor));
  }

  const ir::Operation &kernel;
  struct Touched {
    int64_t read = 0, written = 0;
  };
  llvm::StringMap<Touched> touched; ///< elements
};
} // namespace

static llvm::StringRef tensorOf(const ir::AttrDict &access) {
  return access.find("tensor")->asString();
}

static bool accumulate(int64_t &sum, int64_t a, int64_t b) {
  llvm::Optional<int64_t> term = checkedMultiply(a, b);
  llvm::Optional<int64_t> next = term ? checkedAdd(sum, *term) : llvm::None;
  if (next)
    sum = *next;
  return next.hasValue();
}

static bool addElements(KernelWork &work, llvm::StringRef function, DType dtype, int64_t perPoint,
                        int64_t points) {
  if (perPoint == 0)
    return true;
  auto entry = llvm::find_if(work.elements, [&](const ElementWork &known) {
    return known.function == function && known.dtype == dtype;
  });
  if (entry == work.elements.end())
    entry = work.elements.insert(entry, {function.str(), dtype, 0});
  return accumulate(entry->count, perPoint, points);
}

bool WorkCounter::arithmetic(op::StatementOp statement, int64_t points, KernelWork &work) {
  if (!accumulate(work.flops, statement.flops(), points))
    return false;
  if (statement.isMac()) {
    DType format = op::computeFormat(statement);
    auto entry = llvm::find_if(work.macsByFormat,
                               [&](const MacWork &known) { return known.dtype == format; });
    if (entry == work.macsByFormat.end())
      entry = work.macsByFormat.insert(entry, {format, 0});
    if (!accumulate(entry->count, 1, points) || !accumulate(work.macs, 1, points))
      return false;
  }
  DType dtype = op::formatOf(statement, statement.write());
  return llvm::all_of(op::functionsOf(statement), [&](const op::FunctionCalls &calls) {
    return addElements(work, calls.function, dtype, calls.count, points);
  });
}

/// Elements that a data-dependent access touches at most: one for each setting of the indices that
/// its subscripts name, those of the tensors of integers (the tables' keys) included.
int64_t WorkCounter::touchedByData(op::StatementOp statement, const ir::AttrDict &access) const {
  std::vector<const ir::AttrDict *> relevant = {&access};
  for (const ir::Attribute &read : statement.reads())
    if (!isFloating(op::formatOf(statement, read.asDict())) &&
        tensorOf(read.asDict()) != tensorOf(access))
      relevant.push_back(&read.asDict());
  bool hasKeys = relevant.size() > 1;
  double elements = 1;
  for (const ir::AttrDict::Entry &index : statement.domain().entries()) {
    bool isNamed = !hasKeys;
    for (const ir::AttrDict *map : relevant)
      for (const ir::Attribute &subscript : map->find("map")->asList())
        isNamed |= subscript.fits(ir::AttrKind::Affine) &&
                   subscript.asAffine().coefficient(index.first) != 0;
    if (isNamed)
      elements *= static_cast<double>(index.second.asInt());
  }
  return elements < 9e18 ? static_cast<int64_t>(elements) : INT64_MAX;
}

/// Notes what one access touches; of several accesses of a tensor the largest counts.
void WorkCounter::access(op::StatementOp statement, const ir::AttrDict &access, bool isWrite,
                         int64_t points) {
  op::OperandOp tensor = operand(tensorOf(access));
  if (!tensor || tensor.role() == "intermediate")
    return;
  std::vector<int64_t> shape = tensor.shape();
  double elements = 1, whole = 1;
  bool dependsOnData = false;
  const ir::AttrList &map = access.find("map")->asList();
  for (size_t rank = 0; rank < map.size() && rank < shape.size(); ++rank) {
    whole *= static_cast<double>(shape[rank]);
    if (map[rank].fits(ir::AttrKind::Affine))
      elements *= static_cast<double>(
          touchedPositions(map[rank].asAffine(), statement.domain(), shape[rank]));
    else
      dependsOnData = true;
  }
  if (dependsOnData)
    elements = static_cast<double>(touchedByData(statement, access));
  elements = std::min({elements, whole, static_cast<double>(points)});
  Touched &sum = touched[tensorOf(access)];
  int64_t &count = isWrite ? sum.written : sum.read;
  count = std::max(count, static_cast<int64_t>(elements));
}

bool WorkCounter::statement(op::StatementOp statement, KernelWork &work) {
  llvm::Optional<int64_t> points = op::pointsOf(statement);
  if (!points || !arithmetic(statement, *points, work))
    return false;
  for (const ir::Attribute &read : statement.reads())
    access(statement, read.asDict(), /*isWrite=*/false, *points);
  access(statement, statement.write(), /*isWrite=*/true, *points);
  return true;
}

bool WorkCounter::run(KernelWork &work) {
  for (const ir::Operation &part : kernel.body())
    if (auto equation = ir::as<op::StatementOp>(part))
      if (!statement(equation, work))
        return false;
  for (const ir::Operation &part : kernel.body()) {
    auto tensor = ir::as<op::OperandOp>(part);
    if (!tensor || tensor.role() == "intermediate")
      continue;
    const Touched &elements = touched[tensor.symbol()];
    bool isResult = tensor.role() == "output" || tensor.isInPlace();
    DType format = parseDType(tensor.dtype()).getValueOr(DType::FP32);
    OperandBytes moved{tensor.symbol().str(), tensor.role().str(), 0, 0};
    auto bytes = [&](int64_t count, int64_t &out) {
      llvm::Optional<int64_t> all = storedBits(format, count);
      out = all ? (*all + 7) / 8 : 0;
      return all.hasValue();
    };
    // A result that a later statement reads again is still on the chip.
    if (!bytes(isResult && !tensor.isInPlace() ? 0 : elements.read, moved.read) ||
        !bytes(isResult ? elements.written : 0, moved.written) ||
        !accumulate(work.readBytes, 1, moved.read) ||
        !accumulate(work.writtenBytes, 1, moved.written)) {
      most = fmt::format("bits of `{}`", tensor.symbol());
      return false;
    }
    work.operands.push_back(std::move(moved));
  }
  return true;
}

llvm::Optional<KernelWork> perfc::kernelWork(const ir::Operation &kernel,
                                             DiagnosticEngine &diagnostics) {
  KernelWork work;
  WorkCounter counter(kernel);
  if (counter.run(work))
    return work;
  diagnostics.report(kernel.range(), diag::CountOverflow, kernel.symbol(), counter.most);
  return llvm::None;
}
