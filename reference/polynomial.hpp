// Polynomials and their quotients in exact rationals, and the Bernstein form that encloses a polynomial's range on a
// box: on [0,1]^k it lies between the smallest and the largest Bernstein coefficient, and takes the values of the
// corner coefficients at the corners (Garloff 1986). A face where it vanishes shows exact zeros, which intervals
// cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/core/rational.hpp"

namespace attncert {

class Polynomial {
 public:
  Polynomial(const Rational& constant) : Polynomial(0, constant) {}  // joins polynomials in any variables
  Polynomial(std::size_t variables, const Rational& constant);
  static Polynomial variable(std::size_t variables, std::size_t k);

  std::size_t variables() const { return variables_; }
  bool is_zero() const { return terms_.empty(); }
  Rational at(const std::vector<Rational>& x) const;

  Polynomial& operator+=(const Polynomial& other);
  friend Polynomial operator+(Polynomial a, const Polynomial& b) { return a += b; }
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);

 private:
  using Exponents = std::vector<std::uint16_t>;
  Polynomial widened(std::size_t variables) const;  // a constant to that many variables; else asserts that it has them
  std::size_t variables_;
  std::map<Exponents, Rational> terms_;  // no zero coefficients
  friend class BernsteinForm;
};

// A quotient. Its denominator is for the user to show nonnegative.
struct PolynomialQuotient {
  Polynomial numerator, denominator = Rational(1);
  PolynomialQuotient(const Polynomial& above, const Polynomial& below = Rational(1))
      : numerator(above), denominator(below) {}
  PolynomialQuotient(const Rational& constant) : numerator(constant) {}
  PolynomialQuotient(long constant) : numerator(Rational(constant)) {}
  friend PolynomialQuotient operator+(const PolynomialQuotient& a, const PolynomialQuotient& b);
  friend PolynomialQuotient operator-(const PolynomialQuotient& a, const PolynomialQuotient& b);
  friend PolynomialQuotient operator*(const PolynomialQuotient& a, const PolynomialQuotient& b);
  friend PolynomialQuotient operator/(const PolynomialQuotient& a, const PolynomialQuotient& b);
};

// The Bernstein coefficients of a polynomial over [0,1]^k, and those on either half of that box.
class BernsteinForm {
 public:
  explicit BernsteinForm(const Polynomial& polynomial);
  bool nonnegative() const;           // of every coefficient: the polynomial is >= 0 on the box
  bool negative_at_a_corner() const;  // then it is not
  Rational deficit() const;           // the sum of -c over the negative coefficients c
  std::pair<BernsteinForm, BernsteinForm> halves(std::size_t k) const;  // de Casteljau at 1/2
  std::size_t degree(std::size_t k) const { return degrees_[k]; }
  std::size_t variables() const { return degrees_.size(); }

 private:
  BernsteinForm() = default;
  std::size_t stride(std::size_t k) const;  // of coordinate k; the last one runs fastest
  std::vector<std::size_t> degrees_;
  std::vector<Rational> coefficients_;
};

}  // namespace attncert
