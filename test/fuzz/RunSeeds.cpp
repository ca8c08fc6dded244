// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a fuzz target over every file of a folder, without a fuzzer: what once crashed is a test
// from then on.

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: " << argv[0] << " FOLDER\n";
    return 2;
  }
  std::error_code error;
  unsigned seeds = 0;
  for (llvm::sys::fs::directory_iterator it(argv[1], error), end; !error && it != end;
       it.increment(error)) {
    auto buffer =
        llvm::MemoryBuffer::getFile(it->path(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer) {
      llvm::errs() << it->path() << ": " << buffer.getError().message() << "\n";
      return 1;
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>((*buffer)->getBufferStart()),
                           (*buffer)->getBufferSize());
    ++seeds;
  }
  llvm::outs() << seeds << " seeds\n";
  return error || seeds == 0 ? 1 : 0;
}
