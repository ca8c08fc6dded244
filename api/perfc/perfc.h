/* Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libperfc for C and for what calls C: opaque programs, answers as JSON (docs/output.md). One
 * program is used by one thread at a time, except for perfc_cancel; several programs may run at
 * once. A text that is returned belongs to the program and lasts until its next call; a function
 * that fails returns NULL (or 0), and perfc_problems says why.
 */
#ifndef PERFC_PERFC_H
#define PERFC_PERFC_H

#ifndef PERFC_EXPORT
#define PERFC_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perfc_program perfc_program;

/* "0.1.0" */
PERFC_EXPORT const char *perfc_version(void);

/* Parses and checks a text, which messages call `name`; or a file. Never NULL unless the memory
 * does not suffice: what is wrong is in perfc_problems. Free it with perfc_free. */
PERFC_EXPORT perfc_program *perfc_load(const char *text, const char *name);
PERFC_EXPORT perfc_program *perfc_load_file(const char *path);
PERFC_EXPORT void perfc_free(perfc_program *program);

/* 1 unless there is an error among the problems. */
PERFC_EXPORT int perfc_is_good(const perfc_program *program);
/* The problems of the load and of the last run, as `--diagnostics json` prints them. */
PERFC_EXPORT const char *perfc_problems(perfc_program *program);

/* Sets a parameter for the runs that follow: "8", "2TB/s". 0 when there is none or it is no value.
 */
PERFC_EXPORT int perfc_set(perfc_program *program, const char *parameter, const char *value);
/* Evaluates all statements: the document of `perfc run --json`. */
PERFC_EXPORT const char *perfc_run(perfc_program *program);
/* Ends a run soon, from any thread. */
PERFC_EXPORT void perfc_cancel(perfc_program *program);

/* The text in the one style of the language. */
PERFC_EXPORT const char *perfc_format(perfc_program *program);
/* The IR at "op", "loopnest", "tile", "phase" or "collective". */
PERFC_EXPORT const char *perfc_ir(perfc_program *program, const char *level);
/* What stands at a place, from 1: {"name", "kind", "declaration", "module", "value",
 * "documentation", "place"}; NULL where nothing does. */
PERFC_EXPORT const char *perfc_at(perfc_program *program, unsigned line, unsigned column);

#ifdef __cplusplus
}
#endif

#endif /* PERFC_PERFC_H */
