// The judgement's inner loop as the instruction sets do it (judge_pass.cpp): which elements are certainly inside.
#pragma once

#include <cstddef>
#include <vector>

#include "properties/conformance/double_double/judge.hpp"

namespace attncert::double_double {

struct JudgePass {
  const Truth& truth;
  int digits;
  double factor;                 // 2^scale
  double lowest;                 // just above 2^scale times the smallest normal number: what is below shares its unit
  double error;                  // of the truth, in ulp
  double limit;                  // an error computed in double is certainly allowed up to here, if each is null
  const double* each = nullptr;  // ulp allowed, by position
};
// What a computed error loses by the roundings of its computation: docs/double-double.md, 5.
inline constexpr double shrunk = 1 - 0x1p-50, grown = 1 + 0x1p-50;

struct Screened {
  // Of the errors certainly inside, as computed in double; fraction, and the error allowed where it was met, if each is
  // given.
  double worst = 0, fraction = 0, allowed = 0;
};
// Appends to `flagged` the positions that are not certainly inside.
Screened screen(const JudgePass& pass, const float* computed, std::vector<std::size_t>& flagged);
Screened screen(const JudgePass& pass, const double* computed, std::vector<std::size_t>& flagged);

}  // namespace attncert::double_double
