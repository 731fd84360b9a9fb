// What an attention kernel declares of its arithmetic: the rounding class. Its default is everything in f32 to nearest,
// sums in any order, online over single keys, subnormal numbers flushed. docs/attention-bounds.md says what each member
// means and why it enters the bound as it does.
#pragma once

#include <cstddef>

namespace attncert::reference {

inline constexpr double f32_unit = 0x1p-24;        // half a unit in the last place of 1: rounding to nearest
inline constexpr double f32_underflow = 0x1p-126;  // flush to zero; 2^-150 with gradual underflow

// A rounded y is y (1 + e) + a with |e| <= relative and |a| <= absolute.
struct Rounding {
  double relative = 0, absolute = 0;
  bool operator==(const Rounding&) const = default;
};

// Half a unit in the last place of 1, and of the subnormal numbers: 2^-25 is half of f16's smallest.
inline constexpr Rounding bf16_rounding{0x1p-8, f32_underflow}, f16_rounding{0x1p-11, 0x1p-25};

// Of q and k, each times the root of a scale in f32, or of q times the scale alone, in a product q k.
inline constexpr double scaled_in_f32 = (1 + f32_unit) * (1 + f32_unit) - 1;

// Of an LSE that parts are merged by: a product, itself, two changes of its base.
inline constexpr double lse_roundings = 4;

enum class BlockOrder { any, ascending, descending };

struct RoundingClass {
  Rounding single{f32_unit, f32_underflow};      // single operations and the sum of the weights
  double score_unit = f32_unit;                  // the accumulator of q . k; of a matrix unit: u_g
  Rounding output_sum{f32_unit, f32_underflow};  // the accumulator of the output
  Rounding operands{0, f32_underflow};           // q, k or scale q (or both by its root) before their product
  Rounding values;                               // v before its product
  Rounding scaled{f32_unit, f32_underflow};      // k and v that are a scale times what is stored (scaled_inputs.hpp)
  Rounding stored_scores;                        // scores stored narrow,
  int scores_stored = 0;                         // so often: once before the bias, twice after it too
  std::size_t constants = 2, products = 1;       // roundings of constants common to all scores, of products with them
  // Computed e^y: e^y (1 + e), |e| <= relative + per_unit |y|, for -range <= y <= 0; anything in [0, 2 e^-range] below.
  struct Exponential {
    double relative = 4 * f32_unit, per_unit = 2 * f32_unit, range = 87;
    bool operator==(const Exponential&) const = default;
  } exponential;
  Rounding tanh{8 * f32_unit, 0}, logarithm{4 * f32_unit, f32_unit};
  Rounding weights;             // P before P V
  bool normalised = false;      // P is divided by its sum before it is rounded
  bool sum_of_rounded = false;  // the sum is one of rounded weights
  std::size_t block = 1;        // keys a block but the last; with an order, multiples begin blocks
  BlockOrder order = BlockOrder::any;
  bool three_pass = false;                      // the maximum is known before the first exponential
  std::size_t sum_chunk = 0, output_chunk = 0;  // terms summed apart before they meet the running sum; 0: any order
  double lazy = 0;                              // how far the pivot may lag behind the running maximum
  bool fma_rescale = false;                     // by e^(m - fl(m')) of the pivots, in every block, where m' is m too
  std::size_t parts = 1, levels = 1;            // split-KV: parts a merge, levels of merges by LSE
  Rounding part_output;                         // stored outputs of parts
  Rounding output{f32_unit, f32_underflow};     // the output's format
  bool heads_stored = false;                    // dK and dV of each query head are stored so, then summed over a group

  std::size_t merges() const { return parts == 1 ? 0 : levels; }
  bool operator==(const RoundingClass&) const = default;
};

}  // namespace attncert::reference
