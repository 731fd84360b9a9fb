# What `cmake --install` puts where: the programs side by side (attncert looks for the other two beside itself), the one
# public header with a CMake package (attncert::kernel_interface, the header's folder) and a pkg-config file, the data
# that programs read by default (cli/places.cpp looks for them under ATTNCERT_DATA_FOLDER), manual pages and completion.
# `cpack --config CPackConfig.cmake`, run in the build folder, makes a Debian package of the same.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(attncert_kernel_interface INTERFACE)
add_library(attncert::kernel_interface ALIAS attncert_kernel_interface)
set_target_properties(attncert_kernel_interface PROPERTIES EXPORT_NAME kernel_interface)
target_include_directories(attncert_kernel_interface INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# Relative to the prefix.
set(ATTNCERT_DATA_FOLDER ${CMAKE_INSTALL_DATADIR}/attncert)
target_compile_definitions(attncert PRIVATE ATTNCERT_DATA_FOLDER="${ATTNCERT_DATA_FOLDER}")

set(ATTNCERT_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/attncert)
install(TARGETS attncert attncert-check attncert-kernel-host attncert-attention-host RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/attncert/kernel.h ${PROJECT_SOURCE_DIR}/include/attncert/attention.h
  ${PROJECT_SOURCE_DIR}/include/attncert/version.h ${PROJECT_SOURCE_DIR}/include/attncert/memory.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attncert)
install(TARGETS attncert_kernel_interface EXPORT attncert)
install(EXPORT attncert NAMESPACE attncert:: FILE attncertConfig.cmake DESTINATION ${ATTNCERT_PACKAGE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/attncertConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/attncertConfigVersion.cmake DESTINATION ${ATTNCERT_PACKAGE})

file(CONFIGURE OUTPUT attncert.pc @ONLY CONTENT
[=[prefix=@CMAKE_INSTALL_PREFIX@

Name: attncert
Description: C interface through which attncert judges kernels of attention
Version: @PROJECT_VERSION@
Cflags: -I${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
]=])
install(FILES ${PROJECT_BINARY_DIR}/attncert.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

# As in the checkout, below one folder.
foreach(path data/tiny-gpt2 data/sample.txt data/task-costs.tsv properties/claims/witnesses docs)
  get_filename_component(folder ${path} DIRECTORY)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${path})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${path} DESTINATION ${ATTNCERT_DATA_FOLDER}/${folder})
  else()
    install(FILES ${PROJECT_SOURCE_DIR}/${path} DESTINATION ${ATTNCERT_DATA_FOLDER}/${folder})
  endif()
endforeach()
# Where Debian's python3 looks.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/attncert DESTINATION lib/python3/dist-packages
  FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/cli/completion.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME attncert)
install(FILES ${PROJECT_SOURCE_DIR}/cli/completion.zsh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _attncert)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A manual page for each program and command; none where help2man is not there.
find_program(HELP2MAN help2man)
if(HELP2MAN)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man DEPENDS attncert attncert-check ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
    COMMAND ${CMAKE_COMMAND} -DHELP2MAN=${HELP2MAN} -DPROGRAMS=$<TARGET_FILE_DIR:attncert> -DVERSION=${PROJECT_VERSION}
      -DFOLDER=${PROJECT_BINARY_DIR}/man -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake VERBATIM)
  add_custom_target(attncert_manual ALL DEPENDS ${PROJECT_BINARY_DIR}/man)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the founders of attncert")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "is what people claim about attention true, and does a kernel compute what it says?")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
