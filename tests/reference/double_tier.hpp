// Truths and bounds by intervals of doubles beside those that Arb agrees with: they hold these, and few are so wide
// that verdicts would often stay open.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>

#include "reference/double_interval.hpp"
#include "reference/interval.hpp"

namespace attncert {

class DoubleTier {
 public:
  void compare(std::span<const DoubleInterval> truths, std::span<const Interval> exact_truths,
               std::span<const DoubleInterval> bounds, std::span<const Interval> exact_bounds,
               const std::string& name) {
    ASSERT_EQ(truths.size(), exact_truths.size());
    for (std::size_t n = 0; n < truths.size(); ++n) {
      const double bound = exact_bounds[n].upper();
      EXPECT_LE(truths[n].lower(), exact_truths[n].lower()) << name;
      EXPECT_GE(truths[n].upper(), exact_truths[n].upper()) << name;
      EXPECT_LE(bounds[n].lower(), bound) << name;
      EXPECT_GE(bounds[n].upper(), bound) << name;
      ++all_;
      const double open = (truths[n].upper() - truths[n].lower()) + (bounds[n].upper() - bounds[n].lower());
      if (std::isfinite(bound) && !(open <= 0x1p-16 * bound)) ++wide_;
    }
  }
  void expect_narrow() const {
    EXPECT_GT(all_, 0u);
    EXPECT_LE(100 * wide_, all_) << wide_ << " of " << all_ << " stay open for more than 2^-16 of the bound";
  }

 private:
  std::size_t all_ = 0, wide_ = 0;
};

}  // namespace attncert
