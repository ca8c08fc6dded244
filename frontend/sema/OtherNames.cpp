// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/OtherNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;

llvm::StringRef perfc::wordCalled(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases("size", "depth", "capacity")
      .Cases("frequency", "freq", "clock")
      .Cases("datatype", "precision", "dtype")
      .Cases("throughput", "flops", "rate")
      .Cases("sram", "dram", "cache", "buffer", "memory")
      .Cases("zero", "fsdp", "shard")
      .Cases("batch_size", "global_batch", "global_batch_size", "gbs", "batch")
      .Cases("micro_batch", "micro_batch_size", "microbatch_size", "mbs", "microbatch")
      .Cases("seq_len", "seq_length", "seqlen", "sequence_length", "context")
      .Cases("checkpointing", "activation_checkpointing", "gradient_checkpointing", "recompute")
      .Default("");
}

llvm::StringRef perfc::choiceCalled(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases("tp", "tensor_parallel", "tensor_parallel_size", "tensor")
      .Cases("pp", "pipeline_parallel", "pipeline_parallel_size", "pipeline")
      .Cases("dp", "data_parallel", "data_parallel_size", "data")
      .Cases("cp", "context_parallel", "context_parallel_size", "context")
      .Cases("ep", "expert_parallel", "expert_parallel_size", "expert")
      .Cases("sp", "sequence_parallel", "sequence")
      .Default("");
}

llvm::StringRef perfc::dtypeCalled(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases("float64", "double", "f64", "fp64")
      .Cases("float32", "float", "single", "f32", "fp32")
      .Cases("float16", "half", "f16", "fp16")
      .Cases("bfloat16", "bfloat", "bf16")
      .Cases("float8", "fp8_e4m3", "fp8_e5m2", "e4m3", "e5m2", "fp8")
      .Cases("float4", "fp4_e2m1", "e2m1", "fp4")
      .Cases("int", "i32", "int32")
      .Case("i16", "int16")
      .Case("i8", "int8")
      .Case("i4", "int4")
      .Default("");
}

llvm::StringRef perfc::metricCalled(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases("time", "runtime", "delay", "duration", "latency")
      .Cases("util", "efficiency", "utilization")
      .Cases("tokens_per_second", "tps", "tokens_per_s")
      .Cases("requests_per_second", "rps", "qps", "requests_per_s")
      .Cases("price", "dollars", "cost")
      .Cases("itl", "time_per_output_token", "tpot")
      .Case("time_to_first_token", "ttft")
      .Case("mem", "memory")
      .Default("");
}

std::string perfc::unitHelp(llvm::StringRef text, llvm::StringRef bad) {
  struct Ending {
    llvm::StringLiteral written, meant;
  };
  static constexpr Ending endings[] = {
      {"FLOPS", "FLOP/s"}, {"OPS", "OP/s"}, {"Bps", "B/s"}, {"bps", "b/s"}};
  llvm::StringRef number = text.drop_back(bad.size()), ignored;
  for (const Ending &ending : endings) {
    llvm::StringRef prefix = bad;
    bool isCase = ending.written.endswith("ps"); // a byte is no bit
    if (isCase ? !prefix.consume_back(ending.written)
               : !prefix.consume_back_insensitive(ending.written))
      continue;
    std::string unit = (prefix + ending.meant).str();
    if (parseUnit(unit, ignored))
      return fmt::format("write `{}{}`", number, unit);
  }
  llvm::StringRef unit = llvm::StringSwitch<llvm::StringRef>(bad)
                             .Cases("bit", "bits", "b")
                             .Cases("byte", "bytes", "Byte", "Bytes", "B")
                             .Cases("sec", "second", "seconds", "s")
                             .Cases("cycles", "clk", "cycle")
                             .Default("");
  if (!unit.empty() && parseNumber((number + unit).str(), ignored))
    return fmt::format("write `{}{}`", number, unit);
  static constexpr llvm::StringLiteral prefixes[] = {"k",  "K",  "M",  "G", "T",
                                                     "Ki", "Mi", "Gi", "Ti"};
  if (llvm::is_contained(prefixes, bad))
    return fmt::format("a prefix stands before a unit, such as `{0}{1}B`; a plain number has none",
                       number, bad.size() == 1 ? bad.upper() + "i" : bad.str());
  return "";
}

std::string perfc::unitNeeded(llvm::StringRef text, const Dimension &dimension) {
  if (text.empty() || !llvm::all_of(text, [](char c) { return llvm::isDigit(c) || c == '.'; }))
    return "";
  std::string unit = dimension.unitText();
  unit = llvm::StringSwitch<std::string>(unit)
             .Case("s", "ms")
             .Case("J", "mJ")
             .Case("m^2", "mm2")
             .Case("J/s", "W")
             .Default(unit);
  llvm::StringRef bad;
  if (unit.empty() || !parseUnit(unit, bad))
    return "";
  return fmt::format("the unit stands directly after its number, such as `{}{}`", text, unit);
}

/// What is meant by the name of a unit that stands apart, `100GB / s`; "" for other names.
static std::string unitApart(const SourceManager &sources, SourceRange range) {
  llvm::StringRef text = sources.text(range.file).take_front(range.begin), bad;
  llvm::StringRef before = text.rtrim(' ');
  if (!before.consume_back("/") || text.endswith("/"))
    return "";
  before = before.rtrim(' ');
  auto isInNumber = [](char c) { return llvm::isAlnum(c) || c == '.' || c == '/' || c == '%'; };
  size_t length = 0;
  while (length < before.size() && isInNumber(before[before.size() - 1 - length]))
    ++length;
  std::string joined = (before.take_back(length) + "/" + sources.text(range)).str();
  if (length == 0 || !llvm::isDigit(joined[0]) || !parseNumber(joined, bad))
    return "";
  return fmt::format("a unit stands directly after its number: `{}`", joined);
}

std::string perfc::nameHelp(const SourceManager &sources, SourceRange range) {
  llvm::StringRef name = sources.text(range);
  if (llvm::StringRef format = dtypeCalled(name); !format.empty())
    return fmt::format("the format is called `{}` here", format.str());
  if (llvm::StringRef metric = metricCalled(name); !metric.empty())
    return fmt::format("the metric is called `{}` here", metric.str());
  if (name == "range")
    return "the whole numbers from 0 to 3 are `0..3`";
  return unitApart(sources, range);
}
