#!/usr/bin/env bash
# Builds the fuzz targets where ClusterFuzzLite or OSS-Fuzz says, with the compiler and flags that they ask for (CC, CXX, CFLAGS,
# CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK, OUT), and lays beside each its seed corpus, options, dictionary and libraries. Both
# use this file; scripts/oss-fuzz-check runs it without their images.
# ATTNCERT_SYSROOT: the root of a Debian 12 with the packages of scripts/dependencies, where this system is not one.
# ATTNCERT_FUZZ_TARGETS: which targets, all of them when it is not given.
set -euo pipefail

source=$SRC/attncert
build=$WORK/attncert
sysroot=${ATTNCERT_SYSROOT-}
libraries=$sysroot/usr/lib/x86_64-linux-gnu

# The packages are built with libstdc++: libc++, which the images add, is taken off again.
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"
all=("$source"/fuzz/options/*.options)  # each target has its options
all=("${all[@]##*/}")
read -ra targets <<<"${ATTNCERT_FUZZ_TARGETS:-${all[*]%.options}}"
settings=(-DCMAKE_BUILD_TYPE=None -DATTNCERT_FUZZ=ON "-DATTNCERT_FUZZ_ENGINE=$LIB_FUZZING_ENGINE"
  # Libraries are looked for in lib beside the program; --disable-new-dtags: those that libraries need as well.
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON '-DCMAKE_INSTALL_RPATH=$ORIGIN/lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags)
if [[ -n $sysroot ]]; then
  settings+=("-DCMAKE_SYSROOT=$sysroot" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY
    -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY)
  export PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$libraries/pkgconfig:$sysroot/usr/share/pkgconfig
fi
cmake -S "$source" -B "$build" -G Ninja "${settings[@]}"
cmake --build "$build" --target "${targets[@]/#/attncert_fuzz_}"

# libraries_of PROGRAM: as this Debian's loader finds them, without those of the C library, which every runner has.
libraries_of() {
  "$sysroot/lib64/ld-linux-x86-64.so.2" --library-path "$libraries:$sysroot/lib/x86_64-linux-gnu:$libraries/openblas-pthread" \
    --list "$1" | awk '$2 == "=>" && $1 ~ /^lib/ && $1 !~ /^(libc|libm|libpthread|libdl|librt|libresolv)\.so/ { print $3 }'
}

mkdir -p "$OUT/lib"
for target in "${targets[@]}"; do
  name=attncert_fuzz_$target
  program=$build/bin/$name
  cp "$program" "$OUT/"
  libraries_of "$program" | xargs -r cp -Lt "$OUT/lib"
  (cd "$source/fuzz/corpus/$target" && cmake -E tar cf "$OUT/${name}_seed_corpus.zip" --format=zip -- *)
  cp "$source/fuzz/options/$target.options" "$OUT/$name.options"
  dictionary=$source/fuzz/dictionaries/$target.dict
  [[ ! -f $dictionary ]] || cp "$dictionary" "$OUT/$name.dict"
done
