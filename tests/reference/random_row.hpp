// Random rows of logits with temperature and mask, from a tape: rational or floating-point, with ties, huge offsets,
// and every magnitude of T. The doubles are exact numbers, so the same row feeds both overloads.
#pragma once

#include <cmath>

#include "tests/reference/random_set.hpp"

namespace attncert {

struct RandomRow {
  std::vector<double> logits;
  double temperature = 1;
  std::vector<std::uint8_t> mask;  // empty, or with at least one 1

  std::vector<Rational> exact_logits() const {
    std::vector<Rational> exact_row;
    for (const double z : logits) exact_row.push_back(exact(z));
    return exact_row;
  }
  bool keeps(std::size_t i) const { return mask.empty() || mask[i] != 0; }
};

// wild: any finite double as a logit and T down to 1e-30; else logits and T that a model has.
inline RandomRow random_row(Choices& choices, bool wild) {
  RandomRow row;
  const std::uint64_t length = 1 + choices.below(9);
  const double offset = wild && choices.flip() ? std::ldexp(1.0, static_cast<int>(choices.between(0, 1000))) : 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    double z = (choices.unit() - 0.5) * static_cast<double>(std::int64_t{1} << choices.below(8)) + offset;
    if (wild && choices.below(4) == 0)
      z = std::ldexp(choices.unit() - 0.5, static_cast<int>(choices.between(-1074, 1023)));
    if (!row.logits.empty() && choices.below(3) == 0) z = row.logits[choices.below(i)];  // a tie
    row.logits.push_back(z);
  }
  constexpr double temperatures[] = {1, 0.1, 0.7, 3, 0.125}, wild_temperatures[] = {1e-30, 1e-3, 1, 1e5, 1e30};
  row.temperature = wild ? choices.pick(wild_temperatures) : choices.pick(temperatures);
  if (choices.flip()) {
    for (std::uint64_t i = 0; i < length; ++i) row.mask.push_back(static_cast<std::uint8_t>(choices.below(2)));
    row.mask[choices.below(length)] = 1;
  }
  return row;
}

}  // namespace attncert
