// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Domains.h"

using namespace perfc;

static void nameIndices(const OpAccess &access, std::vector<std::string> &names) {
  for (const auto &map : access.map)
    if (map)
      for (const AffineExpr::Term &term : map->terms())
        if (!llvm::is_contained(names, term.name))
          names.push_back(term.name);
}

bool perfc::isRange(const AffineExpr &condition) {
  return condition.terms().size() == 1 && condition.terms()[0].coefficient == -1;
}

static void applyConditions(OpStatement &statement, llvm::ArrayRef<AffineExpr> conditions) {
  auto named = [&](const AffineExpr::Term &term) {
    return llvm::any_of(statement.domain, [&](auto &entry) { return entry.first == term.name; });
  };
  for (const AffineExpr &condition : conditions)
    if (!isRange(condition) && llvm::all_of(condition.terms(), named))
      statement.constraints.push_back(condition);
}

OpenIndex perfc::setDomains(std::vector<OpStatement> &statements,
                            llvm::ArrayRef<AffineExpr> conditions, const IndexExtents &extents) {
  for (OpStatement &statement : statements) {
    std::vector<std::string> names;
    nameIndices(statement.write, names);
    for (const OpAccess &read : statement.reads)
      nameIndices(read, names);
    for (const std::string &name : names) {
      auto known = extents.find(name);
      if (known == extents.end())
        return {&statement, name};
      statement.domain.push_back({name, known->second});
    }
    applyConditions(statement, conditions);
  }
  return {};
}

llvm::Optional<int64_t> perfc::hull(llvm::ArrayRef<OpStatement> statements, llvm::StringRef tensor,
                                    size_t rank, const IndexExtents &extents) {
  llvm::Optional<int64_t> size;
  auto visit = [&](const OpAccess &access) {
    if (access.tensor != tensor || rank >= access.map.size() || !access.map[rank])
      return;
    auto isKnown = [&](const AffineExpr::Term &term) { return extents.count(term.name) != 0; };
    if (!llvm::all_of(access.map[rank]->terms(), isKnown))
      return;
    auto extent = [&](llvm::StringRef index) { return extents.lookup(index); };
    if (auto reach = bounds(*access.map[rank], extent))
      size = std::max(size.getValueOr(0), reach->high + 1);
  };
  for (const OpStatement &statement : statements) {
    visit(statement.write);
    for (const OpAccess &read : statement.reads)
      visit(read);
  }
  return size;
}
