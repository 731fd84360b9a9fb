// alpha-entmax (Peters, Niculae, Martins, ACL 2019), alpha = p / q > 1 rational: p_i = max((alpha - 1) z_i / T - tau,
// 0)^beta with sum 1, beta = 1 / (alpha - 1). Written with depths d_i = (alpha - 1) (max z - z_i) / T and t = the depth
// at which weights end, in (0, 1]: p_i = max(t - d_i, 0)^beta.
#pragma once

#include <map>

#include "reference/normalizers/descending_row.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

class EntmaxThreshold {
 public:
  explicit EntmaxThreshold(const LogitRow& row);

  const DescendingRow& row() const { return row_; }
  // Exact; unknown only where alpha is so large that a depth and t agree to 16384 bits without being equal.
  Truth in_support(double logit);
  Interval weight(double logit, Precision precision);  // (t - d)^beta; the point 0 off the support
  // max(t - d, 0) with relative width 2^-precision for a logit of the support.
  Interval height(double logit, Precision precision);
  Interval threshold(Precision precision);  // t, relative width 2^-precision
  double rough_threshold() const;           // near it, in doubles; 0 where none is
  double screen_height(double logit);       // 0 outside
  double screen_weight(double logit);

  // alpha - 1 = rise / run in lowest terms, beta = run / rise.
  unsigned long rise() const { return rise_; }
  unsigned long run() const { return run_; }
  // x^(numerator / denominator) of x >= 0 (what x holds below 0 is cut off).
  static Interval power(const Interval& x, const Rational& exponent);
  Rational beta() const { return Rational(run_, rise_); }

 private:
  struct Mass {
    Interval total, slope;
  };
  struct Support {  // how many of the distinct logits
    std::size_t certain, possible;
  };
  Interval depth(double logit, Precision precision) const;
  Mass mass(const Interval& t, Precision precision) const;  // sum of max(t - d, 0)^beta and its derivative by t
  bool is_exactly_one(std::size_t k) const;
  Support support();

  DescendingRow row_;
  unsigned long rise_, run_;
  std::size_t candidates_ = 0;  // distinct logits with d < 1, and perhaps a few more
  std::optional<Support> support_;
  std::map<int, Interval> thresholds_;  // by bits asked for
  std::optional<double> screen_threshold_;
  double screen_beta_;
};

extern const Normalizer entmax_normalizer;

}  // namespace attncert::reference
