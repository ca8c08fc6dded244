// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/sweep/SlurmScript.h"

#include <fmt/format.h>

using namespace perfc;

/// A word that the shell takes as it is.
static std::string quoted(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string driver::slurmScript(llvm::StringRef file, llvm::StringRef database, unsigned tasks,
                                llvm::ArrayRef<std::string> options) {
  std::string words;
  for (const std::string &option : options)
    words += " " + quoted(option);
  std::string parts;
  for (unsigned task = 1; task <= tasks; ++task)
    parts += fmt::format(" {}.{}", quoted(database), task);
  return fmt::format(R"(#!/bin/bash
#SBATCH --job-name=perfc-sweep
#SBATCH --array=1-{0}
#SBATCH --ntasks=1
# A task that was killed goes on where it stopped when it is submitted again. When all are done:
#   perfc merge {1}{2}
set -eu
exec "${{PERFC:-perfc}}" sweep {3} --quiet --shard "$SLURM_ARRAY_TASK_ID/{0}" --db {1}."$SLURM_ARRAY_TASK_ID"{4}
)",
                     tasks, quoted(database), parts, quoted(file), words);
}
