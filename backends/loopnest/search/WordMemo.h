// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers remembered under keys of a few words.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_WORDMEMO_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_WORDMEMO_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace perfc {
namespace loopnest {

class WordMemo {
public:
  WordMemo() : table(256) {}

  /// What is remembered under `key`, as a place to write to when `isNew`. It is valid until the
  /// next call.
  double &operator()(llvm::ArrayRef<uint64_t> key, bool &isNew) {
    if (2 * (used + 1) > table.size())
      grow();
    uint64_t hash = key.size();
    for (uint64_t word : key)
      hash = ((hash ^ hash >> 29) + word) * 0xBF58476D1CE4E5B9ULL;
    Entry &entry = entryFor(key, hash ^ hash >> 32);
    isNew = !entry.length;
    if (isNew) {
      entry = {hash ^ hash >> 32, words.size(), key.size(), 0};
      words.insert(words.end(), key.begin(), key.end());
      ++used;
    }
    return entry.value;
  }

private:
  struct Entry {
    uint64_t hash = 0;
    size_t begin = 0, length = 0; ///< of the key in `words`; an empty entry has none
    double value = 0;
  };
  Entry &entryFor(llvm::ArrayRef<uint64_t> key, uint64_t hash) {
    for (size_t at = hash;; ++at) {
      Entry &entry = table[at & (table.size() - 1)];
      if (!entry.length ||
          (entry.hash == hash && llvm::makeArrayRef(&words[entry.begin], entry.length) == key))
        return entry;
    }
  }
  void grow() {
    std::vector<Entry> old(table.size() * 2);
    old.swap(table);
    for (const Entry &entry : old)
      if (entry.length)
        entryFor({&words[entry.begin], entry.length}, entry.hash) = entry;
  }

  std::vector<Entry> table;
  std::vector<uint64_t> words;
  size_t used = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_WORDMEMO_H
