// SurdSum: sum c_k sqrt(q_k) with rational c_k and q_k >= 0, and the exact answer to "is it zero?".
// Square roots of rationals from different square classes are linearly independent over the rationals (Besicovitch,
// J. London Math. Soc. 15, 1940), so the sum is zero iff the coefficients of every square class cancel. This is the
// exact test behind `attained`: equality of two sums of norms, which no enclosure can decide.
#pragma once

#include <vector>

#include "src/core/rational.hpp"

namespace attncert {

class SurdSum {
 public:
  SurdSum() = default;
  SurdSum(const Rational& coefficient, const Rational& radicand) { add(coefficient, radicand); }
  void add(const Rational& coefficient, const Rational& radicand);  // asserts radicand >= 0
  SurdSum& operator+=(const SurdSum& other);
  bool is_zero() const;  // O(n * classes)
  friend bool operator==(SurdSum a, const SurdSum& b);

 private:
  struct Term {
    Rational coefficient;  // of sqrt(core)
    mpz_class core;        // sqrt(n/m) = sqrt(n m) / m, so core = n m
  };
  std::vector<Term> classes_;  // one per square class met; a coefficient may have become zero
};

}  // namespace attncert
