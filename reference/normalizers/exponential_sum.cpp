#include "reference/normalizers/exponential_sum.hpp"

#include <cmath>

namespace attncert::reference {
namespace {

// Distinct exponentials are kept while they are at most this many (some 200 bytes each); beyond, they are recomputed.
constexpr std::size_t kept_exponentials = 16384;

// exp(-cut) < 2^-(bits + 40): what lies so far below the sum's largest term is enclosed together by
// count * [0, that term * exp(-cut)], which widens a sum of 2^20 entries by less than 2^-(bits + 20) of itself.
double cut(Precision precision) { return 0.6931471805599454 * (precision.bits + 40); }

}  // namespace

ExponentialSum::ExponentialSum(const LogitRow& row, double log_length_scale) : row_(row), scale_(log_length_scale) {
  ATTNCERT_ASSERT(std::isfinite(log_length_scale) && log_length_scale >= 0);
  screen_factor_ = log_length_scale * std::log(static_cast<long double>(row_.present_count()));
}

Interval ExponentialSum::factor(Precision precision) const {
  if (!scale_) return Interval(1.0, precision);
  return Interval(*scale_, precision) * log(Interval(static_cast<double>(row_.present_count()), precision));
}

Interval ExponentialSum::depth(double logit, Precision precision) {
  Interval deficit = row_.deficit(logit, precision);
  if (!scale_) return deficit;
  std::optional<Interval>& factor_here = sums_[precision.bits].factor;
  if (!factor_here) factor_here = factor(precision);
  return deficit *= *factor_here;
}

// In long double, whose exponents hold every such quotient and product: s may be tiny where 1 / T is huge.
double ExponentialSum::screen_depth(double logit) const {
  const long double difference = static_cast<long double>(row_.largest()) - logit;
  return static_cast<double>(difference / row_.row().temperature * screen_factor_);
}

const ExponentialSum::Sum& ExponentialSum::sum(Precision precision) {
  Sum& sum = sums_[precision.bits];
  if (sum.rest) return sum;
  const auto& distinct = row_.distinct();
  const auto& count = row_.count();
  const bool keep = distinct.size() <= kept_exponentials;
  Interval rest(static_cast<double>(count[0] - 1), precision);
  if (keep) sum.exponentials.emplace_back(1.0, precision);
  // R's largest term is 1 where the largest logit is tied, else that of the second one: log1p(R) needs R's own digits.
  const bool tied = count[0] > 1 || distinct.size() == 1;
  const double limit = cut(precision) + (tied ? 0 : screen_depth(distinct[1]));
  std::size_t below = 0;
  for (std::size_t k = 1; k < distinct.size(); ++k) {
    // The screen is off by five roundings of long double and one to double: less 2^-50 of it, it is below the exact t.
    if (screen_depth(distinct[k]) * (1 - 0x1p-50) > limit) {
      for (; k < distinct.size(); ++k) below += count[k];
      break;
    }
    Interval exponential = exp(-depth(distinct[k], precision));
    if (keep) sum.exponentials.push_back(exponential);
    if (count[k] != 1) exponential *= Interval(static_cast<double>(count[k]), precision);
    rest += exponential;
  }
  if (below != 0) {
    const Interval bound = exp(-Interval(limit, precision)) * Interval(static_cast<double>(below), precision);
    rest += Interval::between(Interval(0.0, precision), bound);
  }
  sum.rest = std::move(rest);
  return sum;
}

Interval ExponentialSum::exponential(double logit, Precision precision) {
  const Sum& s = sum(precision);
  const std::size_t index = row_.index_of(logit);
  return index < s.exponentials.size() ? s.exponentials[index] : exp(-depth(logit, precision));
}

Interval ExponentialSum::weight(double logit, Precision precision) {
  return exponential(logit, precision) / (rest(precision) + Interval(1.0, precision));
}

double ExponentialSum::screen_rest() {
  if (screen_rest_) return *screen_rest_;
  double rest = static_cast<double>(row_.count()[0] - 1);
  for (std::size_t k = 1; k < row_.distinct().size(); ++k)
    rest += static_cast<double>(row_.count()[k]) * std::exp(-screen_depth(row_.distinct()[k]));
  screen_rest_ = rest;
  return rest;
}

double ExponentialSum::screen_weight(double logit) { return std::exp(-screen_depth(logit)) / (1 + screen_rest()); }

}  // namespace attncert::reference
