#include "properties/dumps/standing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "properties/dumps/approximate.hpp"
#include "properties/dumps/rounding_named.hpp"

namespace attncert {
namespace {

bool is_nan(double x) { return std::isnan(x); }
bool is_finite(double x) { return std::isfinite(x); }
double magnitude(double x) { return std::isfinite(x) ? std::abs(x) : infinity; }

// Twice as much is still below the largest number of the format: f32 ends at 2^128, and a kernel may multiply by log2 e
// and the scale before or after a sum; f16 ends at 65504, which a sum of roundings stays below from 2^15.9.
constexpr double f32_range = 0x1p126, f16_unit = 0x1p-11;
const double f16_range = std::exp2(15.9);
// Two such factors and log2 e make no constant that underflows or overflows.
constexpr double largest_factor = 0x1p60;

double sums_range(const reference::RoundingClass& rounding, double exponent) {
  return (rounding.output_sum.relative == f16_unit ? f16_range : f32_range) / std::exp(exponent);
}

struct RowSizes {
  double key = 0, bias = 0, values = 0;  // the largest entry of a kept key, of the bias; the sum of the largest values
};

RowSizes sizes_of(const DumpedRow& dumped, const std::vector<std::size_t>& kept) {
  const reference::AttentionRow& row = dumped.row;
  RowSizes sizes;
  for (const std::size_t j : kept) {
    sizes.key = std::max(sizes.key, dumped.shared->largest_key[j]);
    sizes.values += dumped.shared->largest_value[j];
    if (!row.bias.empty()) sizes.bias = std::max(sizes.bias, magnitude(row.bias[j]));
  }
  return sizes;
}

// sum |v| of the channel where it is largest.
double largest_sum(const reference::AttentionRow& row, const std::vector<std::size_t>& kept) {
  std::vector<double> sums(row.value_size, 0);
  for (const std::size_t j : kept)
    for (std::size_t c = 0; c < row.value_size; ++c) sums[c] += std::abs(row.value(j, c));
  return *std::max_element(sums.begin(), sums.end());
}

bool is_extreme(double factor) { return !(factor <= largest_factor && factor * largest_factor >= 1); }

// sum |q_i k_i|
double largest_product(const reference::AttentionRow& row, std::size_t j) {
  double size = 0;
  for (std::size_t e = 0; e < row.query.size(); ++e) size += std::abs(row.query[e] * row.key(j)[e]);
  return size;
}

// No score of a kept key is larger, in any form: scaled before its sum or behind it, in base 2 or with its bias.
double largest_score(const reference::AttentionRow& row, const std::vector<std::size_t>& kept) {
  double largest = 0;
  for (const std::size_t j : kept)
    largest = std::max(largest, largest_product(row, j) * std::max(1.0, std::abs(row.scale)) +
                                    (row.bias.empty() ? 0 : std::abs(row.bias[j])));
  return std::max(largest, row.sink ? std::abs(*row.sink) : 0);
}

// Whether e^y or the cap times it may be beyond f32, where tanh y is made of these; e^88.7 is.
bool tanh_overflows(const reference::AttentionRow& row, const reference::RoundingClass& rounding,
                    const std::vector<std::size_t>& kept) {
  constexpr double largest = 87;
  if (row.softcap == 0 || rounding.tanh.absolute != sigmoid_tanh) return false;
  return std::ranges::any_of(kept, [&](std::size_t j) {
    return largest_product(row, j) * std::abs(row.scale) / row.softcap + std::log(std::max(1.0, row.softcap)) > largest;
  });
}

constexpr double log2_e = 1.45;  // and more

// What q may be multiplied by before it meets k, and both by its root.
double factor_of_query(const reference::AttentionRow& row) { return std::max(1.0, std::abs(row.scale) * log2_e); }
double factor_of_key(const reference::AttentionRow& row) {
  return std::max(1.0, std::sqrt(std::abs(row.scale)) * log2_e);
}

// What ALiBi's slope may be multiplied with.
double farthest(const reference::AttentionRow& row) {
  return static_cast<double>(row.key_count()) + std::abs(static_cast<double>(row.position)) +
         std::abs(static_cast<double>(row.offset));
}

// Whether the row has other keys than those that an added mask removes, by `lowered` or less, of scores by which these
// are far below: whatever -65504 and a score are then, -infinity too, has no weight beside a pivot of the others.
bool masks_are_harmless(const reference::AttentionRow& row, const std::vector<std::size_t>& kept) {
  constexpr double moderate = 0x1p13;
  double bias = row.slope ? std::abs(*row.slope) * farthest(row) : 0;
  bool others = false;
  for (const std::size_t j : kept)
    if (row.bias.empty() || row.bias[j] > DumpedRow::lowered)
      others = true, bias = std::max(bias, row.bias.empty() ? 0 : std::abs(row.bias[j]));
  reference::AttentionRow unbiased = row;
  unbiased.bias = {};
  return others && largest_score(unbiased, kept) + bias < moderate;
}

// Whether each pivot is one of the others.
bool pivots_are_others(const reference::AttentionRow& row, const reference::RoundingClass& rounding,
                       const std::vector<std::size_t>& kept) {
  if (rounding.three_pass) return true;
  if (rounding.order != reference::BlockOrder::ascending || rounding.parts > 1) return false;
  return std::ranges::any_of(kept, [&](std::size_t j) {
    return j / rounding.block == kept[0] / rounding.block && row.bias[j] > DumpedRow::lowered;
  });
}

bool overflows_a_format(const DumpedRow& row, const reference::RoundingClass& rounding,
                        const std::vector<std::size_t>& kept) {
  constexpr double largest_f16 = 65504;
  if (tanh_overflows(row.row, rounding, kept)) return true;
  // q or k, with all of the scale.
  const auto beyond = [&](double value) { return std::abs(value) * factor_of_query(row.row) > largest_f16; };
  if (rounding.operands.absolute >= reference::f16_rounding.absolute &&
      (std::ranges::any_of(row.query, beyond) ||
       std::ranges::any_of(kept, [&](std::size_t j) { return beyond(row.shared->largest_key[j]); })))
    return true;
  const bool f16_scores = rounding.scores_stored > 0 && rounding.stored_scores == reference::f16_rounding;
  // The scale itself may be a number of f16, where smaller ones are subnormal.
  constexpr double least_f16 = 0x1p-14;
  if (f16_scores && row.row.scale != 0 && std::abs(row.row.scale) < least_f16) return true;
  const double slopes = row.row.slope ? std::abs(*row.row.slope) * farthest(row.row) : 0;
  if (f16_scores && ((largest_score(row.row, kept) + slopes > f16_range && !masks_are_harmless(row.row, kept)) ||
                     std::ranges::any_of(kept, [&](std::size_t j) {
                       return row.shared->largest_key[j] * factor_of_key(row.row) > largest_f16;
                     })))
    return true;
  if (rounding.part_output == reference::f16_rounding && std::ranges::any_of(kept, [&](std::size_t j) {
        return row.shared->largest_value[j] > f16_range * std::min(1.0, row.shared->value_scale);
      }))
    return true;
  if (rounding.scaled != reference::f16_rounding) return false;
  return std::ranges::any_of(kept, [&](std::size_t j) {
    return row.shared->largest_key[j] > largest_f16 || row.shared->largest_value[j] > largest_f16;
  });
}

bool score_is_nan(const reference::AttentionRow& row, std::size_t j) {
  return std::ranges::any_of(row.query, is_nan) || std::ranges::any_of(row.key(j), is_nan) ||
         (!row.bias.empty() && std::isnan(row.bias[j]));
}

// The most that a weight may be in units of its pivot is e to this. A pivot that lags may be so much smaller than the
// score, and one that is rounded beside a score that is not, as e^(x - fl(m)) by FMA, by u' of itself: of -1e10, which
// masks may add, by 596. No key is needed that has such a score at last: the first of several blocks will do.
double largest_exponent(const reference::AttentionRow& row, const reference::RoundingClass& rounding,
                        const std::vector<std::size_t>& kept, double bound) {
  const std::size_t pivots = rounding.fma_rescale ? row.key_count() / rounding.block + 1 : 1;  // that add up
  // Parts of a split are weighed by e^(lse_s - lse), both of which are rounded.
  const double roundings =
      static_cast<double>(pivots) + 2 * reference::lse_roundings * static_cast<double>(rounding.merges());
  const double unit = roundings * rounding.single.relative / (1 - rounding.single.relative);
  constexpr double nothing = 0x1p-10;  // of an exponent
  if (unit * bound < nothing && !row.slope) return rounding.lazy + nothing;
  if (rounding.three_pass) return unit * std::abs(approximate(row).largest) + nothing;
  return rounding.lazy + unit * (largest_score(row, kept) + (row.slope ? std::abs(*row.slope) * farthest(row) : 0));
}

// Whether a weight, or the sum of all, may be beyond its format.
bool weights_overflow(const reference::RoundingClass& rounding, double exponent, std::size_t keys) {
  const bool in_f16 = rounding.weights == reference::f16_rounding && !rounding.normalised;
  return exponent > (in_f16 ? std::log(65504.0) : std::log(f32_range) - std::log(static_cast<double>(keys + 1)));
}

// What the row's outputs make of values that are not finite, of which each finite weight is known.
NotFinite of_values(const DumpedRow& dumped, const reference::RoundingClass& rounding,
                    const std::vector<std::size_t>& kept, double exponent) {
  const reference::AttentionRow& row = dumped.row;
  std::vector<double> ones(row.key_count(), 1.0), products(row.key_count(), 0);
  reference::AttentionRow weighed = row;  // the same weights, of values that are finite
  weighed.values = ones;
  weighed.value_size = 1;
  const double largest = approximate(weighed).largest;
  for (const std::size_t j : kept)
    for (std::size_t e = 0; e < row.query.size(); ++e) products[j] += row.query[e] * row.key(j)[e];
  const std::vector<double> scores = approximate_scores(row, products, kept);
  std::vector<std::size_t> heavy;  // keys whose weight no class lets vanish: e^-8, a normal number of f16 too
  constexpr double depth = 8;
  for (std::size_t n = 0; n < kept.size(); ++n)
    if (scores[n] > largest - depth) heavy.push_back(kept[n]);
  bool open = false;
  for (std::size_t c = 0; c < row.value_size; ++c) {
    const auto value_is_finite = [&](std::size_t j) { return std::isfinite(row.value(j, c)); };
    if (std::ranges::all_of(kept, value_is_finite)) {
      double sum = 0;
      for (const std::size_t j : kept) sum += std::abs(row.value(j, c));
      if (sum >= sums_range(rounding, exponent)) open = true;
      else if (!std::isfinite(dumped.output[c])) return NotFinite::spread;
    } else if (std::ranges::all_of(heavy, value_is_finite)) open = true;
    else if (std::isfinite(dumped.output[c])) return NotFinite::lost;
  }
  if (dumped.lse && !std::isfinite(*dumped.lse)) return NotFinite::spread;
  return open ? NotFinite::open : NotFinite::propagated;
}

}  // namespace

std::string_view name_of(NotFinite became) {
  if (became == NotFinite::open) return "open";
  return became == NotFinite::lost ? "lost" : became == NotFinite::spread ? "spread" : "propagated";
}

std::string_view text_of(NotFinite became) {
  if (became == NotFinite::propagated) return "so do the outputs that it enters, and no others";
  if (became == NotFinite::lost) return "an output that it enters is finite";
  return became == NotFinite::spread ? "an output that it does not enter is not finite"
                                     : "whatever it becomes is right";
}

bool leaves_formats_of(const reference::RoundingClass& rounding, const DumpedRow& row) {
  return overflows_a_format(row, rounding, reference::kept_keys(row.row));
}

Standing standing(const DumpedRow& dumped, const reference::RoundingClass& rounding) {
  const reference::AttentionRow& row = dumped.row;
  const auto kept = reference::kept_keys(row);
  if (kept.empty() && !row.sink) return Standing::without_key;
  if (!dumped.lowered_bias.empty() && !(masks_are_harmless(row, kept) && pivots_are_others(row, rounding, kept)))
    return Standing::scores_overflow;
  double query = 0;
  for (const double value : row.query) query = std::max(query, magnitude(value));
  const RowSizes sizes = sizes_of(dumped, kept);
  if (std::isinf(query) || std::isinf(sizes.key) || std::isinf(sizes.bias) || std::isinf(sizes.values))
    return Standing::not_finite;
  if ((row.scale != 0 && is_extreme(std::abs(row.scale))) || (row.softcap != 0 && is_extreme(row.softcap)) ||
      is_extreme(dumped.shared->key_scale) || is_extreme(dumped.shared->value_scale))
    return Standing::scores_overflow;
  const double product = 2 * static_cast<double>(row.query.size()) * query * sizes.key;
  const double sink = row.sink ? std::abs(*row.sink) : 0;
  const bool in_range =
      product * std::max(1.0, std::abs(row.scale)) < f32_range && sizes.bias < f32_range && sink < f32_range &&
      query * factor_of_query(row) * std::max(1.0, dumped.shared->key_scale) < f32_range &&
      sizes.key * (rounding.operands.relative == 0 ? factor_of_key(row) : factor_of_query(row)) < f32_range;
  if (!in_range || overflows_a_format(dumped, rounding, kept)) return Standing::scores_overflow;
  const double exponent =
      largest_exponent(row, rounding, kept, product * std::max(1.0, std::abs(row.scale)) + sizes.bias + sink);
  if (weights_overflow(rounding, exponent, kept.size())) return Standing::scores_overflow;
  // Sums may be of v as stored.
  const double range = sums_range(rounding, exponent) * std::min(1.0, dumped.shared->value_scale);
  return sizes.values < range || largest_sum(row, kept) < range ? Standing::sound : Standing::sums_overflow;
}

NotFinite of_not_finite(const DumpedRow& dumped, const reference::RoundingClass& rounding) {
  const reference::AttentionRow& row = dumped.row;
  const auto kept = reference::kept_keys(row);
  if (std::ranges::any_of(kept, [&](std::size_t j) { return score_is_nan(row, j); })) {
    const bool propagated = std::ranges::all_of(dumped.output, is_nan) && (!dumped.lse || !std::isfinite(*dumped.lse));
    return propagated ? NotFinite::propagated : NotFinite::lost;
  }
  const bool scores =
      std::ranges::all_of(row.query, is_finite) && std::ranges::all_of(kept, [&](std::size_t j) {
        return std::isfinite(dumped.shared->largest_key[j]) && (row.bias.empty() || std::isfinite(row.bias[j]));
      });
  const double largest = largest_score(row, kept);
  const double exponent = largest_exponent(row, rounding, kept, largest);
  const bool defined = scores && largest < f32_range && !weights_overflow(rounding, exponent, kept.size());
  return defined ? of_values(dumped, rounding, kept, exponent) : NotFinite::open;
}

}  // namespace attncert
