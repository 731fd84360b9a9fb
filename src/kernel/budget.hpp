// What a kernel promises, element by element:
//   |computed - exact| <= last ulp(exact) + bound ulp(m),  bound = unit at T = 1, else other,
// where m is the magnitude of the element (the exact value itself, or, where terms cancel, the sum of their absolute
// values: RowTruth::magnitude in reference/normalizers/normalizer.hpp) and ulp is that of reference/ulp.hpp.
// docs/budgets.md has the proofs. The figures stand beside each kernel in src/normalizers and nowhere else.
#pragma once

#include "attncert/kernel.h"

namespace attncert {

struct Arithmetic;

struct Budget {
  double unit;      // ulp at T = 1
  double other;     // ulp at any other T
  double last = 0;  // ulp of the result itself: the last rounding, where the others are in ulp of a magnitude
  // The arithmetic is that of f32 and only the result is narrowed to a half type: the bound is in ulp of f32, `last` in
  // ulp of the result, and `inner_last` in ulp of f32 of the exact value.
  bool narrowed = false;
  double inner_last = 0;
  // The campaign's tolerance, in ulp of the exact value, where the proof of the worst case is wider than what the
  // campaign must show; 0 = none.
  double tolerance_unit = 0, tolerance_other = 0;
  // Of a kernel of one's own that names its arithmetic: what an entry may err by follows from the row, instead of the
  // bound (properties/conformance/budget_classes).
  const Arithmetic* arithmetic = nullptr;

  double bound(double temperature) const { return temperature == 1 ? unit : other; }
};

// The budget of a built-in kernel, or null for another kernel.
const Budget* built_in_budget(const attncert_kernel& kernel);

// The largest error in ulp of a built-in kernel whose bound does not depend on the element; +infinity for others.
double ulp_budget(const attncert_kernel& kernel, double temperature);

}  // namespace attncert
