# Reads lcov's trace (llvm-cov export -format=lcov) and writes, for the files under one of `folders` (joined by "|"), lines and
# branches covered, then the lines that no input reached, as ranges. Variables: root (with a / at its end), folders, kernels (a
# folder), least (percent of its lines). Exit status 1 when fewer lines of it are covered, or none were seen.
function percent(part, whole) { return whole ? 100 * part / whole : 100 }

function row(name, lines_hit, lines, branches_hit, branches) {
  return sprintf("%-52s %6d %6d %6.1f%% %6d %6d %6.1f%%", name, lines_hit, lines, percent(lines_hit, lines), branches_hit,
                 branches, percent(branches_hit, branches))
}

function head() { return sprintf("%-52s %21s %21s", "file or folder", "lines reached, of", "branches reached, of") }

function close_range() {
  if (first) missed = missed (missed ? ", " : "") (first == last ? first : first "-" last)
  first = 0
}

BEGIN { print head() }

/^SF:/ {
  file = substr($0, 4)
  sub("^" root, "", file)
  wanted = file ~ "^(" folders ")/"
  missed = ""
  first = lines = lines_hit = branches = branches_hit = 0
}

!wanted { next }

/^FN:/ { split(substr($0, 4), part, ","); sets[set_of(part[2])]++ }
/^FNDA:/ { split(substr($0, 6), part, ","); if (part[1] + 0) called[set_of(part[2])]++ }

# The namespace of Highway's copies of a function: N_AVX3 and so on.
function set_of(name) { return match(name, /N_(SCALAR|EMU128|SSE4|AVX2|AVX3_DL|AVX3)/) ? substr(name, RSTART + 2, RLENGTH - 2) : "" }

/^DA:/ {
  split(substr($0, 4), part, ",")
  lines++
  if (part[2] + 0) { lines_hit++; close_range() }
  else { if (!first) first = part[1]; last = part[1] }
}

# Branches are listed for each copy of a function; their sums are of the copy that reached most.
/^BRF:/ { branches = substr($0, 5) + 0 }
/^BRH:/ { branches_hit = substr($0, 5) + 0 }

/^end_of_record/ {
  close_range()
  print row(file, lines_hit, lines, branches_hit, branches)
  if (missed) rest = rest "\n" file ": " missed
  seen[file]
  split(file, path, "/")
  folder = path[1] "/" path[2]
  if (path[1] == "reference") folder = path[1]
  totals[folder, 1] += lines_hit; totals[folder, 2] += lines
  totals[folder, 3] += branches_hit; totals[folder, 4] += branches
  order[folder]
}

END {
  print "\n" head()
  for (folder in order) print row(folder, totals[folder, 1], totals[folder, 2], totals[folder, 3], totals[folder, 4]) | "sort"
  close("sort")
  print ""
  for (set in sets) if (set) printf "copies of functions for %-8s %4d of %4d called\n", set, called[set], sets[set] | "sort"
  close("sort")
  print "\nNot reached by any input of the corpora:" rest
  while ((getline name < sources) > 0) if (!(name in seen)) print name ": in no target"
  reached = percent(totals[kernels, 1], totals[kernels, 2])
  enough = totals[kernels, 2] && reached >= least
  printf "\n%s: %.1f%% of %d lines, at least %d%% are asked for: %s\n", kernels, reached, totals[kernels, 2], least,
         enough ? "met" : "NOT met"
  exit !enough
}
