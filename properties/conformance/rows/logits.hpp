// Rows of floating-point logits by regime. A row is a small recipe that a tape spells out and that expands
// deterministically: only the record shrinks, never a long vector. The empty tape is the simplest row: one logit, 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/tape.hpp"

namespace attncert {

enum class Regime : std::uint8_t {  // the order is part of the tape's format: add at the end only
  lattice,                          // small integers
  spread,                           // N(0, s^2), s from 1e-3 to 1e4
  ties,                             // all, pairs, or a few distinct values
  ulp_neighbours,                   // within 4 ulp of one value
  near_threshold,                   // within 2 ulp of the sparsemax threshold (T = 1) of an exactly representable row
  offsets,                          // N(0, 3^2) around +-1e3 .. +-1e30
  subnormal,                        // subnormals of both signs, and zeros
  masked,                           // -inf as prefix, suffix, at random, all but one, everywhere
  extremes,                         // every exponent up to the largest float
  specials                          // NaN, +inf, -inf, -0 among ordinary values
};
inline constexpr std::size_t regime_count = 10;
inline constexpr std::array<Regime, regime_count> regimes = {
    Regime::lattice, Regime::spread,    Regime::ties,   Regime::ulp_neighbours, Regime::near_threshold,
    Regime::offsets, Regime::subnormal, Regime::masked, Regime::extremes,       Regime::specials};
std::string_view name(Regime regime);

// One element replaced after expansion. `what` in the order of the tape: 0, -0, a copy of the largest finite element,
// its neighbour above, -inf, NaN, +inf, or the bit pattern `bits` (cut to the type's width).
enum class SpecialKind : std::uint8_t {
  zero,
  minus_zero,
  copy_of_largest,
  above_largest,
  minus_infinity,
  nan,
  infinity,
  bits
};
inline constexpr std::size_t special_kind_count = 8;
struct SpecialValue {
  std::size_t position = 0;
  SpecialKind kind = SpecialKind::zero;
  std::uint64_t bits = 0;
};

struct LogitRecipe {
  std::size_t length = 1;
  Regime regime = Regime::lattice;
  std::uint32_t scale = 0;    // which spread, offset, ...: its meaning belongs to the regime
  std::uint32_t variant = 0;  // which kind within the regime
  std::uint64_t seed = 0;
  std::vector<SpecialValue> special_values;
};
std::string text(const LogitRecipe& recipe);

// Lengths favour the edges of vectors; largest_length >= 1.
std::size_t draw_length(Choices& choices, std::size_t largest_length);
LogitRecipe draw_logits(Choices& choices, std::size_t largest_length);

template <class T>  // float or double
std::vector<T> expand(const LogitRecipe& recipe);
extern template std::vector<float> expand<float>(const LogitRecipe&);
extern template std::vector<double> expand<double>(const LogitRecipe&);

// `length` draws of N(0, s^2), rounded to T: all independent, or with replacement from a pool of `pool` draws
// (0 = no pool), which gives long rows that a rigorous reference can still afford.
template <class T>
std::vector<T> normal_logits(std::uint64_t seed, std::size_t length, double s, std::size_t pool = 0);
extern template std::vector<float> normal_logits<float>(std::uint64_t, std::size_t, double, std::size_t);
extern template std::vector<double> normal_logits<double>(std::uint64_t, std::size_t, double, std::size_t);

}  // namespace attncert
