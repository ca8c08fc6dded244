// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedWorkload.h"

#include "ir/common/diagnostics/Fusion.h"
#include "passes/UnitLoops.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

bool WorkloadFusion::fail(SourceRange where, llvm::StringRef value, llvm::StringRef why) {
  diagnostics.report(where, diag::NoFusedValue, value, why);
  return false;
}

bool WorkloadFusion::isFused(llvm::StringRef value) const {
  return !value.empty() && llvm::any_of(mapping->body(), [&](const Operation &line) {
    return line.is(loopnest::FuseOp::opName) &&
           llvm::is_contained(line.stringsAttr("tensors"), value.str());
  });
}

static void sortByPlace(ApplyGroup &members) {
  llvm::DenseMap<const Operation *, size_t> place;
  for (const Operation &op : *members.front()->parentRegion())
    place.try_emplace(&op, place.size());
  llvm::sort(members, [&](const Operation *a, const Operation *b) {
    return place.lookup(a) < place.lookup(b);
  });
}

/// Only the last member's result may be used by others.
bool WorkloadFusion::makeJoined(const ApplyGroup &members, llvm::ArrayRef<ApplyGroup> units,
                                const Users &users, std::vector<JoinedGroup> &joined) {
  for (const Operation *member : members) {
    if (member == members.back())
      continue;
    auto used = users.find(&member->result());
    for (const Operation *user : used == users.end() ? std::vector<Operation *>() : used->second)
      if (!llvm::is_contained(members, user))
        return fail(member->range(), member->result().hint(),
                    "it is also used outside the operators that are fused, or is a result of the "
                    "workload");
  }
  joined.push_back({members, {}});
  std::vector<ApplyGroup> &order = joined.back().units;
  order.assign(units.begin(), units.end());
  llvm::stable_sort(order, [&](const ApplyGroup &a, const ApplyGroup &b) {
    return llvm::find(members, a.back()) < llvm::find(members, b.back());
  });
  return true;
}

bool WorkloadFusion::join(std::vector<ApplyGroup> &groups, const Operation &graph,
                          std::vector<JoinedGroup> &joined) {
  Users users;
  const_cast<Operation &>(graph).walk([&](Operation &op) {
    for (const Value *value : op.operands())
      users[value].push_back(&op);
  });
  llvm::DenseMap<const Operation *, size_t> groupOf;
  for (size_t i = 0; i < groups.size(); ++i)
    for (const Operation *member : groups[i])
      groupOf[member] = i;
  llvm::EquivalenceClasses<size_t> classes;
  for (size_t i = 0; i < groups.size(); ++i)
    for (Operation *member : groups[i]) {
      const Value &value = member->result();
      if (!isFused(value.hint()))
        continue;
      found.insert(value.hint());
      classes.insert(i);
      for (const Operation *user : users[&value]) {
        if (!groupOf.count(user))
          return fail(member->range(), value.hint(),
                      "it is a result of the workload, or used by what is no operator beside it");
        classes.unionSets(i, groupOf.lookup(user));
      }
    }
  std::vector<bool> isJoined(groups.size(), false);
  for (auto it = classes.begin(); it != classes.end(); ++it) {
    if (!it->isLeader())
      continue;
    ApplyGroup members;
    std::vector<ApplyGroup> units;
    for (auto member = classes.member_begin(it); member != classes.member_end(); ++member) {
      units.push_back(groups[*member]);
      members.append(groups[*member].begin(), groups[*member].end());
      isJoined[*member] = true;
    }
    sortByPlace(members);
    if (!makeJoined(members, units, users, joined))
      return false;
  }
  std::vector<ApplyGroup> others;
  for (size_t i = 0; i < groups.size(); ++i)
    if (!isJoined[i])
      others.push_back(std::move(groups[i]));
  groups = std::move(others);
  return true;
}

bool WorkloadFusion::specialise(op::KernelOp kernel, const JoinedGroup &group) {
  if (!known.try_emplace(kernel.op, true).second)
    return true;
  UnitLoops loops(kernel, group, mapping, diagnostics);
  loops.renameIndices();
  Operation *own = builder.createBefore(*mapping, loopnest::MappingOp::opName, mapping->location());
  own->setSymbol(module.uniqueName(mapping.symbol().str() + "_" + kernel.symbol().str()));
  own->setAttr("kernel", Attribute::symbol(kernel.symbol()));
  own->setAttr("target", Attribute::symbol(mapping.target()));
  own->setAttr("source", mapping.source());
  made.push_back(own->symbol().str());
  return loops.write(*own, builder);
}

bool WorkloadFusion::finish(study::EvaluateOp evaluate) {
  for (const Operation &line : mapping->body())
    if (line.is(loopnest::FuseOp::opName))
      for (const std::string &value : line.stringsAttr("tensors"))
        if (!found.count(value))
          return fail(line.range(), value,
                      "no operator of the workload makes a value of this name");
  AttrList with;
  for (const Attribute &name : evaluate->listAttr("with")) {
    if (name.asSymbol() != mapping.symbol())
      with.push_back(name);
    else
      for (const std::string &symbol : made)
        with.push_back(Attribute::symbol(symbol));
  }
  evaluate->setAttr("with", std::move(with));
  return true;
}
