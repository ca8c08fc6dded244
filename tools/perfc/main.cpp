// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Main.h"
#ifdef PERFC_MIMALLOC
#include <cerrno>
#include <mimalloc.h>
#endif

int main(int argc, char **argv) {
#ifdef PERFC_MIMALLOC // its operator new does not ask the handler of C++
  mi_register_error(
      [](int error, void *) {
        if (error == ENOMEM || error == EOVERFLOW)
          perfc::driver::endWithoutMemory();
      },
      nullptr);
#endif
  return perfc::driver::perfcMain(argc, argv);
}
