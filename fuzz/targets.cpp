// The one list of fuzz targets.
#include "fuzz/target.hpp"

namespace attncert {
namespace {

constexpr FuzzTarget targets[] = {
    {"normalizer", "a kernel on a row, against the exact values and its contract", run_normalizer,
     &subjects_of_normalizer},
    {"files", "a reader of somebody's file on whatever bytes", run_files, &subjects_of_files},
    {"checker", "attncert-check on a witness or certificate: what it accepts is true", run_checker,
     &subjects_of_checker},
    {"claim", "an instance of a claim that holds: it is not violated", run_claim, &subjects_of_claim},
    {"bound", "a bound kernel on a row: the exact value is within its stated error", run_bound, &subjects_of_bound},
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() { return targets; }

const FuzzTarget* find_target(std::string_view name) {
  for (const FuzzTarget& target : targets)
    if (target.name == name) return &target;
  return nullptr;
}

}  // namespace attncert
