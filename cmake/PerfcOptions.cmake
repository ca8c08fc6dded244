# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Build options, and `perfc_options`: the flags that every target of the project compiles with.

option(PERFC_WERROR "Treat warnings as errors" OFF)
option(PERFC_SANITIZE "Instrument with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(PERFC_FUZZ "Build the libFuzzer targets of test/fuzz (needs clang)" OFF)
option(PERFC_TIDY "Run clang-tidy on each file as it is compiled" OFF)
option(PERFC_MPI "Let `mpirun perfc sweep` share the points of sweeps (needs MPI)" OFF)
option(PERFC_BENCH "Build the benchmarks of bench/" OFF)
option(PERFC_UNITY "Compile the files of a folder several at a time: a third of the CPU time from nothing" OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

# What is installed belongs to the package perfc, unless it says otherwise.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME perfc)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

# For libperfc.so. Hidden symbols cost no more than those of a program.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(CMAKE_UNITY_BUILD ${PERFC_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 30 CACHE STRING "files at a time; more compile faster from nothing, and slower after a change")

find_program(PERFC_CCACHE ccache)
if(PERFC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${PERFC_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PERFC_CCACHE}")
endif()

# Of code that is not timed: a third less time to compile than -O2. Without the two flags g++ would not inline at -O1, where it
# takes more for uninitialised than is.
set(PERFC_COLD_FLAGS "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O1;-finline-functions;-finline-small-functions;-Wno-maybe-uninitialized>")

add_library(perfc_options INTERFACE)
target_include_directories(perfc_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(perfc_options INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers $<$<BOOL:${PERFC_WERROR}>:-Werror> -ffunction-sections -fdata-sections
  # As LLVM does: what would clean up after exceptions is a sixth of the time to compile and an eighth of the code. Libraries that
  # throw bring -fexceptions (perfc_throws). Where memory ends, the exception passes through all other code and cleans nothing up.
  -fno-exceptions
  # g++ takes the anonymous namespace of an included file for one of a header.
  $<$<AND:$<BOOL:${PERFC_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
target_link_options(perfc_options INTERFACE -Wl,--gc-sections -Wl,--as-needed)

# Of code that calls a library that throws.
add_library(perfc_throws INTERFACE)
target_compile_options(perfc_throws INTERFACE -fexceptions)

if(PERFC_SANITIZE)
  # Null pointers and objects that are too small are found by AddressSanitizer, too; these checks and that of alignment
  # are half of the time to compile.
  target_compile_options(perfc_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize=null,object-size,alignment -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(perfc_options INTERFACE -fsanitize=address,undefined)
endif()
if(PERFC_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PERFC_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++-16")
  endif()
  target_compile_options(perfc_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(PERFC_TIDY)
  find_program(PERFC_CLANG_TIDY NAMES clang-tidy-16 clang-tidy REQUIRED)
endif()
