// The one list of fuzz targets.
#include "fuzz/target.hpp"

namespace attncert {
namespace {

constexpr FuzzTarget targets[] = {
    {"normalizer", "a kernel on a row, against the exact values and its contract", run_normalizer},
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() { return targets; }

const FuzzTarget* find_target(std::string_view name) {
  for (const FuzzTarget& target : targets)
    if (target.name == name) return &target;
  return nullptr;
}

}  // namespace attncert
