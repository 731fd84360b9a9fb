// Polynomials in exact rationals as sums of terms, and their quotients.
#pragma once

#include <array>
#include <map>

#include "src/core/certificate.hpp"
#include "src/core/rational.hpp"

namespace attncert::check {

using Exponents = std::array<unsigned, most_coordinates>;

struct Polynomial {
  std::map<Exponents, Rational> terms;  // none of them 0

  Polynomial(const Rational& constant = 0) { add(Exponents{}, constant); }
  static Polynomial variable(std::size_t k) {
    Polynomial result;
    Exponents exponents{};
    exponents[k] = 1;
    result.add(exponents, 1);
    return result;
  }
  void add(const Exponents& exponents, const Rational& coefficient) {
    const Rational sum = terms[exponents] += coefficient;
    if (sum == 0) terms.erase(exponents);
  }
  friend Polynomial operator+(Polynomial a, const Polynomial& b) {
    for (const auto& [exponents, coefficient] : b.terms) a.add(exponents, coefficient);
    return a;
  }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial product;
    for (const auto& [p, left] : a.terms)
      for (const auto& [q, right] : b.terms) {
        Exponents exponents = p;
        for (std::size_t k = 0; k < exponents.size(); ++k) exponents[k] += q[k];
        product.add(exponents, left * right);
      }
    return product;
  }
};

struct Quotient {
  Polynomial above, below = Rational(1);
  Quotient(const Polynomial& numerator, const Polynomial& denominator = Rational(1))
      : above(numerator), below(denominator) {}
  Quotient(const Rational& constant) : above(constant) {}
  Quotient(long constant) : above(Rational(constant)) {}
  friend Quotient operator*(const Quotient& a, const Quotient& b) { return {a.above * b.above, a.below * b.below}; }
  friend Quotient operator/(const Quotient& a, const Quotient& b) { return {a.above * b.below, a.below * b.above}; }
  friend Quotient operator+(const Quotient& a, const Quotient& b) {
    return {a.above * b.below + b.above * a.below, a.below * b.below};
  }
  friend Quotient operator-(const Quotient& a, const Quotient& b) { return a + Quotient(-1) * b; }
};

}  // namespace attncert::check
