// Slopes of log F between two logits with rational values of F, and the exact test that two of them are equal.
#pragma once

#include "reference/interval.hpp"
#include "src/core/rational.hpp"

namespace attncert::sides {

// |log(value/other_value)| / |difference|; both values > 0, the difference not 0.
class Slope {
 public:
  Slope(const Rational& value, const Rational& other_value, const Rational& difference);
  Interval at(Precision precision) const;
  friend bool operator==(const Slope& a, const Slope& b);

 private:
  Rational ratio_, distance_;  // log(ratio)/distance, ratio >= 1
};

}  // namespace attncert::sides
