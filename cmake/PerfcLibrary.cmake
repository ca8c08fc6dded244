# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# perfc_library(TARGET [COLD] [SUBFOLDERS dir…] [DEPENDS lib…] [PRIVATE_DEPENDS lib…])
#
# One library per folder: its sources are the folder's *.cpp (and those of SUBFOLDERS), found again at each build. A folder
# that has no source yet becomes an INTERFACE library, so what stands on it can already name it. COLD: a program spends little of its
# time in it (makes modules, reads files, prints results), so a release is built sooner, and 1 % slower, with fewer optimisations.
function(perfc_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "" "SUBFOLDERS;DEPENDS;PRIVATE_DEPENDS")
  set(patterns "*.cpp")
  foreach(folder IN LISTS arg_SUBFOLDERS)
    list(APPEND patterns "${folder}/*.cpp")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(NOT sources)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE perfc_options perfc_llvm fmt::fmt ${arg_DEPENDS} ${arg_PRIVATE_DEPENDS})
    return()
  endif()
  add_library(${target} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY PERFC_LIBRARIES ${target}) # what libperfc is made of
  target_link_libraries(${target} PUBLIC perfc_options perfc_llvm fmt::fmt ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  if(arg_COLD)
    target_compile_options(${target} PRIVATE ${PERFC_COLD_FLAGS})
  endif()
  if(PERFC_TIDY)
    set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "${PERFC_CLANG_TIDY}")
  endif()
endfunction()

# perfc_embed(TARGET HEADER FUNCTION NAME=FILE…)
#
# Adds to TARGET the texts of the files, which perfc::FUNCTION(name), declared in HEADER, returns.
function(perfc_embed target header function)
  string(REGEX REPLACE "[/:]+" "_" name "${header}")
  set(embedded "${PROJECT_BINARY_DIR}/generated/embedded/${name}.cpp")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/generated/embedded")
  list(TRANSFORM ARGN REPLACE "^[a-z0-9_]+=" "" OUTPUT_VARIABLE files)
  add_custom_command(
    OUTPUT "${embedded}"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/embed_text.py" "${header}" "${function}" "${embedded}" ${ARGN}
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/embed_text.py" "${PROJECT_SOURCE_DIR}/cmake/embed_stdlib.py"
    COMMENT "Embedding the texts of ${header}" VERBATIM)
  target_sources(${target} PRIVATE "${embedded}")
endfunction()
