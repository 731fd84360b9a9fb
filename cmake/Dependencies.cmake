# Every package the project builds on (scripts/dependencies). Least versions are those of Debian 12.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED CONFIG)   # Multiprecision (headers)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(hwy REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
include(GoogleTest)

# GMP, MPFR, MPFI and FLINT ship no CMake configuration in Debian.
function(attncert_imported target header)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  set(libraries)
  foreach(library ${ARGN})
    find_library(${target}_${library}_LIBRARY ${library} REQUIRED)
    list(APPEND libraries ${${target}_${library}_LIBRARY})
  endforeach()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${libraries})
endfunction()

attncert_imported(attncert_gmp gmpxx.h gmpxx gmp)
attncert_imported(attncert_mpfi mpfi.h mpfi mpfr gmp)
find_path(ATTNCERT_FLINT_3 flint/arb.h)    # Arb is part of FLINT since 3; check/arb.hpp includes it from where it is
if(ATTNCERT_FLINT_3)
  attncert_imported(attncert_arb flint/arb.h flint mpfr gmp)
else()
  attncert_imported(attncert_arb arb.h flint-arb flint mpfr gmp)   # this order: "DSO missing" otherwise
endif()
attncert_imported(attncert_nlopt nlopt.h nlopt)                  # maximises tightness (properties/claims/certify)
attncert_imported(attncert_xxhash xxhash.h)                       # fingerprints (src/core/hash.cpp); its header alone
attncert_imported(attncert_zip zip.h zip)                          # archives of numpy (src/files/npy.cpp)
attncert_imported(attncert_pcre2 pcre2.h pcre2-8)                # splits text by Unicode class (src/gpt2/files/split.cpp)

# Matrix products of Gram matrices (src/bounds), LAPACK as a peer (bench). Not find_package(BLAS), which takes the slow
# reference library where it is installed beside this one.
find_package(PkgConfig REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET GLOBAL openblas)
