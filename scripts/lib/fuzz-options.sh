# The options of fuzz targets, fuzz/options/<target>.options, as OSS-Fuzz reads them: "key = value" a line below [libfuzzer].
# Sourced.

# libfuzzer_options FILE: one "-key=value" a line.
libfuzzer_options() {
  awk '/^\[/ { mine = /^\[libfuzzer\]/ } mine && /^[a-z_]+ *=/ { gsub(" ", ""); print "-" $0 }' "$1"
}

# The fuzz targets: each has its options.
fuzz_targets() {
  local file
  for file in "$root"/fuzz/options/*.options; do basename "$file" .options; done
}
