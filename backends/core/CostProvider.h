// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Providers of costs. A provider answers spans of queries, each an operation to run on a target:
// roofline an op.kernel, loop-nest a loopnest.nest, tile a tile.kernel, network a collective. What
// has been asked before, up to names and places, is answered from a memo: the key is a structural
// hash of (operation, target, bytes moved), so equal layers are costed once.
#ifndef PERFC_BACKENDS_CORE_COSTPROVIDER_H
#define PERFC_BACKENDS_CORE_COSTPROVIDER_H

#include "backends/core/Cost.h"
#include "backends/core/StructuralHash.h"
#include "backends/core/VerifiedNests.h"
#include "ir/common/Diagnostics.h"
#include "ir/common/Providers.h"
#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <memory>
#include <set>

namespace perfc {

/// One question: what does `op` take on `target` (a target.chip, or a target.system for
/// collectives)?
struct CostQuery {
  const ir::Operation *op = nullptr;
  const ir::Operation *target = nullptr;
  /// The phase.kernel that runs it, which knows what fused statements move besides; may be null.
  const ir::Operation *placement = nullptr;
};

/// What the answer to `query` depends on: queries of one hash cost the same. `hashes` are those of
/// its module.
StructuralHash queryHash(const CostQuery &query, HashCache &hashes);

class CostProvider {
public:
  /// `name` is that of a row of ir/common/Providers.h.
  explicit CostProvider(llvm::StringRef name) : description(*findProvider(name)) {}
  virtual ~CostProvider() = default;
  const ProviderInfo &info() const { return description; }
  /// True when this kind of operation is answered here.
  virtual bool serves(const ir::Operation &op) const = 0;
  /// True when `target` has what it reads, so that it comes before others that serve an operation.
  virtual bool servesOn(const ir::Operation &target) const {
    (void)target;
    return true;
  }
  /// One answer per query, in order; nothing where it failed (reported).
  virtual std::vector<llvm::Optional<Cost>> evaluate(llvm::ArrayRef<CostQuery> queries,
                                                     DiagnosticEngine &diagnostics) = 0;
  /// What came of counting again since the last call, where nests are.
  virtual VerifiedNests takeVerified() { return {}; }

private:
  const ProviderInfo &description;
};

/// The providers of a run, and the memo of their answers.
class ProviderSet {
public:
  void add(std::unique_ptr<CostProvider> provider);
  /// Puts what `make` makes of the provider of that name in its place.
  using Make = llvm::function_ref<std::unique_ptr<CostProvider>(std::unique_ptr<CostProvider>)>;
  void replace(llvm::StringRef name, Make make);
  /// The one that the place of the query names, else the first that serves it on its target; null
  /// when none does.
  CostProvider *providerFor(const CostQuery &query) const;
  llvm::ArrayRef<std::unique_ptr<CostProvider>> all() const { return providers; }

  /// The cost of one query, from the memo when its structure has been seen; `hashes` are those of
  /// the query's module. Null when no provider serves it or the provider failed (reported). Valid
  /// until `forgetSome`.
  const Cost *evaluate(const CostQuery &query, HashCache &hashes, DiagnosticEngine &diagnostics);
  size_t memoSize() const { return memo.size(); }
  /// Empties a memo that has grown large, so that a sweep of many points takes no more memory than
  /// one of a few.
  void forgetSome();
  /// What came of counting those again that were asked for since the last call, equal ones once,
  /// also where the answer was known.
  VerifiedNests takeVerified();

private:
  std::vector<std::unique_ptr<CostProvider>> providers;
  std::map<StructuralHash, Cost> memo;
  std::map<StructuralHash, VerifiedNests> verified;
  std::set<StructuralHash> asked; ///< since they were last taken
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_COSTPROVIDER_H
