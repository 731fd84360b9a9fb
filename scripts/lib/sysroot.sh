# A folder with the libraries of another architecture, to compile against and to run from: Debian's packages, fetched by the apt of
# this system with a state of its own and unpacked, so that nothing is installed and no administrator is needed. Sourced.

# make_sysroot ARCHITECTURE FOLDER PACKAGE...: once a list of packages; all that they depend on comes along.
make_sysroot() {
  local architecture=$1 folder=$2 apt package
  shift 2
  [[ $(cat "$folder/packages" 2>/dev/null) != "$*" ]] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"/apt/{state,cache}/
  : >"$folder/apt/status"
  apt=(apt-get -q -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State=$folder/apt/state"
    -o "Dir::State::status=$folder/apt/status" -o "Dir::Cache=$folder/apt/cache" -o APT::Sandbox::User= -o Debug::NoLocking=true
    -o Acquire::Languages=none -o Acquire::Retries=3)
  { "${apt[@]}" update && "${apt[@]}" install -y --download-only --no-install-recommends "$@"; } >"$folder/apt/log" 2>&1 ||
    { tail -n 15 "$folder/apt/log" >&2; stop "fetching the packages for $architecture failed (above)"; }
  for package in "$folder"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
  rm -r "$folder/apt"
  # Absolute links would lead back to this system.
  find "$folder" -type l -lname '/*' -exec bash -c 'for link; do ln -snf "$0$(readlink "$link")" "$link"; done' "$folder" {} +
  echo "$*" >"$folder/packages"
}
