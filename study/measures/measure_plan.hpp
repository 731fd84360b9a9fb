// What is measured of captured attention: which queries, which N, which vectors as tokens, which temperatures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/core/attention.hpp"

namespace attncert {

struct MeasurePlan {
  std::vector<TokenKind> kinds = {TokenKind::hidden};
  std::vector<TokenScale> scales = {TokenScale::raw, TokenScale::unit};
  double radius = 1;                     // of the sphere that `unit` puts the tokens on
  std::vector<std::size_t> counts = {};  // N, ascending, of every row that is longer; empty: selection_counts
  // Temperatures of the longest row; the others are measured at T = 1 only.
  std::vector<double> temperatures = {0.01, 0.03, 0.1, 0.3, 1, 3, 10};
  std::size_t directions = 4;  // random ones, for difference quotients
  std::uint64_t seed = 1;      // of those
};

// Fourteen positions below T, evenly spaced by the logarithm of the row's length from 8 to T; T - 1 is the last. Fewer
// where T is short.
std::vector<std::size_t> default_queries(std::size_t T);

// N for a row of L keys: 5 and the powers of two up to L/2; on the longest row also 1%, 2%, ... 99% of L (Figures 2 and
// 4, and the "6%" of the paper). Ascending, each from 1 to max(1, L - 1).
std::vector<std::size_t> selection_counts(std::size_t length, bool longest);

}  // namespace attncert
