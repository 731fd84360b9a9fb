// Derivatives of the form (J^T g)_i = slope_i (g_i - sum_j share_j g_j): those of every normalizer whose entries meet
// only in a sum or a threshold. The terms cancel; their magnitude is |slope_i| (|g_i| + sum_j share_j |g_j|).
#pragma once

#include <cmath>
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
template <class OfRow>
std::unique_ptr<RowTruth> gradient_truth(const LogitRow& row) {
  return gradient_truth(row, std::make_unique<OfRow>(row));
}

// Slopes whose shares are the weights that Shared gives the logits (weight_truth.hpp).
template <class Shared>
class WeightSlopes : public Slopes {
 public:
  template <class... Arguments>
  explicit WeightSlopes(const Arguments&... arguments) : shared_(arguments...) {}
  const DescendingRow& row() const final { return shared_.row(); }
  Interval share(double logit, Precision precision) final { return shared_.weight(logit, precision); }
  double screen_share(double logit) final { return shared_.screen_weight(logit); }

 protected:
  double temperature() const { return row().row().temperature; }
  Interval temperature(Precision precision) const { return Interval(temperature(), precision); }
  Shared shared_;
};

// What derivatives keep: those of all normalizers, and those of normalizers that are shift-invariant.
inline constexpr Laws derivative_laws = {Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal,
                                         Law::mask_is_removal, Law::linear_in_upstream};
inline constexpr Laws shift_invariant_derivative_laws = {
    Law::shift_invariant, Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal,
    Law::mask_is_removal, Law::sums_to_zero,    Law::linear_in_upstream};

// A sum of doubles, enclosed. Two doubles carry it as long as they do so exactly: Interval is asked when they cannot,
// which for a million equal logits is a thousand times cheaper than to ask for each.
class DoublesSum {
 public:
  explicit DoublesSum(Precision precision) : settled_(0.0, precision) {}
  void add(double value) {
    const double high = high_ + value, part = high - high_;
    const double lost = (high_ - (high - part)) + (value - part);  // exactly, unless something overflowed
    const double low = low_ + lost, moved = low - low_;
    if (std::isfinite(high) && std::isfinite(lost) && (low_ - (low - moved)) + (lost - moved) == 0) {
      high_ = high;
      low_ = low;
      return;
    }
    settle();
    high_ = value;
  }
  Interval enclosed() {
    settle();
    return settled_;
  }

 private:
  void settle() {
    for (double* part : {&high_, &low_}) {
      settled_ += Interval(*part, settled_.precision());
      *part = 0;
    }
  }

  Interval settled_;
  double high_ = 0, low_ = 0;
};

// sum over the present entries of `weights`(logit) g, and of its absolute values, once per precision; equal logits
// share one weight. What is_flat says is left out.
class UpstreamSum {
 public:
  UpstreamSum(const LogitRow& row, const DescendingRow& present);
  template <class Weight>
  Interval sum(Precision precision, const Weight& weight, bool absolute) const {
    Interval total(0.0, precision);
    for (std::size_t first = 0; first < order_.size();) {
      const double logit = present_.row().logits[order_[first]];
      DoublesSum group(precision);
      for (; first < order_.size() && present_.row().logits[order_[first]] == logit; ++first) {
        const double g = upstream_[order_[first]];
        group.add(absolute && g < 0 ? -g : g);
      }
      total += group.enclosed() * weight(logit);
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

// Certainly not above |value|, with the digits of a double: what RowTruth::magnitude() returns.
long double lower_magnitude(const Interval& value);

// Precision of magnitudes: they are units of a budget, a few bits would do.
inline constexpr Precision magnitude_precision{64};

}  // namespace attncert::reference
