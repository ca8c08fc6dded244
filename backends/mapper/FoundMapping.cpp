// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/FoundMapping.h"

using namespace perfc;
using namespace perfc::mapper;

std::string mapper::mappingCase(op::KernelOp kernel, const NestSpace &space,
                                const loopnest::Mapping &mapping) {
  std::string condition;
  const ir::AttrDict &parameters = kernel->dictAttr("parameters");
  for (const auto &[name, value] : parameters.entries())
    if (value.is(ir::AttrKind::Int))
      condition += fmt::format("{}{} == {}", condition.empty() ? "" : " and ", name, value.asInt());
  std::string lines = mappingLines(space, mapping, condition.empty() ? "  " : "    ");
  return condition.empty() ? lines : fmt::format("  if {} {{\n{}  }}\n", condition, lines);
}

std::string mapper::chipText(llvm::StringRef on, llvm::StringRef symbol) {
  on = on.split(" over ").first;
  if (size_t star = on.find(" * "); star != llvm::StringRef::npos)
    on = on.drop_front(star + 3);
  auto [path, arguments] = on.split('(');
  llvm::StringRef name = path.rsplit('.').second.empty() ? path : path.rsplit('.').second;
  if (!symbol.startswith(name))
    return symbol.str();
  return name.str() + (arguments.empty() ? "" : "(" + arguments.str());
}

std::string mapper::printMappings(llvm::ArrayRef<FoundMapping> mappings, llvm::StringSet<> &taken) {
  std::string text;
  for (const FoundMapping &mapping : mappings) {
    std::string name = "best_" + mapping.op;
    for (unsigned number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("best_{}_{}", mapping.op, number);
    text += fmt::format("mapping {} for {} on {} {{\n{}}}\n", name, mapping.op, mapping.chip,
                        mapping.cases);
  }
  return text;
}

std::string mapper::printMappings(const FoundFront &front, llvm::StringSet<> &taken) {
  std::string text;
  for (const FoundFront::Point &point : front.points) {
    if (point.isChosen)
      continue;
    std::string values;
    for (size_t i = 0; i < front.metrics.size(); ++i)
      values += fmt::format("{}{} {}", values.empty() ? "" : ", ", front.metrics[i],
                            formatEngineering(point.values[i]));
    text += "// " + values + "\n" + printMappings(point.mappings, taken);
  }
  return text;
}
