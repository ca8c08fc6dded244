// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/KernelWork.h"

#include "ir/common/Rational.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/op/Points.h"
#include "passes/DataReads.h"
#include "passes/analysis/Images.h"
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
  void access(op::StatementOp statement, const ir::AttrDict &access, bool isWrite);
  op::OperandOp operand(llvm::StringRef tensor) const {
    return ir::as<op::OperandOp>(kernel.body().find(tensor));
  }

  const ir::Operation &kernel;
  /// Accesses, and elements of those that depend on data.
  struct Touched {
    std::vector<passes::DomainAccess> read, written;
    double readByData = 0, writtenByData = 0;
  };
  llvm::StringMap<Touched> touched;
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

/// Notes what one access touches.
void WorkCounter::access(op::StatementOp statement, const ir::AttrDict &access, bool isWrite) {
  Touched &tensor = touched[tensorOf(access)];
  std::vector<passes::DomainAccess> &plain = isWrite ? tensor.written : tensor.read;
  if (!passes::dependsOnData(access))
    plain.push_back({statement, &access});
  else if (op::OperandOp known = operand(tensorOf(access)); known.role() != "intermediate")
    (isWrite ? tensor.writtenByData : tensor.readByData) +=
        static_cast<double>(passes::touchedByData(statement, access));
}

bool WorkCounter::statement(op::StatementOp statement, KernelWork &work) {
  llvm::Optional<int64_t> points = op::pointsOf(statement);
  if (!points || !arithmetic(statement, *points, work))
    return false;
  for (const ir::Attribute &read : statement.reads())
    access(statement, read.asDict(), /*isWrite=*/false);
  access(statement, statement.write(), /*isWrite=*/true);
  return true;
}

/// Elements of `tensor` that `accesses` and those by data touch.
static int64_t elementsOf(op::OperandOp tensor, llvm::ArrayRef<passes::DomainAccess> accesses,
                          double byData) {
  double whole = 1;
  for (int64_t extent : tensor.shape())
    whole *= static_cast<double>(extent);
  int64_t elements = accesses.empty() ? 0 : passes::touchedElements(tensor.shape(), accesses);
  if (byData == 0)
    return elements;
  double sum = std::min(whole, static_cast<double>(elements) + byData);
  return sum < 9e18 ? static_cast<int64_t>(sum) : INT64_MAX;
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
    bool isRead = (!isResult || tensor.isInPlace()) && !tensor.isHanded();
    work.isJoined |= tensor.isHanded();
    int64_t read = isRead ? elementsOf(tensor, elements.read, elements.readByData) : 0;
    int64_t written = isResult ? elementsOf(tensor, elements.written, elements.writtenByData) : 0;
    if (!bytes(read, moved.read) || !bytes(written, moved.written) ||
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

const KernelWork *WorkMemo::of(const ir::Operation &kernel, DiagnosticEngine &diagnostics) {
  constexpr size_t mostKept = 4096; // a sweep takes no more memory than a few of its points
  StructuralHash key = structuralHash(kernel);
  if (auto found = known.find(key); found != known.end())
    return &found->second;
  llvm::Optional<KernelWork> work = kernelWork(kernel, diagnostics);
  if (!work)
    return nullptr;
  if (known.size() >= mostKept)
    known.clear();
  return &known.emplace(key, std::move(*work)).first->second;
}
