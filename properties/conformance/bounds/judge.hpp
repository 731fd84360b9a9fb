// One row of one bound subject: |value - exact| <= error must hold for both ends of the enclosure. An enclosure that cannot tell
// is asked again at four times the precision, up to a limit; then the output is undecided.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "properties/conformance/accuracy/vacuity.hpp"
#include "properties/conformance/bounds/subject.hpp"

namespace attncert {

struct BoundJudgement {
  std::uint64_t elements = 0, outside = 0, weak = 0, undecided = 0;
  double worst_fraction = 0;  // |value - exact| / error, certain upper bound
  double worst_ulp = 0;       // |value - exact| in ulp of f64 of max(|exact|, magnitude)
  double budget_ulp = 0;      // the error stated where worst_fraction was met, in the same unit
  Vacuity vacuity;            // relative changes of a value that would go unnoticed: twice the error stated
  std::string witness;        // the first that was outside or weak, else the worst
};
bool merge(BoundJudgement& sum, const BoundJudgement& more);  // true when `more` has the worse worst

struct BoundAnswer {
  std::vector<Said> said;
  BoundJudgement judgement{};
};
// Several kernels or instruction sets against one truth.
void judge_bounds(const BoundSubject& subject, const BoundRow& row, std::span<BoundAnswer> answers);

}  // namespace attncert
