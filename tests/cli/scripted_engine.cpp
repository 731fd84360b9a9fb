#include "tests/cli/scripted_engine.hpp"

#include <algorithm>

#include "tests/cli/run.hpp"

namespace attncert {
namespace fs = std::filesystem;

fs::path engine(const fs::path& folder, const std::string& campaign, const std::string& minimise) {
  const fs::path file = folder / "engine";
  write(file, R"(#!/bin/sh
for a in "$@"; do case $a in
  -artifact_prefix=*) prefix=${a#*=};; -exact_artifact_path=*) exact=${a#*=};;
  -max_total_time=*) campaign=1;; -minimize_crash=1) minimise=1;; -merge=1) merging=1;;
  -seed=*) seed=${a#*=};; esac; done
cd ')" + folder.string() +
                  R"(' || exit 9
echo "$ATTNCERT_FUZZ_SUBJECT: $*" >> asked
if [ -n "$merging" ]; then shift $(($# - 3)); cat "$2"/* "$3"/* > "$1/all"; exit 0; fi
if [ -n "$minimise" ]; then )" +
                  minimise + R"(; exit 0; fi
if [ -z "$campaign" ]; then
  if [ -e seen ]; then n=$(cat seen); [ "$n" -gt 0 ] || exit 0; echo $((n - 1)) > seen; fi
  echo 'normalizer: softmax.f32, L=3: 99 ulp at entry 1'
  echo 'claim: theorem1-expectation-main-term: is violated as expected: lhs, rhs'
  echo 'x.cpp:5:7: runtime error: division by zero'
  echo 'SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior x.cpp'
  exit 77
fi
)" + campaign);
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace attncert
