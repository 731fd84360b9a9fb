// One row of one bound: |value - exact| <= error must hold for both ends of the enclosure. An enclosure that cannot
// tell is asked again at four times the precision, up to a limit; then the output is undecided. In the Judgement a
// fraction is |value - exact| / error, an ulp that of f64 of max(|exact|, magnitude), and a change that would go
// unnoticed twice the error stated.
#pragma once

#include <span>
#include <vector>

#include "properties/conformance/accuracy/judgement.hpp"
#include "properties/conformance/bounds/subject.hpp"

namespace attncert {

struct BoundAnswer {
  std::vector<Reported> reported;
  bool asked = true;  // false: a kernel that knows no such row
  Judgement judgement{};
};
// Several kernels or instruction sets against one truth.
void judge_bounds(const BoundSubject& subject, const BoundRow& row, std::span<BoundAnswer> answers);

}  // namespace attncert
