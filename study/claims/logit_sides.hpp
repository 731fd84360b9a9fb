// What a screen of a claim about softmax is asked of: the norms of the Jacobian at weights of the suite's f64 kernel,
// made from the row's f32 logits, and how far the logits' range is above what the largest weight needs. Every error is
// proved against the exact softmax.
#pragma once

#include <cstddef>
#include <span>

#include "src/bounds/jacobian.hpp"

namespace attncert {

struct LogitSides {
  std::size_t length = 0;
  bounds::SoftmaxJacobian jacobian;
  // max l - min l - T log(p (L-1) / (1-p)), p the largest weight; L >= 2.
  bounds::Certified spare_range;
  bool all_equal = false;  // the logits
};

LogitSides logit_sides(std::span<const float> logits, double temperature);  // finite, one at least; T > 0

}  // namespace attncert
