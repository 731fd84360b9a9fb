// Rows as wide as the contract: every length around the powers of two, any positive double as temperature, logits of
// every magnitude, the mass anywhere, ties and neighbours of ties, maxima that come late, masks of every shape.
// A row is a recipe of a few choices. A campaign deals them: among `count` consecutive rows each of the `count` kinds
// of one choice occurs once, whatever the seed is, so that a class of inputs without a row is no accident. A tape
// draws them. What the rows come to is told by input_classes.hpp, which looks at the row alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attncert/kernel.h"
#include "properties/conformance/rows/masks.hpp"
#include "reference/normalizers/normalizer.hpp"
#include "src/core/tape.hpp"

namespace attncert {

enum class Profile : std::uint8_t {  // of the logits below the largest
  normal,
  flat,        // within one T
  peak,        // one above all others
  shelf,       // a part of the row has the mass, all else is deep
  rising,      // in blocks, each of which raises the maximum, late
  falling,     // the same from the other end
  ties,        // the largest several times, before and behind the last whole vector
  neighbours,  // the same, some of them a few steps of the format off
  few,         // two to four values
  any,         // any finite number of the format
  threshold    // around the threshold of sparsemax
};
inline constexpr std::size_t profile_count = 11, profile_deals = 12;  // one more that rises

enum class PlaceOfLargest : std::uint8_t {
  first,
  last,
  middle,
  tail,
  anywhere
};  // of the largest; tail: the last length % 64
inline constexpr std::size_t place_count = 5;

enum class Warmth : std::uint8_t {  // what T is
  one,
  simple,              // a power of two, or one of 0.1, 0.7, 3
  near_the_small_end,  // of the input's format
  near_the_large_end,
  any,                    // any positive double
  subnormal,              // so that 1 / T overflows, or nearly
  inverse_beyond_floats,  // 1 / T overflows f32
  below_floats,
  inverse_below_floats,  // 1 / T is subnormal in f32
  beyond_floats,
  inverse_subnormal,
  a_float,
  of_the_format  // as large as some number of it; a third of all rows, so that logits may be of T's size
};
inline constexpr std::size_t warmth_count = 13, warmth_deals = 18;

enum class Unit : std::uint8_t {
  near,
  own,
  temperature
};  // of the differences of logits: T 2^k, any, T in half the rows
inline constexpr std::size_t unit_deals = 4;

enum class Level : std::uint8_t { zero, none, above, below, far_above, far_below, high, low };  // of the largest logit
inline constexpr std::size_t level_count = 8;

enum class Hidden : std::uint8_t { as_drawn, on_top, nan, infinite, minus_infinite };  // what stands at masked entries
inline constexpr std::size_t hidden_count = 5;

struct WideRecipe {
  std::size_t length = 1;
  Profile profile = Profile::normal;
  PlaceOfLargest place = PlaceOfLargest::first;
  Warmth warmth = Warmth::one;
  Unit unit = Unit::temperature;
  Level level = Level::zero;
  MaskKind mask = MaskKind::none;
  Hidden hidden = Hidden::as_drawn;
  bool minus_infinities = false;  // some entries are -inf, and not masked
  std::uint32_t octave = 0;       // of the size of blocks, below 8
  std::uint32_t special = 0;      // 1: NaN at the place, 2: +inf; rows to 2048 only, which contracts take long to judge
  std::uint64_t seed = 0;
};

// Row number n of a campaign. Lengths grow with n: 1 to 95, then 2^k - 32 to 2^k + 31 and some as far as 2^(k + 1),
// for k = 7 to 17; then all again, dealt otherwise.
WideRecipe dealt_recipe(std::uint64_t number, std::uint64_t seed);
std::size_t wide_length(std::uint64_t number);
std::uint64_t wide_rows_to(std::size_t length);  // so many rows, the first ones, are about as long or shorter
WideRecipe drawn_recipe(Choices& choices, std::size_t longest);

// Logits, temperature and mask. Beyond 256 entries there are only some hundreds of different logits, which a rigorous
// reference can afford.
LogitRow wide_row(const WideRecipe& recipe, attncert_dtype dtype);

// Parameters and upstream gradient of a row: number and seed as above, or words of a tape.
void add_wide_parameters(LogitRow& row, std::uint64_t number, std::uint64_t seed, attncert_dtype dtype,
                         const Normalizer& normalizer);

}  // namespace attncert
