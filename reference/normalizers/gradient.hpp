// Derivatives of the form (J^T g)_i = slope_i (g_i - sum_j share_j g_j): those of every normalizer whose entries meet only
// in a sum or a threshold. The terms cancel; their magnitude is |slope_i| (|g_i| + sum_j share_j |g_j|).
#pragma once

#include <memory>

#include "reference/normalizers/descending_row.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

// Slopes and shares of one row, by logit. Shares are >= 0.
class Slopes {
 public:
  virtual ~Slopes() = default;
  virtual const DescendingRow& row() const = 0;   // entries absent here have slope and share 0
  virtual bool is_flat(double) { return false; }  // slope and share are exactly 0: neither is asked for
  virtual Interval share(double logit, Precision precision) = 0;
  virtual Interval slope(double logit, Precision precision) = 0;  // 1 / T included
  virtual double screen_share(double logit) = 0;
  virtual long double screen_slope(double logit) = 0;
};

std::unique_ptr<RowTruth> gradient_truth(const LogitRow& row, std::unique_ptr<Slopes> slopes);

// sum over the present entries of `weights`(logit) g, and of its absolute values, once per precision; equal logits share
// one weight. What is_flat says is left out.
class UpstreamSum {
 public:
  UpstreamSum(const LogitRow& row, const DescendingRow& present);
  template <class Weight>
  Interval sum(Precision precision, const Weight& weight, bool absolute) const {
    Interval total(0.0, precision);
    for (std::size_t first = 0; first < order_.size();) {
      const double logit = present_.row().logits[order_[first]];
      Interval group(0.0, precision);
      for (; first < order_.size() && present_.row().logits[order_[first]] == logit; ++first) {
        const double g = upstream_[order_[first]];
        group += Interval(absolute && g < 0 ? -g : g, precision);
      }
      total += group * weight(logit);
    }
    return total;
  }
  double at(std::size_t i) const { return upstream_[i]; }
  const std::vector<std::size_t>& order() const { return order_; }  // present entries by logit

 private:
  const DescendingRow& present_;
  std::vector<double> upstream_;
  std::vector<std::size_t> order_;
};

// The largest double that is certainly not above |value|: what RowTruth::magnitude() returns.
double lower_magnitude(const Interval& value);

// Precision of magnitudes: they are units of a budget, a few bits would do.
inline constexpr Precision magnitude_precision{64};

}  // namespace attncert::reference
