# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` copies beside the compiler, and the .deb that `cpack` makes of it. The standard library is inside
# the binary; its text is installed too, to be read.
include(GNUInstallDirs)
install(DIRECTORY stdlib/ DESTINATION "${CMAKE_INSTALL_DATADIR}/perfc/stdlib" FILES_MATCHING PATTERN "*.perf")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" FILES_MATCHING PATTERN "*.md" PATTERN "*.perf")
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The perfc authors <perfc@localhost>")
set(CPACK_PACKAGE_NAME perfc)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Needs dpkg-dev, which g++ of Debian brings: the libraries that the binary loads become the package's dependencies.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
