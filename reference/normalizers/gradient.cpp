#include "reference/normalizers/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace attncert::reference {
namespace {

class GradientTruth final : public RowTruth {
 public:
  GradientTruth(const LogitRow& row, std::unique_ptr<Slopes> slopes)
      : slopes_(std::move(slopes)), upstream_(row, slopes_->row()) {}

  Interval value(std::size_t i, Precision precision) override {
    if (is_zero(i)) return Interval(0.0, precision);
    auto mean = means_.find(precision.bits);
    if (mean == means_.end()) mean = means_.emplace(precision.bits, mean_of(precision, false)).first;
    return slopes_->slope(logit(i), precision) * (Interval(upstream_.at(i), precision) - mean->second);
  }

  double screen(std::size_t i) override {
    if (is_zero(i)) return 0;
    if (!screen_mean_) {
      screen_mean_ = 0;
      for (const std::size_t j : upstream_.order())
        if (!slopes_->is_flat(logit(j))) *screen_mean_ += slopes_->screen_share(logit(j)) * upstream_.at(j);
    }
    const long double slope = slopes_->screen_slope(logit(i));
    return slope == 0 ? 0 : static_cast<double>(slope * (upstream_.at(i) - *screen_mean_));
  }

  long double magnitude(std::size_t i) override {
    if (is_zero(i)) return 0;
    // At the precision that values have been asked at: its exponentials are there.
    if (!absolute_mean_)
      absolute_mean_ = mean_of(means_.empty() ? magnitude_precision : Precision{means_.begin()->first}, true);
    const Precision precision = absolute_mean_->precision();
    const Interval own(std::fabs(upstream_.at(i)), precision);
    return lower_magnitude(slopes_->slope(logit(i), precision) * (own + *absolute_mean_));
  }

 private:
  double logit(std::size_t i) const { return slopes_->row().row().logits[i]; }
  bool is_zero(std::size_t i) const { return !slopes_->row().row().present(i) || slopes_->is_flat(logit(i)); }
  Interval mean_of(Precision precision, bool absolute) const {
    const auto share = [&](double logit) {
      return slopes_->is_flat(logit) ? Interval(0.0, precision) : slopes_->share(logit, precision);
    };
    return upstream_.sum(precision, share, absolute);
  }

  std::unique_ptr<Slopes> slopes_;
  UpstreamSum upstream_;
  std::map<int, Interval> means_;  // by bits
  std::optional<Interval> absolute_mean_;
  std::optional<long double> screen_mean_;
};

}  // namespace

UpstreamSum::UpstreamSum(const LogitRow& row, const DescendingRow& present)
    : present_(present), upstream_(row.upstream), order_(present.order()) {
  ATTNCERT_ASSERT(upstream_.size() == row.logits.size());
}

// Beyond the doubles, which an upstream and 1 / T leave together (below 2^2098), its digits are those of a scaled copy.
long double lower_magnitude(const Interval& value) {
  constexpr int far = 1100;
  const double lower = abs(value).lower();
  if (lower < std::numeric_limits<double>::max()) return std::max(0.0, lower);
  const Interval scaled = abs(value) * Interval(std::ldexp(1.0, -far / 2), value.precision()) *
                          Interval(std::ldexp(1.0, -far / 2), value.precision());
  return std::ldexp(static_cast<long double>(scaled.lower()), far);
}

std::unique_ptr<RowTruth> gradient_truth(const LogitRow& row, std::unique_ptr<Slopes> slopes) {
  return std::make_unique<GradientTruth>(row, std::move(slopes));
}

}  // namespace attncert::reference
