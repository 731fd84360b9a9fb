# What `cmake --install` puts where: the programs side by side (attncert looks for the other two beside itself), the one
# public header, and a CMake package that gives attncert::kernel_interface, the header's folder.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(attncert_kernel_interface INTERFACE)
add_library(attncert::kernel_interface ALIAS attncert_kernel_interface)
set_target_properties(attncert_kernel_interface PROPERTIES EXPORT_NAME kernel_interface)
target_include_directories(attncert_kernel_interface INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(ATTNCERT_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/attncert)
install(TARGETS attncert attncert-check attncert-kernel-host RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/attncert/kernel.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attncert)
install(TARGETS attncert_kernel_interface EXPORT attncert)
install(EXPORT attncert NAMESPACE attncert:: FILE attncertConfig.cmake DESTINATION ${ATTNCERT_PACKAGE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/attncertConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/attncertConfigVersion.cmake DESTINATION ${ATTNCERT_PACKAGE})
