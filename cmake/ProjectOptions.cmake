# Flags that everything is compiled with, and the two functions that declare targets.

# Floating point means what it says: no contraction outside explicit fma, no fast-math anywhere.
add_library(attncert_flags INTERFACE)
target_compile_options(attncert_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
  # g++ 12 sees overlaps, offsets out of bounds and copies of 2^63 bytes in std::string (GCC bug 105651). g++ 14 takes
  # the tail of a row, which is shorter than a vector, for up to eight of SSE4's (load_tail of normalizers/row-inl.h).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-stringop-overflow>"
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,15>>:-Wno-array-bounds>"
  # The compiler collects its garbage from 512 MB on, not from 128: 4 to 10% of its time, for 1.5 GB of memory at most.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
  $<$<BOOL:${ATTNCERT_WERROR}>:-Werror>)
target_include_directories(attncert_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
# Third-party headers reach us as system headers through their own targets.

# What kernels of Highway link in place of hwy::hwy. Its vectors are passed by reference through dozens of inlined
# functions a line: checks of those pointers triple the time to compile (57 and 20 s for sparsemax.cpp) and guard what
# the address sanitizer watches anyway.
add_library(attncert_highway INTERFACE)
target_link_libraries(attncert_highway INTERFACE hwy::hwy)
if(CMAKE_CXX_FLAGS MATCHES "undefined|sanitize=[^ ]*null")   # OSS-Fuzz lists the checks one by one
  target_compile_options(attncert_highway INTERFACE -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
endif()
if(CMAKE_CXX_FLAGS MATCHES "fuzzer-no-link")   # their loop counters tell libFuzzer nothing, at a call each
  target_compile_options(attncert_highway INTERFACE -fno-sanitize-coverage=trace-cmp,stack-depth)
endif()

# attncert_unguided(<target>...): what judges. Its paths tell libFuzzer nothing of what is judged, and inputs would be
# kept for them.
function(attncert_unguided)
  if(CMAKE_CXX_FLAGS MATCHES "fuzzer-no-link")
    foreach(name IN LISTS ARGN)
      target_compile_options(${name} PRIVATE -fno-sanitize=fuzzer-no-link)
    endforeach()
  endif()
endfunction()

# The same for single files of a library.
function(attncert_unguided_sources)
  if(CMAKE_CXX_FLAGS MATCHES "fuzzer-no-link")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()

# attncert_few_edges(<target>): takes the edges of an archive out of libFuzzer's tables, without compiling it anew. The
# kernels have ten times as many edges as all other code, because they are compiled once for each instruction set.
# libFuzzer reads every edge after every input, and one input in ten was kept only because it repeated on one
# instruction set what the corpus had on another.
function(attncert_few_edges name)
  if(CMAKE_CXX_FLAGS MATCHES "fuzzer-no-link")
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM COMMAND ${CMAKE_OBJCOPY}
      --rename-section __sancov_cntrs=.unread_cntrs --rename-section __sancov_pcs=.unread_pcs $<TARGET_FILE:${name}>)
  endif()
endfunction()

find_program(ATTNCERT_CCACHE ccache)
if(ATTNCERT_CCACHE)
  # Without these two, ccache compiles again whatever reads a precompiled header.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ATTNCERT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# The headers that nearly every unit reads, parsed once for all and once for what is optimised less: 1.5 s of the 2 s
# that the file of a claim takes. g++ only; the preset dev goes without, so that every file includes what it uses.
option(ATTNCERT_PRECOMPILED "Parse the headers of cmake/precompiled.hpp (g++) and tests/standard.hpp once" ON)
set(ATTNCERT_LIGHT_FLAGS $<$<CONFIG:Release>:-O1>)
if(ATTNCERT_PRECOMPILED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
  foreach(name attncert_precompiled attncert_precompiled_light)
    add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(${name} PRIVATE attncert_flags)
    target_compile_options(${name} PRIVATE -fpch-preprocess)   # asked for by ccache
    target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp)
  endforeach()
  target_compile_options(attncert_precompiled_light PRIVATE ${ATTNCERT_LIGHT_FLAGS})
endif()

# Files of a library or of a test are compiled eight at a time: most of the time goes into the same few headers and
# templates again. A name that two of them give to helpers of their own is an error: one takes another name, or the
# library is ALONE; overloads of one name are seen by both files. The presets dev and ci compile each file alone, so that
# it includes what it uses, and warn of it.
option(ATTNCERT_UNITY "Compile several files at a time" ON)
function(attncert_united name)
  if(ATTNCERT_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    target_compile_options(${name} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# attncert_precompiled(<target>): its units read the headers above. attncert_light(<target>): they call, format or
# print, or their time is that of GMP, MPFR and Arb; they are optimised less, at two thirds of the time to compile.
function(attncert_precompiled name)
  if(TARGET attncert_precompiled)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    target_precompile_headers(${name} REUSE_FROM attncert_precompiled${ARGN})
  endif()
endfunction()
function(attncert_light name)
  target_compile_options(${name} PRIVATE ${ATTNCERT_LIGHT_FLAGS})
  attncert_precompiled(${name} _light)
endfunction()

# attncert_library(<name> [LIGHT] [ALONE] [SOURCES <files>] [FOLDERS <subfolders>] [PUBLIC <targets>] [PRIVATE <targets>])
# Without SOURCES: every .cpp of this folder and of the FOLDERS named, so that a new file needs no list. ALONE: each
# file is a unit.
function(attncert_library name)
  cmake_parse_arguments(ARG "LIGHT;ALONE" "" "SOURCES;FOLDERS;PUBLIC;PRIVATE" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS *.cpp)
  endif()
  foreach(folder IN LISTS ARG_FOLDERS)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND ARG_SOURCES ${files})
  endforeach()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC attncert_flags ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  if("attncert_highway" IN_LIST ARG_PRIVATE)           # Highway's kernels: little of their time is parsing
    return()
  endif()
  if(ARG_LIGHT)
    attncert_light(${name})
  else()
    attncert_precompiled(${name})
  endif()
  if(NOT ARG_ALONE)
    attncert_united(${name})
  endif()
endfunction()

# attncert_objects(<list> <declaration> FILES <files>): the names of the objects that begin a line of the files, as
# "<declaration> name{", in the order of the files. Lists of what stands one a file are made so; an edited file makes
# its list again.
function(attncert_objects list declaration)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set(files ${ARG_FILES})
  list(SORT files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(names)
  foreach(file IN LISTS files)
    file(STRINGS ${file} objects REGEX "^ *${declaration} +[A-Za-z0-9_]+ *[={]")
    foreach(object IN LISTS objects)
      if(NOT object MATCHES "^${declaration} ([a-z0-9_]+){")
        message(FATAL_ERROR "${file}: \"${object}\" would not be listed; write \"${declaration} name{\" at the start of its line")
      endif()
      list(APPEND names ${CMAKE_MATCH_1})
    endforeach()
  endforeach()
  set(${list} ${names} PARENT_SCOPE)
endfunction()

# attncert_test(<name> [SOURCES <files>] [FOLDERS <subfolders>] [ALSO <files>] LINK <targets> [DEFINITIONS <K=V>]
# Without SOURCES: every .cpp of this folder and of the FOLDERS named, so that a new test needs no list; and the files
# ALSO. Every GoogleTest case becomes a ctest of its own, with GoogleTest XML under <build>/test-results; the cases of
# the suites SLOW get that label; those SAMPLED try one in four (or ONE_IN) of their kind (tests/one_in.hpp), and all of
# them in the slow test all/<name>. Tests go without an OpenCL or CUDA device, whose compiler takes seconds a kernel, but
# for those with Device in their names, all of a program that is called DEVICE, and all/<name>. RapidCheck is random
# without a seed, hence RC_PARAMS; OpenBLAS, of which the program uses one thread, starts no others to spin. COMPUTES: the
# tests' own loops take the time. All others only call what is tested; in Release they are not optimised, which compiles
# them in 80% of the time. Both kinds share one precompiled header each (tests/CMakeLists.txt).
function(attncert_test name)
  cmake_parse_arguments(ARG "COMPUTES;DEVICE" "ONE_IN" "SOURCES;FOLDERS;ALSO;LINK;DEFINITIONS;DEPENDS;SLOW;SAMPLED" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS *.cpp)
  endif()
  foreach(folder IN LISTS ARG_FOLDERS)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND ARG_SOURCES ${files})
  endforeach()
  add_executable(${name} ${ARG_SOURCES} ${ARG_ALSO})
  target_link_libraries(${name} PRIVATE attncert_flags ${ARG_LINK} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE ATTNCERT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ${ARG_DEFINITIONS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_COMPUTES)
    set(kind compute)
  else()
    set(kind call)
  endif()
  target_link_libraries(${name} PRIVATE attncert_tests_${kind})
  attncert_united(${name})
  if(ATTNCERT_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM attncert_tests_${kind}_header)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    XML_OUTPUT_DIR ${PROJECT_BINARY_DIR}/test-results)
  # Properties are set after discovery: handed to gtest_discover_tests, a list loses its semicolons and an empty value
  # swallows the next name, so that no seed and no label arrived.
  list(JOIN ARG_SLOW "|" slow)
  list(JOIN ARG_SAMPLED "|" sampled)
  set(one_in 4)
  if(ARG_ONE_IN)
    set(one_in ${ARG_ONE_IN})
  endif()
  set(seconds 300)
  set(slow_seconds 1800)
  if(CMAKE_CROSSCOMPILING)   # run by an emulator
    set(seconds 9000)
    set(slow_seconds 54000)
  endif()
  set(environment RC_PARAMS=seed=20251021 OPENBLAS_NUM_THREADS=1 LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp)
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake)
  file(CONFIGURE OUTPUT ${properties} @ONLY CONTENT [[
foreach(test IN LISTS @name@_TESTS)
  set(environment "@environment@")
  if(NOT "@ARG_DEVICE@" STREQUAL "TRUE" AND NOT test MATCHES "Device")
    list(APPEND environment ATTNCERT_DEVICE=none)
  endif()
  if(NOT "@ARG_DEVICE@" STREQUAL "TRUE" AND test MATCHES "Device")
    set_tests_properties("${test}" PROPERTIES RESOURCE_LOCK @name@-device)   # what one builds, the next finds built
  endif()
  if(NOT "@sampled@" STREQUAL "" AND test MATCHES "(^|/)(@sampled@)[.]")
    list(APPEND environment ATTNCERT_ONE_IN=@one_in@)
  endif()
  set_tests_properties("${test}" PROPERTIES TIMEOUT @seconds@ ENVIRONMENT "${environment}")
  if(NOT "@slow@" STREQUAL "" AND test MATCHES "(^|/)(@slow@)[.]")
    set_tests_properties("${test}" PROPERTIES LABELS slow TIMEOUT @slow_seconds@)
  endif()
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
  if(ARG_SAMPLED)
    list(TRANSFORM ARG_SAMPLED REPLACE "(.+)" "\\1.*:*/\\1.*" OUTPUT_VARIABLE all)
    list(JOIN all ":" all)
    add_test(NAME all/${name} COMMAND ${name} --gtest_filter=${all} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(all/${name} PROPERTIES LABELS slow TIMEOUT ${slow_seconds} ENVIRONMENT "${environment}")
  endif()
endfunction()
