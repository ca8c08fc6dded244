# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What perfc links: each library behind one target, its headers marked SYSTEM so that our warnings are ours.

# Static LLVMSupport: process start-up is 1 ms, against 11 ms for libLLVM.so.
find_package(LLVM 14 REQUIRED CONFIG)
llvm_map_components_to_libnames(perfc_llvm_libs support)
add_library(perfc_llvm INTERFACE)
target_include_directories(perfc_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(perfc_llvm INTERFACE ${perfc_llvm_libs})
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # JSON.h of LLVM 14 calls members of a vector whose elements are not complete yet. They are constexpr in C++20, and clang
  # instantiates such a member where it is called. LateVector's members are not. Value::getAsInteger takes 2^63, which a double holds and
  # an int64_t does not: undefined, and the least int64_t in what gcc makes of it, which no reader accepts.
  set(json "${PROJECT_BINARY_DIR}/generated/clang/llvm/Support/JSON.h")
  file(READ "${LLVM_INCLUDE_DIR}/llvm/Support/JSON.h" text)
  string(REPLACE "std::vector<Value>" "::perfc::LateVector<Value>" text "#include \"cmake/LateVector.h\"\n${text}")
  string(REPLACE "D <= double(std::numeric_limits<int64_t>::max())" "D < double(std::numeric_limits<int64_t>::max())" text "${text}")
  file(CONFIGURE OUTPUT "${json}" CONTENT "${text}" @ONLY)
  target_include_directories(perfc_llvm SYSTEM BEFORE INTERFACE "${PROJECT_BINARY_DIR}/generated/clang")
endif()

find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(isl REQUIRED IMPORTED_TARGET isl)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
# A program starts sooner with a library of its own than with one that is loaded: perfc_NAME is the archive for programs, where
# there is one, and what `shared` names for libperfc.
function(perfc_own_copy name shared)
  add_library(perfc_${name} INTERFACE)
  set(archives "")
  foreach(archive IN LISTS ARGN)
    find_library(PERFC_ARCHIVE_${archive} NAMES lib${archive}.a)
    mark_as_advanced(PERFC_ARCHIVE_${archive})
    list(APPEND archives "${PERFC_ARCHIVE_${archive}}")
  endforeach()
  if(archives MATCHES "NOTFOUND")
    target_link_libraries(perfc_${name} INTERFACE ${shared})
    return()
  endif()
  set(is_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
  foreach(archive IN LISTS archives)
    target_link_libraries(perfc_${name} INTERFACE "$<${is_program}:${archive}>")
  endforeach()
  target_link_libraries(perfc_${name} INTERFACE "$<$<NOT:${is_program}>:${shared}>")
  target_include_directories(perfc_${name} SYSTEM INTERFACE "$<TARGET_PROPERTY:${shared},INTERFACE_INCLUDE_DIRECTORIES>")
endfunction()
perfc_own_copy(sqlite3 PkgConfig::sqlite3 sqlite3 z)
perfc_own_copy(yaml yaml-cpp yaml-cpp)
target_link_libraries(perfc_yaml INTERFACE perfc_throws)
# isl stays shared: it stands on GMP, whose licence (LGPL) asks that a user can replace it.
add_library(perfc_isl INTERFACE)
target_link_libraries(perfc_isl INTERFACE PkgConfig::isl)
# Headers alone: only api/fit sees it.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
add_library(perfc_eigen INTERFACE)
target_link_libraries(perfc_eigen INTERFACE Eigen3::Eigen)
# The report: d3 (Debian's libjs-d3) is embedded, for browsers and for Duktape, an interpreter of JavaScript. Only backends/emit/report
# sees it. d3 3 is what Duktape can read.
pkg_check_modules(duktape REQUIRED IMPORTED_TARGET duktape)
add_library(perfc_duktape INTERFACE)
target_link_libraries(perfc_duktape INTERFACE PkgConfig::duktape)
# The command's allocator: a quarter of the time of a sweep's points is small objects that come and go with each. Sanitizers bring their
# own, and a program that links libperfc has its own.
add_library(perfc_allocator INTERFACE)
if(NOT PERFC_SANITIZE)
  find_package(mimalloc 2.0 REQUIRED)
  target_link_libraries(perfc_allocator INTERFACE mimalloc)
  target_compile_definitions(perfc_allocator INTERFACE PERFC_MIMALLOC)
endif()
find_file(PERFC_D3 d3.min.js PATHS /usr/share/javascript/d3 REQUIRED)
find_file(PERFC_D3_LICENCE copyright PATHS /usr/share/doc/libjs-d3 NO_DEFAULT_PATH REQUIRED)
# Itself, not a script in front of it: those of version managers take longer than the programs that builds and tests run.
find_program(perfc_python3 python3 REQUIRED)
execute_process(COMMAND "${perfc_python3}" -c "import sys; print(sys.executable)" COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_VARIABLE perfc_python3_itself OUTPUT_STRIP_TRAILING_WHITESPACE)
set(Python3_EXECUTABLE "${perfc_python3_itself}" CACHE FILEPATH "Python of builds and tests")
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# The Python package: of Debian's own Python, for which its packages are; -DPython_EXECUTABLE=… names another one.
find_program(Python_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT Python_EXECUTABLE)
  unset(Python_EXECUTABLE CACHE)
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 QUIET CONFIG)
if(Python_Development.Module_FOUND AND pybind11_FOUND AND NOT PERFC_SANITIZE)
  set(can_build ON)
else()
  set(can_build OFF)
endif()
option(PERFC_PYTHON "Build the Python package" ${can_build})
if(PERFC_PYTHON AND NOT can_build)
  message(FATAL_ERROR "PERFC_PYTHON needs pybind11 and the headers of Python, and no sanitizers")
endif()

# FlatBuffers: headers, and the compiler of schemas; only frontend/import/tflite sees them.
find_program(PERFC_FLATC flatc REQUIRED)
find_path(PERFC_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h REQUIRED)
add_library(perfc_flatbuffers INTERFACE)
target_include_directories(perfc_flatbuffers SYSTEM INTERFACE "${PERFC_FLATBUFFERS_INCLUDE}")

# ANTLR: only grammar/ and frontend/syntax see it.
find_package(antlr4-runtime 4.9 REQUIRED)
find_program(PERFC_ANTLR_TOOL antlr4 REQUIRED)
add_library(perfc_antlr INTERFACE)
target_include_directories(perfc_antlr SYSTEM INTERFACE "${ANTLR4_INCLUDE_DIR}")
target_link_libraries(perfc_antlr INTERFACE antlr4_static perfc_throws)
