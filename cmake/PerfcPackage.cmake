# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` copies beside the compiler, and the packages that `cpack` makes of it: perfc, and where the Python
# package is built, python3-perfc. The standard library is inside
# the binary; its text is installed too, to be read.
include(GNUInstallDirs)
install(FILES tools/torch/export_torch.py DESTINATION "${CMAKE_INSTALL_DATADIR}/perfc")
install(DIRECTORY stdlib/ DESTINATION "${CMAKE_INSTALL_DATADIR}/perfc/stdlib" FILES_MATCHING PATTERN "*.perf")
# What `perfc validate --card` reads without a file.
install(FILES test/card.csv DESTINATION "${CMAKE_INSTALL_DATADIR}/perfc/tables")
install(DIRECTORY test/measured test/reference DESTINATION "${CMAKE_INSTALL_DATADIR}/perfc/tables"
        PATTERN "*.test" EXCLUDE PATTERN "lit.*" EXCLUDE)
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" FILES_MATCHING PATTERN "*.md" PATTERN "*.schema.json" PATTERN "*.perf" PATTERN "agents.py")
# The library: headers, both forms of it, and how CMake and pkg-config find them.
install(DIRECTORY api/perfc/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/perfc")
install(TARGETS libperfc EXPORT perfcTargets LIBRARY)
install(FILES "${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/static/libperfc.a" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
set(config "${CMAKE_INSTALL_LIBDIR}/cmake/perfc")
install(EXPORT perfcTargets NAMESPACE perfc:: DESTINATION "${config}")
file(RELATIVE_PATH PERFC_INCLUDE_FROM_LIB "/${CMAKE_INSTALL_LIBDIR}" "/${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/perfcConfig.cmake.in "${PROJECT_BINARY_DIR}/generated/perfcConfig.cmake" @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/perfcConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/perfcConfig.cmake" "${PROJECT_BINARY_DIR}/generated/perfcConfigVersion.cmake"
        DESTINATION "${config}")
# The prefix is known when it is installed.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/package.cmake" @ONLY CONTENT [[
set(PROJECT_DESCRIPTION "@PROJECT_DESCRIPTION@")
set(PROJECT_VERSION "@PROJECT_VERSION@")
set(CMAKE_INSTALL_LIBDIR "@CMAKE_INSTALL_LIBDIR@")
set(CMAKE_INSTALL_INCLUDEDIR "@CMAKE_INSTALL_INCLUDEDIR@")
configure_file("@PROJECT_SOURCE_DIR@/cmake/perfc.pc.in" "@PROJECT_BINARY_DIR@/generated/perfc.pc" @ONLY)
]])
install(SCRIPT "${PROJECT_BINARY_DIR}/generated/package.cmake")
install(FILES "${PROJECT_BINARY_DIR}/generated/perfc.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The perfc authors <perfc@localhost>")
set(CPACK_PACKAGE_NAME perfc)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL perfc)
set(CPACK_DEBIAN_PERFC_PACKAGE_NAME perfc)
if(PERFC_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-perfc)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "perfc (= ${PROJECT_VERSION}), python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas")
  # Where the module finds libperfc, which the other package has.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}")
endif()
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Needs dpkg-dev, which g++ of Debian brings: the libraries that the binary loads become the package's dependencies.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
