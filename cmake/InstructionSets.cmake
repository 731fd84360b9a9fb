# The instruction sets that kernels are compiled for, all into one program that chooses when it runs. Highway would take
# every set that it and the compiler know, and newer Highways know more: each costs as much as the first to compile, and
# a kernel's accuracy is stated for the sets that were measured. Numbers are bits of hwy/detect_targets.h; these mean
# the same in 1.0.3 and in 1.2. SSSE3 is left out, of processors without SSE4.2 and AES, most of them from before 2010.
# For machines without vectors Highway takes EMU128, or SCALAR where the compiler is g++ before 12.3: both are allowed.
set(ATTNCERT_INSTRUCTION_SETS all CACHE STRING "Sets that kernels are compiled for: all, or few (AVX2 on x86), which builds sooner")
set_property(CACHE ATTNCERT_INSTRUCTION_SETS PROPERTY STRINGS all few)

if(NOT ATTNCERT_INSTRUCTION_SETS MATCHES "^(all|few)$")
  message(FATAL_ERROR "ATTNCERT_INSTRUCTION_SETS is all or few, not \"${ATTNCERT_INSTRUCTION_SETS}\"")
endif()
if(CMAKE_CXX_FLAGS MATCHES "HWY_DISABLED_TARGETS")
  return()                                         # chosen by hand
endif()

set(sets 61 62)                                    # EMU128, SCALAR
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND sets 9)                              # AVX2
  if(ATTNCERT_INSTRUCTION_SETS STREQUAL "all")
    list(APPEND sets 8 11)                         # AVX3, SSE4
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # NEON: without its instructions for AES, which no kernel uses, it has a bit of its own since Highway 1.0.5.
  if(hwy_VERSION VERSION_LESS 1.0.5)
    list(APPEND sets 28)
  else()
    list(APPEND sets 29)
  endif()
else()
  return()                                         # untried; Highway chooses
endif()

set(allowed 0)
foreach(bit IN LISTS sets)
  math(EXPR allowed "${allowed} | 1 << ${bit}" OUTPUT_FORMAT HEXADECIMAL)
endforeach()
target_compile_definitions(attncert_highway INTERFACE HWY_DISABLED_TARGETS=~${allowed}LL)
