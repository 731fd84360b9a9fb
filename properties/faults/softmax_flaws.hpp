// Softmax and log-softmax in plain double arithmetic with one flaw at a time. Without a flaw the f32 results are within
// 0.51 ulp: every double step errs by 2^-50 or less of an f32 result whose unit is 2^-24.
#pragma once

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "attncert/kernel.h"

namespace attncert::flaws {

enum class Flaw {
  none,
  returns_zeros,
  returns_uniform,
  no_max_subtraction,
  max_starts_at_zero,
  max_of_absolute,
  last_lane_missing,
  exp_zero_below_minus_10,
  exp_three_percent,
  temperature_off,
  rounded_difference,
  f32_running_sum,
  bf16_running_sum,
  flushes_below_1e7,
  flushes_subnormals,
  lanes_reversed,
  nan_ignored,
  masked_value_leaks,
  fully_masked_uniform,
  infinity_gives_nan,
  accepts_bad_temperature,
  writes_padding,
  last_entry_unwritten,
  log_of_softmax,
  masked_counts_in_sum,
  temperature_ignored,
  maximum_of_earlier_rows,
  second_call_differs,
  rounding_mode_left
};

inline float as_bf16(double value) {  // toward zero: what a bf16 accumulator that truncates keeps
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) & 0xFFFF0000u);
}

template <class T>
struct RowView {
  const T* input;
  T* output;
  const std::uint8_t* mask;
  std::size_t length;
  double temperature;
  bool visible(std::size_t i) const { return mask == nullptr || mask[i] != 0; }
};

inline thread_local double earlier_maximum = -HUGE_VAL;  // of the rows before this one in the batch
inline thread_local unsigned calls = 0;

template <Flaw flaw, class T>
double largest_of(const RowView<T>& row) {
  double largest = flaw == Flaw::max_starts_at_zero ? 0 : -HUGE_VAL;
  if (flaw == Flaw::maximum_of_earlier_rows) largest = earlier_maximum;
  for (std::size_t i = 0; i < row.length; ++i) {
    const bool counts = row.visible(i) || flaw == Flaw::masked_value_leaks;
    const double z = static_cast<double>(row.input[i]);
    if (counts) largest = std::max(largest, flaw == Flaw::max_of_absolute ? std::abs(z) : z);
  }
  if (flaw == Flaw::maximum_of_earlier_rows) earlier_maximum = largest;
  return flaw == Flaw::no_max_subtraction ? 0 : largest;
}

template <Flaw flaw>
double exponential(double x) {
  if (flaw == Flaw::exp_zero_below_minus_10 && x < -10) return 0;
  if (flaw == Flaw::exp_three_percent) return std::exp(x) * (1 + 0.03 * std::sin(40 * x));
  return std::exp(x);
}

template <Flaw flaw, class T>
double exponent(const RowView<T>& row, std::size_t i, double largest) {
  double difference = static_cast<double>(row.input[i]) - largest;
  if (flaw == Flaw::rounded_difference) difference = static_cast<double>(static_cast<float>(difference));
  if (flaw == Flaw::temperature_ignored) return difference;
  return difference / (flaw == Flaw::temperature_off ? row.temperature * 1.001 : row.temperature);
}

template <Flaw flaw>
double added(double sum, double term) {
  if (flaw == Flaw::f32_running_sum) return static_cast<double>(static_cast<float>(sum) + static_cast<float>(term));
  if (flaw == Flaw::bf16_running_sum) return static_cast<double>(as_bf16(sum + term));
  return sum + term;
}

template <class T>
void fill(const RowView<T>& row, T value) {
  std::fill_n(row.output, row.length, value);
}

// NaN, +inf and rows without anything visible, by the default contract. True when the row is done.
template <Flaw flaw, bool logarithm, class T>
bool degenerate(const RowView<T>& row) {
  std::size_t infinities = 0, finite = 0;
  bool nan = false;
  for (std::size_t i = 0; i < row.length; ++i) {
    if (!row.visible(i)) continue;
    nan = nan || std::isnan(row.input[i]);
    infinities += row.input[i] == std::numeric_limits<T>::infinity();
    finite += std::isfinite(row.input[i]);
  }
  const T absent = logarithm ? -std::numeric_limits<T>::infinity() : T{0};
  if (nan && flaw != Flaw::nan_ignored) return fill(row, std::numeric_limits<T>::quiet_NaN()), true;
  if (infinities != 0) {
    const double share = 1 / static_cast<double>(infinities);
    for (std::size_t i = 0; i < row.length; ++i) {
      const bool hit = row.visible(i) && row.input[i] == std::numeric_limits<T>::infinity();
      row.output[i] = hit ? static_cast<T>(logarithm ? std::log(share) : share) : absent;
    }
    if (flaw == Flaw::infinity_gives_nan) fill(row, std::numeric_limits<T>::quiet_NaN());
    return true;
  }
  if (finite != 0) return false;
  const T uniform = static_cast<T>(1 / static_cast<double>(row.length));
  return fill(row, flaw == Flaw::fully_masked_uniform ? uniform : absent), true;
}

template <Flaw flaw, bool logarithm, class T>
T entry(double x, double largest_exponential, double rest) {
  if (flaw == Flaw::log_of_softmax) return static_cast<T>(std::log(static_cast<T>(std::exp(x) / (1 + rest))));
  if (logarithm)
    return static_cast<T>(x - (largest_exponential == 1 ? std::log1p(rest) : std::log(largest_exponential + rest)));
  const double p = exponential<flaw>(x) / (largest_exponential + rest);
  if (flaw == Flaw::flushes_below_1e7 && p < 1e-7) return 0;
  if (flaw == Flaw::flushes_subnormals && p < static_cast<double>(std::numeric_limits<T>::min())) return 0;
  return static_cast<T>(p);
}

template <Flaw flaw, bool logarithm, class T>
void run_row(const RowView<T>& row) {
  constexpr std::size_t lanes = 8;
  if (flaw == Flaw::returns_zeros) return fill(row, T{0});
  if (flaw == Flaw::returns_uniform) return fill(row, static_cast<T>(1 / static_cast<double>(row.length)));
  if (degenerate<flaw, logarithm>(row)) return;
  const T absent = logarithm ? -std::numeric_limits<T>::infinity() : T{0};
  const auto counts = [&](std::size_t i) {
    return row.visible(i) && row.input[i] != -std::numeric_limits<T>::infinity() && !std::isnan(row.input[i]);
  };
  const double largest = largest_of<flaw>(row);
  double rest = 0;  // the sum without one largest entry, whose exponential is kept apart: log1p needs it
  double kept_apart = 0;
  bool apart = false;
  for (std::size_t i = 0; i < row.length; ++i) {
    const bool skipped = flaw == Flaw::last_lane_missing && row.length >= lanes && i == row.length - 1;
    const bool leaked = flaw == Flaw::masked_counts_in_sum && !row.visible(i) && std::isfinite(row.input[i]);
    if ((!counts(i) && !leaked) || skipped) continue;
    const double x = exponent<flaw>(row, i, largest);
    if (!apart && x == 0) {
      apart = true;
      kept_apart = exponential<flaw>(x);
    } else {
      rest = added<flaw>(rest, exponential<flaw>(x));
    }
  }
  for (std::size_t i = 0; i < row.length; ++i)
    row.output[i] = counts(i) ? entry<flaw, logarithm, T>(exponent<flaw>(row, i, largest), kept_apart, rest) : absent;
  if (flaw == Flaw::lanes_reversed && row.length >= lanes)
    std::reverse(row.output + row.length - lanes, row.output + row.length);
}

template <Flaw flaw, bool logarithm, class T>
attncert_status run(const attncert_arguments* a) {
  const bool valid = a->temperature > 0 && std::isfinite(a->temperature);
  if (!valid && flaw != Flaw::accepts_bad_temperature) return ATTNCERT_BAD_TEMPERATURE;
  earlier_maximum = -HUGE_VAL;
  for (std::size_t r = 0; r < a->rows && a->length != 0; ++r) {
    RowView<T> row{static_cast<const T*>(a->input) + r * a->input_stride,
                   static_cast<T*>(a->output) + r * a->output_stride,
                   a->mask == nullptr ? nullptr : a->mask + r * a->mask_stride, a->length, a->temperature};
    const T before = row.output[a->length - 1];
    run_row<flaw, logarithm>(row);
    if (flaw == Flaw::writes_padding) row.output[a->length] = 0;
    if (flaw == Flaw::last_entry_unwritten && a->length > 1) row.output[a->length - 1] = before;
    if (flaw == Flaw::second_call_differs && ++calls % 2 == 0) row.output[0] = std::nextafter(row.output[0], T{0});
  }
  if (flaw == Flaw::rounding_mode_left) std::fesetround(FE_UPWARD);
  return ATTNCERT_OK;
}

template <Flaw flaw, bool logarithm, class T>
inline constexpr attncert_dtype dtype_of = sizeof(T) == 4 ? ATTNCERT_F32 : ATTNCERT_F64;

template <Flaw flaw, bool logarithm, class T>
constexpr attncert_kernel descriptor(const char* name) {
  const attncert_dtype dtype = dtype_of<flaw, logarithm, T>;
  return {ATTNCERT_KERNEL_ABI,
          sizeof(attncert_kernel),
          name,
          logarithm ? "log-softmax" : "softmax",
          dtype,
          dtype,
          "plain",
          "default",
          run<flaw, logarithm, T>,
          nullptr,
          nullptr};
}

}  // namespace attncert::flaws
