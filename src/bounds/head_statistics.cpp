// Everything from the ratios q_i = w_i / w_1 to the largest weight: r = sum over the others, S = 1 + r, and
//   H = log1p(r) + (1 / S) sum q_i ln(1 / q_i),
// whose terms are all >= 0, so that nothing cancels, whether one weight dominates or all are equal (-sum p ln p cancels
// in its first term, ln S - (1/S) sum w ln w in both cases). Proofs of the errors: docs/bounds.md, "Head statistics".
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bounds/head_statistics.cpp"
#include "src/bounds/head_statistics.hpp"

#include <cstddef>
#include <cstdint>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "src/bounds/blocked_sum.hpp"
#include "src/bounds/passed_sums.hpp"
#include "src/kernel/dispatch.hpp"

#ifndef ATTNCERT_BOUNDS_HEAD_MOMENTS
#define ATTNCERT_BOUNDS_HEAD_MOMENTS
namespace attncert::bounds {
// The two largest weights, how many are positive, whether all are finite and >= 0.
struct Survey {
  double first = 0, second = 0;
  std::size_t support = 0;
  bool valid = true;
};
constexpr std::size_t widest = 8;  // doubles in a vector; the buffer of ratios has so many zeros after it
}  // namespace attncert::bounds
#endif

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ln(1 / y) for y in [0, 1], within (4 ln(1/y) + 3) u for normal y; between 708 and 711 for y = 0 and subnormal y.
// y = 2^e m with m in [sqrt(1/2), sqrt 2), ln m = 2 artanh(s), s = (m - 1) / (m + 1), |s| <= 0.1716: ten terms of the
// series leave 2^-55 of it.
template <class D, class V>
V log_of_reciprocal(D d, V y) {
  const hn::RebindToUnsigned<D> bits_of;
  constexpr std::uint64_t one = 0x3FF0000000000000, root_half = 0x3FE6A09E667F3BCD, fraction = 0x000FFFFFFFFFFFFF;
  constexpr std::uint64_t two_to_52 =
      0x4330000000000000;  // as a double; an integer below its last place is its fraction
  const auto shifted = hn::Add(hn::BitCast(bits_of, y), hn::Set(bits_of, one - root_half));
  const V m = hn::BitCast(d, hn::Add(hn::And(shifted, hn::Set(bits_of, fraction)), hn::Set(bits_of, root_half)));
  const V e = hn::Sub(hn::BitCast(d, hn::Or(hn::ShiftRight<52>(shifted), hn::Set(bits_of, two_to_52))),
                      hn::Set(d, 0x1p52 + 1023));
  const V s = hn::Div(hn::Sub(m, hn::Set(d, 1)), hn::Add(m, hn::Set(d, 1)));
  const V z = hn::Mul(s, s);
  V series = hn::Set(d, 2.0 / 19);
  for (const double odd : {17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0})
    series = hn::MulAdd(series, z, hn::Set(d, 2.0 / odd));
  constexpr double ln2 = 0.693147180559945309417;
  return hn::NegMulAdd(e, hn::Set(d, ln2), hn::Neg(hn::Mul(s, series)));
}

// In blocks of `steps` vectors.
HeadMoments moments(const double* HWY_RESTRICT ratios, std::size_t count) {
  const hn::CappedTag<double, widest> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d), steps = block_steps(count, lanes), block = steps * lanes;
  HeadMoments out;
  for (std::size_t begin = 0; begin < count; begin += block) {
    V rest = hn::Zero(d), squares = hn::Zero(d), logs = hn::Zero(d);
    const std::size_t end = HWY_MIN(count, begin + block);
    for (std::size_t i = begin; i < end; i += lanes) {
      const V y = hn::LoadU(d, ratios + i);
      rest = hn::Add(rest, y);
      squares = hn::MulAdd(y, y, squares);
      logs = hn::MulAdd(y, log_of_reciprocal(d, y), logs);
    }
    out.rest += hn::GetLane(hn::SumOfLanes(d, rest));
    out.squares += hn::GetLane(hn::SumOfLanes(d, squares));
    out.logs += hn::GetLane(hn::SumOfLanes(d, logs));
    ++out.additions;
  }
  // Steps of one lane, joining the lanes in any order; the blocks are counted.
  out.additions += static_cast<double>(HWY_MIN(steps, count / lanes + 1) + lanes - 1);
  return out;
}

void enter(double weight, Survey& out) {
  out.second = HWY_MAX(out.second, HWY_MIN(out.first, weight));
  out.first = HWY_MAX(out.first, weight);
}

template <class T>
Survey survey(const T* HWY_RESTRICT weights, std::size_t count) {
  const hn::CappedTag<T, 2 * widest> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const V zero = hn::Zero(d), highest = hn::Set(d, hwy::HighestValue<T>());
  V first = zero, second = zero;
  Survey out;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V w = hn::LoadU(d, weights + i);
    second = hn::Max(second, hn::Min(first, w));
    first = hn::Max(first, w);
    out.support += hn::CountTrue(d, hn::Gt(w, zero));
    out.valid = out.valid && hn::AllTrue(d, hn::And(hn::Ge(w, zero), hn::Le(w, highest)));
  }
  T lane[2 * widest];
  for (const V& leaders : {first, second}) {
    hn::StoreU(leaders, d, lane);
    for (std::size_t k = 0; k < lanes; ++k) enter(lane[k], out);
  }
  for (; i < count; ++i) {
    out.support += weights[i] > 0 ? 1 : 0;
    out.valid = out.valid && weights[i] >= 0 && weights[i] <= hwy::HighestValue<T>();
    enter(weights[i], out);
  }
  return out;
}
ATTNCERT_FORMS(survey)

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace attncert::bounds {
namespace {

HWY_EXPORT(moments);
ATTNCERT_DISPATCH(survey)

constexpr double u = 0x1p-53;
// Products of first-order errors, each below 2^-21 (rows below 2^30 weights); and the rounding of the error itself.
constexpr double second_order = 1 + 0x1p-19;
constexpr double smallest = std::numeric_limits<double>::min();

// The sums of one row and what their roundings are, relative and in u.
struct Row {
  double rest, total, squares, logs;  // r, S, sum q^2, sum q ln(1/q)
  double additions, total_error;      // of one of the sums; of S = 1 + r
  double mass_change, power_change;   // (1 - rho)^-2 - 1 and (1 - rho)^-4 - 1 for relative errors rho of the weights
  double underflow;                   // absolute: what the ratios below 2^-1022 may add to any figure
};

Row sums_of(const HeadMoments& sums, std::size_t count, double relative_error) {
  Row row{};
  row.rest = sums.rest;
  row.total = 1 + sums.rest;
  row.squares = sums.squares;
  row.logs = sums.logs;
  row.additions = sums.additions;
  row.total_error = (sums.additions + 1) * (row.rest / row.total) + 1;
  row.mass_change = std::expm1(-2 * std::log1p(-relative_error));
  row.power_change = std::expm1(-4 * std::log1p(-relative_error));
  // A ratio below 2^-1022 and its q ln(1/q) < 2^-1012 are off by no more than themselves.
  row.underflow = static_cast<double>(count) * 0x1p-1010;
  return row;
}

double upward(double error) { return error * second_order + smallest; }

// -sum p ln p. Under w_i exp(s h_i), |h_i| <= h = -ln(1 - rho), H' = cov(h, ln(1/p)) <= h E|ln(1/p) - H| <= 2 h H,
// hence mass_change.
Certified entropy_of(const Row& row) {
  const double peak_part = std::log1p(row.rest), rest_part = row.logs / row.total, value = peak_part + rest_part;
  // log1p: glibc documents 2 ulp at most, 4 u; a relative error of r never grows through it. q ln(1/q): 1 u for the
  // ratio, 4 u for the logarithm, 1 u for the product, and (3 + 1) u r absolute.
  const double rounding = (row.additions + 5) * peak_part + (row.additions + 6 + row.total_error + 1) * rest_part +
                          4 * (row.rest / row.total) + value;
  return {value, upward(rounding * u + value * row.mass_change + row.underflow)};
}

Certified exponential_of(Certified exponent) {  // exp: glibc documents 1 ulp, 2 u; taken as 4
  const double value = std::exp(exponent.value);
  return {value, upward(value * (std::expm1(exponent.error) + 4 * u))};
}

Certified participation_of(const Row& row) {  // S^2 / (1 + sum q^2)
  const double value = row.total * row.total / (1 + row.squares);
  const double roundings = 2 * row.total_error + 1 + (row.additions + 3) + 1 + 1;
  return {value, upward(value * (roundings * u + row.power_change) + row.underflow)};
}

// numerator / S, the mass of a set; its complement is a mass too, and a change of one is a change of the other.
Certified mass_of(const Row& row, double numerator, double roundings) {
  const double value = std::min(numerator / row.total, 1.0);
  const double rounding = value * (roundings + row.total_error + 1) * u + row.underflow;
  return {value, upward(rounding + std::min(value, 1 - value + rounding) * row.mass_change)};
}

// The k - 1 largest of the others beside the largest. Spoils the order of the ratios.
Certified top_mass_of(const Row& row, std::vector<double>& ratios, std::size_t count, std::size_t k) {
  if (k == 0) return {0, 0};
  if (k == 1) return mass_of(row, 1, 0);
  const auto end = ratios.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(k - 2), end, std::greater<>());
  const double others = blocked_sum(k - 1, [&](std::size_t i) { return ratios[i]; });
  return mass_of(row, 1 + others, static_cast<double>(blocked_additions(k - 1)) + 2);
}

// (w_1 - w_2) / w_1 / S: one rounding of the difference, none of the weights; relative errors of the weights do not
// cancel.
Certified margin_of(const Row& row, const Survey& peak) {
  const double value = (peak.first - peak.second) / peak.first / row.total;
  const double masses = (1 + peak.second / peak.first) / row.total;
  return {value, upward(value * (3 + row.total_error) * u + masses * row.mass_change + row.underflow)};
}

// w_i / w_1, the largest left out (0), and zeros for the last vector.
template <class T>
void take_ratios(std::span<const T> weights, const Survey& peak, std::vector<double>& ratios) {
  ratios.resize(weights.size() + widest);
  for (std::size_t i = 0; i < weights.size(); ++i) ratios[i] = static_cast<double>(weights[i]) / peak.first;
  *std::find(ratios.begin(), ratios.end(), 1.0) =
      0;  // one largest; another weight may round to the same ratio, and serves
  std::fill(ratios.end() - widest, ratios.end(), 0.0);
}

HeadStatistics one_hot(bool first, std::size_t k) {
  const Certified zero{0, 0}, one{1, 0};
  return {zero, one, one, 1, k == 0 ? zero : one, one, first ? one : zero, one};
}

// passed: the sums, where they are known already.
template <class T>
HeadStatistics statistics(std::span<const T> weights, std::size_t k, double relative_error, const HeadMoments* passed) {
  constexpr double largest_relative_error = 0.125;  // beyond it nothing worth stating is left
  const Survey peak = dispatch_survey<T>(weights.data(), weights.size());
  if (!peak.valid || peak.support == 0 || !(relative_error >= 0 && relative_error <= largest_relative_error))
    return {unknown, unknown, unknown, 0, unknown, unknown, unknown, unknown};
  if (peak.support == 1) return one_hot(weights[0] > 0, k);

  static thread_local std::vector<double> ratios;
  take_ratios(weights, peak, ratios);
  const HeadMoments sums = passed ? *passed : HWY_DYNAMIC_DISPATCH(moments)(ratios.data(), weights.size());
  const Row row = sums_of(sums, weights.size(), relative_error);
  HeadStatistics out;
  out.entropy = entropy_of(row);
  out.n_eff = exponential_of(out.entropy);
  out.participation = participation_of(row);
  out.support = peak.support;
  out.largest = mass_of(row, 1, 0);
  out.sink = weights[0] == 0 ? Certified{0, 0} : mass_of(row, static_cast<double>(weights[0]) / peak.first, 1);
  out.margin = margin_of(row, peak);
  out.top_mass = k >= peak.support ? Certified{1, 0} : top_mass_of(row, ratios, weights.size(), k);
  return out;
}

}  // namespace

HeadStatistics passed_head_statistics(std::span<const double> weights, std::size_t k, double relative_error,
                                      const HeadMoments& moments) {
  return statistics<double>(weights, k, relative_error, &moments);
}

template <class T>
HeadStatistics head_statistics(std::span<const T> weights, std::size_t k, double relative_error) {
  return statistics<T>(weights, k, relative_error, nullptr);
}

template HeadStatistics head_statistics<float>(std::span<const float>, std::size_t, double);
template HeadStatistics head_statistics<double>(std::span<const double>, std::size_t, double);

}  // namespace attncert::bounds
#endif  // HWY_ONCE
