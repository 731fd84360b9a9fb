// Captured attention against its own logits: every f32 weight of a row lies within its kernel's budget of the enclosure
// of the exact weights of the row's f32 logits. The double-double tier judges all of them where it serves the
// normalizer, Interval what that leaves open.
#pragma once

#include <span>
#include <string_view>

#include "properties/conformance/accuracy/judge.hpp"
#include "src/core/attention.hpp"
#include "study/attention_lines.hpp"

namespace attncert {

struct CapturedWeights {
  std::string_view normalizer = "softmax";  // one that has an f32 kernel
  double temperature = 1;                   // captured logits are scaled already
  RowParameters parameters = {};
};

// The line of one row, in whichever window: `sampled` there counts what Interval judged, also where double-double
// decided.
// `sampled`: all of the row by Interval as well. A weight that the double-double tier had within the budget and
// Interval has not is our own mistake.
CheckLine check_captured(std::span<const float> logits, std::span<const float> weights, const CapturedWeights& of = {},
                         bool sampled = false);

// One row in 64, by its place alone, and the first head of every window: those that are worth `sampled`.
bool in_sample(const CapturedRow& row);

}  // namespace attncert
