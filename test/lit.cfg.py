# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite: programs with their expected text beside them, in folders that mirror the source."""
import os
import shutil
import subprocess

import lit.formats

config.name = "perfc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".perf", ".ir"]
config.excludes = ["Inputs", "unit", "fuzz", "samples"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.perfc_build_root, "test")

# Substitutions are tried in order, so no name may be the beginning of a later one.
config.substitutions.append(("%perfc", os.path.join(config.perfc_build_root, "bin", "perfc")))
config.substitutions.append(("%stdlib", os.path.join(config.perfc_source_root, "stdlib")))
config.substitutions.append(("%examples", os.path.join(config.perfc_source_root, "docs", "examples")))
config.substitutions.append(("%docs", os.path.join(config.perfc_source_root, "docs")))
config.substitutions.append(("%root", config.perfc_source_root))
config.substitutions.append(("%build", config.perfc_build_root))
config.substitutions.append(("%python", config.python_executable))
config.substitutions.append(("%package_python", config.package_python))

# FileCheck, not and split-file.
config.environment["PATH"] = os.pathsep.join([config.llvm_tools_dir, config.environment["PATH"]])
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.perfc_mpi:
    config.available_features.add("mpi")
    config.environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    config.environment["OMPI_ALLOW_RUN_AS_ROOT"] = config.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
config.substitutions.append(("%mpirun", "mpirun"))
# A Slurm of the test's own takes munged, which runs as whoever the daemons run as.
if all(shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin") for tool in ("sbatch", "slurmctld", "slurmd", "munged")):
    config.available_features.add("slurm")
for module in ("onnx", "torch"):
    if not subprocess.call([config.package_python, "-c", f"import importlib.util, sys; sys.exit(not importlib.util.find_spec('{module}'))"]):
        config.available_features.add(module)
if shutil.which("chromium"): # for reports; ./dev test installs it
    config.available_features.add("browser")
    if "AXE_CORE" in os.environ: # the script of axe-core, whose rules reports are held against too
        config.environment["AXE_CORE"] = os.environ["AXE_CORE"]
if config.perfc_python:
    config.available_features.add("python")
if config.perfc_sanitize:
    config.available_features.add("sanitizer")
    # Leaks are looked for in test/serving, unit tests and fuzzers; at the end of some thousand processes that is a fifth of the time.
    config.environment["ASAN_OPTIONS"] = config.environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
# Of the examples of diagnostics a sanitizer sees those that fail; the others are programs like any.
config.substitutions.append(("%failing_only", "--failing" if config.perfc_sanitize else ""))
