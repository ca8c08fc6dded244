/* Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a file with parameters NAME=VALUE, and prints the document of its results, or what is wrong.
 */
#include <perfc/perfc.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  perfc_program *program;
  int i;
  if (argc < 2) {
    fprintf(stderr, "usage: document FILE [NAME=VALUE…]\n");
    return 2;
  }
  program = perfc_load_file(argv[1]);
  for (i = 2; program && i < argc; ++i) {
    char *value = strchr(argv[i], '=');
    if (value)
      *value++ = 0;
    if (!value || !perfc_set(program, argv[i], value)) {
      fprintf(stderr, "`%s` cannot be set\n", argv[i]);
      perfc_free(program);
      return 2;
    }
  }
  if (program)
    fputs(perfc_run(program), stdout);
  if (program && !perfc_is_good(program))
    fputs(perfc_problems(program), stderr);
  i = program && perfc_is_good(program) ? 0 : 2;
  perfc_free(program);
  return i;
}
