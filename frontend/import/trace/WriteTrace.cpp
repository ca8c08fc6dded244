// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/names/ProgramNames.h"
#include "frontend/import/trace/CallText.h"
#include "ir/common/diagnostics/Graphs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <fmt/format.h>
#include <map>

using namespace perfc;
using namespace perfc::trace;

namespace {

/// Calls that are alike.
struct Kind {
  std::string name, op, format;
  CallText text;
  uint64_t calls = 0;
  double microseconds = 0;
};

class Writer {
public:
  Writer(const Trace &trace, FileId file, const WriteOptions &options,
         DiagnosticEngine &diagnostics)
      : trace(trace), file(file), options(options), diagnostics(diagnostics) {}
  llvm::Optional<Written> run();

private:
  void choose();
  void add(const Call &call, CallText text, double microseconds, bool isTf32 = false);
  bool reportUnknown();
  std::string heading() const;
  std::string body() const;
  std::string comparison() const;

  const Trace &trace;
  FileId file;
  const WriteOptions &options;
  DiagnosticEngine &diagnostics;
  std::vector<Kind> kinds;
  std::map<std::string, size_t> byText;    ///< of body and format
  std::map<std::string, unsigned> numbers; ///< of names
  std::map<std::string, uint64_t> unknown, leftOut;
  uint64_t calls = 0;
  double microseconds = 0;
};

} // namespace

/// The format of what `call` multiplies and adds: of its first tensor of real numbers. Whole
/// numbers alone count as real ones of as many bits.
static std::string formatOf(const Call &call) {
  std::string any;
  for (const Argument &argument : call.arguments)
    for (const Tensor &tensor : argument.tensors) {
      if (llvm::StringRef(tensor.format).contains("fp") || tensor.format == "bf16")
        return tensor.format;
      if (any.empty())
        any = tensor.format;
    }
  return llvm::StringSwitch<std::string>(any)
      .Case("int64", "fp64")
      .Case("int16", "fp16")
      .Cases("int8", "bool", "fp8")
      .Default("fp32");
}

void Writer::add(const Call &call, CallText text, double time, bool isTf32) {
  std::string format = formatOf(call);
  if (isTf32 && format == "fp32")
    format = "tf32";
  if (!text.isKnown)
    ++unknown[call.op];
  ++calls;
  microseconds += time;
  auto [known, isNew] = byText.try_emplace(call.op + format + text.body, kinds.size());
  if (isNew) {
    std::string base;
    for (char c : plainName(call.op))
      base += llvm::isAlnum(c) ? c : '_';
    base = llvm::StringRef(base).ltrim('_').str();
    if (base.empty() || llvm::isDigit(base.front()))
      base = "call" + base;
    kinds.push_back(
        {fmt::format("{}_{}", base, ++numbers[base]), call.op, format, std::move(text)});
  }
  ++kinds[known->second].calls;
  kinds[known->second].microseconds += time;
}

/// Takes the outermost calls that the library has; of others, those inside, or what starts kernels.
void Writer::choose() {
  const std::vector<Call> &all = trace.calls;
  std::vector<uint64_t> kernels(all.size() + 1), working(all.size() + 1);
  std::vector<double> time(all.size() + 1);
  for (size_t i = 0; i < all.size(); ++i) {
    bool works = all[i].op.rfind("aten::", 0) == 0 && !movesNothing(all[i].op);
    kernels[i + 1] = kernels[i] + all[i].ownKernels;
    working[i + 1] = working[i] + works;
    time[i + 1] = time[i] + all[i].kernels;
  }
  for (size_t i = 0; i < all.size();) {
    const Call &call = all[i];
    size_t end = std::max(call.end, i + 1);
    if (trace.hasKernels && kernels[end] == kernels[i]) {
      i = end;
      continue;
    }
    double taken = trace.hasKernels ? time[end] - time[i] : call.host;
    bool isInside = trace.hasKernels ? kernels[end] - kernels[i] > call.ownKernels
                                     : working[end] > working[i + 1];
    bool isWork = trace.hasKernels ? call.ownKernels > 0 : !movesNothing(call.op);
    if (auto text = libraryCall(call)) {
      bool isTf32 = std::any_of(all.begin() + i, all.begin() + end,
                                [](const Call &inside) { return inside.isTf32; });
      add(call, std::move(*text), taken, isTf32);
      i = end;
    } else if ((isInside && !call.ownKernels) || !isWork) {
      ++i;
    } else {
      if (auto moved = byBytes(call))
        add(call, std::move(*moved), taken);
      else if (trace.hasKernels)
        ++leftOut[call.op];
      i = end;
    }
  }
}

/// What the library lacks; false where that is an error.
bool Writer::reportUnknown() {
  for (const auto &[op, count] : unknown)
    if (options.isStrict)
      diagnostics.report({file, 0, 0}, diag::GraphUnknownOpStrict, op);
    else
      diagnostics.report({file, 0, 0}, diag::GraphUnknownOp, op,
                         fmt::format("{} {}", count, count == 1 ? "call is" : "calls are"));
  return unknown.empty() || !options.isStrict;
}

std::string Writer::heading() const {
  std::string text =
      fmt::format("// {} calls of operators of PyTorch, {} kinds of them", calls, kinds.size());
  if (!trace.device.empty() && trace.hasKernels) {
    text += ", on ";
    for (char c : trace.device)
      text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  if (trace.isTimed)
    text += fmt::format(": {:.1f} us {}", microseconds,
                        trace.hasKernels ? "of kernels" : "on the host");
  text += ".\n";
  for (const auto &[op, count] : leftOut)
    text += fmt::format("// Without tensors, and so left out: {} of {}.\n", count, plainName(op));
  std::set<std::string> modules;
  for (const Kind &kind : kinds)
    modules.insert(kind.text.modules.begin(), kind.text.modules.end());
  if (!modules.empty())
    text += fmt::format("import std.ops.{{{}}}\n", llvm::join(modules, ", "));
  return text;
}

/// An op that reads tensors of as many elements as the result ("e") and others ("o") once each.
static std::string movingOp(llvm::StringRef reads) {
  std::string operands, sums, value;
  if (reads == "none")
    return "op moves_none(K) -> y[1 * K] {\n  where i < K\n  y[i] = 0\n}\n";
  bool hasEqual = reads.contains('e');
  for (size_t i = 0; i < reads.size(); ++i) {
    bool isEqual = reads[i] == 'e';
    operands += fmt::format("{}x{}[{}]", i ? ", " : "", i, isEqual ? "N" : fmt::format("M{}", i));
    if (!isEqual)
      sums += fmt::format("  s{0} += x{0}[j{0}]\n", i);
    value += fmt::format("{}{}", i ? " + " : "",
                         isEqual ? fmt::format("x{}[i]", i) : fmt::format("s{}", i));
  }
  return fmt::format("op moves_{}({}{}) -> y[{}] {{\n{}{}  y[i] = {}\n}}\n", reads, operands,
                     hasEqual ? "" : ", K", hasEqual ? "N" : "1 * K",
                     hasEqual ? "" : "  where i < K\n", sums, value);
}

std::string Writer::body() const {
  std::string text, whole, results;
  std::set<std::string> moving;
  for (const Kind &kind : kinds)
    if (!kind.text.traffic.empty())
      moving.insert(kind.text.traffic);
  if (!moving.empty())
    text += "\n// What operators read and write, by how many elements their tensors have.\n";
  for (const std::string &reads : moving)
    text += movingOp(reads);
  for (const Kind &kind : kinds) {
    std::string times;
    if (trace.isTimed)
      times = fmt::format(": {:.2f} us{}", kind.microseconds / kind.calls,
                          kind.calls == 1 ? "" : " each");
    text += fmt::format("\n// {} call{} of {}{}\nworkload {} -> {} {{\n{}}}\n", kind.calls,
                        kind.calls == 1 ? "" : "s", kind.op, times, kind.name,
                        llvm::join(kind.text.results, ", "), kind.text.body);
    std::string called = fmt::format("{}(dtype = {})", kind.name, kind.format);
    if (kind.text.results.size() > 1)
      called += "[0]";
    whole += fmt::format("  {} = {}\n", "outputs_" + kind.name, called);
    if (kind.calls > 1)
      whole += fmt::format("  repeat {} {{ {} = {} }}\n", kind.calls - 1, "outputs_" + kind.name,
                           called);
    results += (results.empty() ? "outputs_" : ", outputs_") + kind.name;
  }
  return text + fmt::format("\n// All of them, one by one.\nworkload calls -> {} {{\n{}}}\n",
                            results, whole);
}

std::string Writer::comparison() const {
  if (options.table.empty())
    return "";
  std::string text = "\nlet kinds = [";
  for (const Kind &kind : kinds)
    text += fmt::format("{}(\"{}\", {}(dtype = {}))", &kind == kinds.data() ? "" : ", ", kind.name,
                        kind.name, kind.format);
  return text + fmt::format("]\n\nvalidate row in {} {{\n  name \"{{row.call}}\"\n"
                            "  evaluate lookup(row.call, kinds) on {}\n"
                            "  against latency / 1us = row.measured_us as latency_us by operator = "
                            "row.operator\n}}\n",
                            quotedText(options.table), options.chip);
}

llvm::Optional<Written> Writer::run() {
  choose();
  if (kinds.empty())
    diagnostics.report({file, 0, 0}, diag::GraphBroken, "PyTorch",
                       "it has no call of an operator that computes something");
  if (kinds.empty() || !reportUnknown())
    return llvm::None;
  Written written;
  written.program = heading();
  if (!options.table.empty())
    written.program += fmt::format("import {}\n", options.chipModule);
  written.program += body() + comparison();
  written.table = "call,operator,calls,measured_us\n";
  for (const Kind &kind : kinds) {
    std::string op;
    for (char c : kind.op)
      op += llvm::isAlnum(c) || c == '_' || c == ':' ? c : '_';
    written.table +=
        fmt::format("{},{},{},{:.3f}\n", kind.name, op, kind.calls, kind.microseconds / kind.calls);
  }
  return written;
}

llvm::Optional<Written> trace::writeTrace(const Trace &trace, FileId file,
                                          const WriteOptions &options,
                                          DiagnosticEngine &diagnostics) {
  return Writer(trace, file, options, diagnostics).run();
}
