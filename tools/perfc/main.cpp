// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Main.h"

int main(int argc, char **argv) { return perfc::driver::perfcMain(argc, argv); }
