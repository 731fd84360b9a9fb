# What scripts/certify and scripts/test share: install, configure, build; each step is skipped when it is done.
# Sourced, with `set -euo pipefail` on. A step that fails ends the script with 2: 1 and 3 speak of verdicts.

root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)

say() { echo "attncert: $*" >&2; }
stop() { say "$*"; exit 2; }

# Cores, and fewer where memory is short: the largest translation units take 1.5 GB.
job_count() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || true)
  [[ -n $memory ]] || memory=$cores
  ((memory >= 1)) || memory=1
  echo $((memory < cores ? memory : cores))
}

# install GROUP...
install() { "$root/scripts/dependencies" "$@" || exit 2; }

# configure PRESET: once; later changes of CMake files are seen by ninja itself, those of the presets by their age.
# A build folder that came along with a copied or moved checkout is configured afresh.
configure() {
  local folder=$root/build/$1
  if [[ -f $folder/build.ninja && -f $folder/CMakeCache.txt ]] &&
     grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    [[ $root/CMakePresets.json -nt $folder/build.ninja ]] || return 0
    (cd "$root" && cmake --preset "$1" >&2) || stop "configuring the preset \"$1\" failed (above)"
  else
    (cd "$root" && cmake --fresh --preset "$1" >&2) || stop "configuring the preset \"$1\" failed (above)"
  fi
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  # A compiler cache needs a home; without one, compile without it.
  [[ -w ${CCACHE_DIR:-${HOME:-/nonexistent}} ]] || export CCACHE_DISABLE=1
  ninja -C "$root/build/$preset" -j "$(job_count)" "$@" >&2 || stop "building failed (above)"
}
