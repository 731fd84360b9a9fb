#include "reference/normalizers/far_self_adjusted.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/gradient.hpp"

namespace attncert::reference {
namespace {

class FarSelfAdjusted final : public RowTruth {
 public:
  explicit FarSelfAdjusted(const LogitRow& row)
      : sum_(row), upstream_(row, sum_.row()), origin_(upstream_.at(upstream_.order().front())) {}

  Interval value(std::size_t i, Precision precision) override {
    auto common = common_.find(precision.bits);
    if (common == common_.end()) common = common_.emplace(precision.bits, common_sums(precision, nullptr)).first;
    const Interval g = upstream(i, precision);
    const Interval terms = g + peak(precision) * centred(i, common->second.shift) - sum_.depth(logit(i), precision) * g;
    return weight(i, precision) * (terms + common->second.depths) / temperature(precision);
  }

  long double magnitude(std::size_t i) override {
    constexpr Precision precision = magnitude_precision;
    if (!shift_) shift_ = common_sums(precision, nullptr).shift;
    if (!sizes_) sizes_ = common_sums(precision, &*shift_);
    const Interval g = abs(upstream(i, precision));
    const Interval far = abs(peak(precision)) * (abs(centred(i, *shift_)) + sizes_->shift);
    const Interval terms = g + far + sum_.depth(logit(i), precision) * g + sizes_->depths;
    return lower_magnitude(weight(i, precision) * terms / temperature(precision));
  }

  double screen(std::size_t i) override {
    if (!screen_) {
      screen_ = Screen{0, 0};
      for (const std::size_t j : upstream_.order()) {
        const long double p = sum_.screen_weight(logit(j)), g = upstream_.at(j);
        if (p == 0) continue;
        screen_->shift += p * (g - origin_);
        screen_->depths += p * depth(j) * g;
      }
    }
    const long double p = sum_.screen_weight(logit(i)), g = upstream_.at(i);
    if (p == 0) return 0;
    const long double peak = static_cast<long double>(sum_.row().largest()) / row().temperature;
    const long double terms = g + peak * ((g - origin_) - screen_->shift) - depth(i) * g + screen_->depths;
    return static_cast<double>(p * terms / row().temperature);
  }

 private:
  struct Common {
    Interval shift, depths;  // sum_j p_j (g_j - g_0), sum_j d_j p_j g_j; or sum_j p_j |c_j|, sum_j d_j p_j |g_j|
  };
  struct Screen {
    long double shift, depths;
  };

  // The sums of absolute values where `shift` is given.
  Common common_sums(Precision precision, const Interval* shift) {
    Common sums{Interval(0.0, precision), Interval(0.0, precision)};
    for (const std::size_t j : upstream_.order()) {
      const Interval p = weight(j, precision), g = upstream(j, precision);
      const Interval depths = p * sum_.depth(logit(j), precision);
      sums.shift += p * (shift == nullptr ? g - Interval(origin_, precision) : abs(centred(j, *shift)));
      sums.depths += depths * (shift == nullptr ? g : abs(g));
    }
    return sums;
  }

  const LogitRow& row() const { return sum_.row().row(); }
  double logit(std::size_t i) const { return row().logits[i]; }
  long double depth(std::size_t i) const {
    return (static_cast<long double>(sum_.row().largest()) - logit(i)) / row().temperature;
  }
  Interval weight(std::size_t i, Precision precision) { return sum_.weight(logit(i), precision); }
  Interval upstream(std::size_t i, Precision precision) const { return Interval(upstream_.at(i), precision); }
  Interval temperature(Precision precision) const { return Interval(row().temperature, precision); }
  Interval peak(Precision precision) const {
    return Interval(sum_.row().largest(), precision) / temperature(precision);
  }
  Interval centred(std::size_t i, const Interval& shift) const {
    return upstream(i, shift.precision()) - Interval(origin_, shift.precision()) - shift;
  }

  ExponentialSum sum_;
  UpstreamSum upstream_;
  double origin_;                 // g_0
  std::map<int, Common> common_;  // by bits
  std::optional<Interval> shift_;
  std::optional<Common> sizes_;
  std::optional<Screen> screen_;
};

}  // namespace

bool is_far_self_adjusted(const LogitRow& row) {
  long double largest = -HUGE_VALL;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i)) largest = std::max(largest, static_cast<long double>(row.logits[i]));
  return std::fabs(largest) >= 0x1p13L * row.temperature;
}

std::unique_ptr<RowTruth> far_self_adjusted_truth(const LogitRow& row) {
  return std::make_unique<FarSelfAdjusted>(row);
}

}  // namespace attncert::reference
