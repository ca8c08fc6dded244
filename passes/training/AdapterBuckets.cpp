// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/AdapterBuckets.h"

#include "ir/op/OpOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class Buckets {
public:
  explicit Buckets(Region &region) : region(region) {}
  void run();

private:
  /// Collectives of one kind that go together.
  struct Bucket {
    std::vector<Operation *> members;
    llvm::DenseSet<const Operation *> behind; ///< operations that depend on a member
  };

  bool isOfAdapter(const Operation &collective) const;
  void close(Bucket &bucket);

  Region &region;
  llvm::DenseMap<const Value *, std::vector<const Operation *>> users;
};

} // namespace

/// A kernel of an adapter, or of its derivative.
static bool isAdapterKernel(const Operation &op) {
  if (!op.is(op::ApplyOp::opName))
    return false;
  op::KernelOp kernel(resolve(op, as<op::ApplyOp>(op).kernel()));
  return kernel.declaration().contains(".lora_");
}

/// True when only adapters make or read what goes in: not so the gradient of a layer's input.
bool Buckets::isOfAdapter(const Operation &collective) const {
  const Operation *maker = collective.operand(0).definingOp();
  bool isMade = maker && isAdapterKernel(*maker);
  bool isKept = maker && maker->is(op::TensorOp::opName);
  auto readers = users.find(&collective.result());
  return (isMade || isKept) && readers != users.end() &&
         llvm::all_of(readers->second,
                      [](const Operation *user) { return isAdapterKernel(*user); });
}

void Buckets::close(Bucket &bucket) {
  int64_t bytes = 0;
  for (Operation *member : bucket.members)
    if (member != bucket.members.back()) {
      member->setAttr("bucketed", Attribute::unit());
      bytes += std::max(member->operand(0).type().bytes().getValueOr(0),
                        member->result().type().bytes().getValueOr(0));
    }
  if (bytes > 0)
    bucket.members.back()->setAttr("with", bytes);
  bucket = Bucket();
}

void Buckets::run() {
  for (Operation &op : region)
    for (const Value *operand : op.operands())
      users[operand].push_back(&op);
  std::map<std::pair<std::string, std::string>, Bucket> open; // by kind and axis
  for (Operation &op : region) {
    for (auto &[key, bucket] : open)
      for (const Value *operand : op.operands())
        if (const Operation *maker = operand->definingOp();
            maker && (bucket.behind.count(maker) || llvm::is_contained(bucket.members, maker)))
          bucket.behind.insert(&op);
    auto collective = as<op::CollectiveOp>(op);
    if (!collective || collective.kind() == "slice" || !isOfAdapter(op))
      continue;
    Bucket &bucket = open[{collective.kind().str(), collective.axis().str()}];
    if (bucket.behind.count(&op))
      close(bucket);
    bucket.members.push_back(&op);
  }
  for (auto &[key, bucket] : open)
    close(bucket);
}

void passes::bucketAdapters(Operation &graph) {
  std::vector<Region *> regions = {&graph.body()};
  graph.body().walk([&](Operation &op) {
    if (op.is(op::RepeatOp::opName))
      regions.push_back(&op.body());
  });
  for (Region *region : regions)
    Buckets(*region).run();
}
