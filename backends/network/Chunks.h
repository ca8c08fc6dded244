// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives in chunks: the buffer is cut into equal parts, each of which goes through the levels
// of the network by itself, so that levels work at the same time (themis: Rashidi et al., ISCA
// 2022). A level takes so many chunks at a time (`active_chunks`); of those that wait it takes the
// one that came first, or last. Where all take one at a time, a chunk has a level for itself, for
// as long as the closed form of its size says: the levels are machines of a flow shop, which is
// played stretch by stretch, whatever the number of ranks. Chunks that share a level mix on its
// links: their messages are simulated (Messages.h).
#ifndef PERFC_BACKENDS_NETWORK_CHUNKS_H
#define PERFC_BACKENDS_NETWORK_CHUNKS_H

#include "backends/network/ClosedForms.h"

namespace perfc {
namespace network {

/// How `kind` is divided on `system`: a barrier and a send are not, nor is what an `algorithm`
/// runs.
Chunking chunkingOf(const ir::Operation &system, CollectiveKind kind,
                    llvm::StringRef algorithm = "");

/// " in 8 chunks", "" for a whole.
std::string inChunks(const Chunking &chunking);

/// True when some of `levels` takes several of these chunks at a time.
bool shareLevels(const Chunking &chunking, llvm::ArrayRef<NetworkLevel> levels);

/// True when ranks inside of a line, which are done before those at its ends, may take these chunks
/// in another order than they.
bool overtakeOnLines(const Chunking &chunking, llvm::ArrayRef<NetworkLevel> levels);

/// s from start to end of `chunking.count` chunks that each go through `steps` one after the other
/// (at the same time where they `overlap`), one chunk at a time in each level. Steps that follow
/// each other on one level are one stay.
Uncertain chunkedTime(llvm::ArrayRef<CollectiveStep> steps, bool overlap, const Chunking &chunking);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_CHUNKS_H
