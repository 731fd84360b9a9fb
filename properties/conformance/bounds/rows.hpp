// Rows for the bound kernels, each a pure function of (seed, number): weights and tokens of the shapes at which the
// bounds of arXiv 2508.17821 are tight, tied, cancelling or undefined (docs/specification.md#extremes).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "properties/conformance/bounds/subject.hpp"

namespace attncert {

class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t number) : seed_(seed * 0x9E3779B97F4A7C15u + number) {}
  std::uint64_t below(std::uint64_t n);
  double uniform(double low, double high);
  double normal();
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t seed_, next_ = 0;
};

double as(attncert_dtype dtype, double value);  // rounded to the type: f32 or f64

std::size_t draw_length(Draw& draw, RowSize size);
std::vector<double> draw_weights(Draw& draw, std::size_t length, attncert_dtype dtype);         // >= 0, not all 0
std::vector<double> draw_signed_weights(Draw& draw, std::size_t length, attncert_dtype dtype);  // of any sign and sum
std::vector<double> draw_logits(Draw& draw, std::size_t length, attncert_dtype dtype);
double draw_temperature(Draw& draw);

// weights, tokens, points; ordinary or not.
void draw_weighted_tokens(BoundRow& row, Draw& draw, RowSize size);

}  // namespace attncert
