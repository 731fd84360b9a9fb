// 1.5-entmax (Peters, Niculae, Martins, ACL 2019): p_i = max(z_i / (2T) - tau, 0)^2 with sum 1. The support is exact,
// and the root of a weight is an expression with one square root of an exact integer.
#pragma once

#include <gmpxx.h>

#include <map>

#include "reference/normalizers/descending_row.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

class ThreeHalvesRoots {
 public:
  explicit ThreeHalvesRoots(const LogitRow& row);

  const DescendingRow& row() const { return row_; }
  bool in_support(double logit) const;
  std::size_t support() const { return count_.get_ui(); }  // how many entries
  // sqrt(p) = z / (2T) - tau of a logit in the support, > 0, with relative width about 2^-precision however small.
  Interval root(double logit, Precision precision);
  double screen_root(double logit);  // 0 outside
  Interval weight(double logit, Precision precision) {
    return in_support(logit) ? square(root(logit, precision)) : Interval(0.0, precision);
  }
  double screen_weight(double logit) { return screen_root(logit) * screen_root(logit); }

 private:
  mpz_class deficit(double logit) const;             // (max z - logit) / unit, an integer
  mpz_class excess(const mpz_class& deficit) const;  // sum over the support of (deficit - D_j)^2

  DescendingRow row_;
  int unit_ = 0;                                        // log2 of the unit of the integers
  std::size_t distinct_ = 0;                            // how many of the distinct logits are in the support
  mpz_class scale_, count_, sum_, squares_, radicand_;  // 2T; n, S1, S2 of the support; n (2T)^2 - (n S2 - S1^2)
  std::map<int, Interval> square_root_;                 // of the radicand, by bits
  double screen_threshold_ = -1;
};

extern const Normalizer entmax15_normalizer;

}  // namespace attncert::reference
