// The kill matrix: which check notices which fault, and after how many cases. Checks are "accuracy" (an entry outside the
// budget), "contract" (a degenerate row, or a valid call refused), "writes" (outside the rows, or entries left unwritten),
// and the laws and calling-convention checks by their names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/conformance/accuracy/cases.hpp"
#include "properties/conformance/faults/faults.hpp"

namespace attncert {

struct Kill {
  std::string_view fault;  // or a right kernel
  std::string check;
  std::uint64_t cases = 0;  // tried, the one that caught it included
  bool caught = false;
  std::string witness;  // what was seen, for people
};

struct KillPlan {
  std::uint64_t seed = 1;
  Effort effort = Effort::quick;
  std::uint64_t tapes = 60;  // for every law and calling-convention check
  bool first_only = false;   // stop at the first check that catches; the one that the fault names goes first
};

// False when nothing can be said: the normalizer has no reference, or no kernel of the suite whose budget would serve.
bool judgeable(const attncert_kernel& kernel);

std::vector<Kill> kills_of(const Fault& fault, const KillPlan& plan);
std::vector<Kill> kill_matrix(std::uint64_t seed, Effort effort);  // of all faults, fault by fault

// Unjustly refused right kernels; empty is well.
std::vector<Kill> false_alarms(std::span<const RightKernel> kernels, const KillPlan& plan);

// One line a fault: the checks that catch it.
struct KillSummary {
  const Fault* fault;
  std::vector<Kill> kills;
  const Kill* first() const;   // the catch after the fewest cases; null for a survivor
  std::string checks() const;  // "accuracy after 9, monotone after 2"; "survives"
};
std::vector<KillSummary> summaries(std::span<const Fault> faults, const KillPlan& plan);
std::string markdown(std::span<const KillSummary> matrix, std::span<const Kill> alarms, std::size_t right);

}  // namespace attncert
