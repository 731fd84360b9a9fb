// Polynomials in exact rationals as sums of terms, and their quotients.
#pragma once

#include <array>
#include <map>

#include "check/ball.hpp"

namespace attncert::check {

using Exponents = std::array<unsigned, 16>;  // of as many variables

struct Polynomial {
  std::map<Exponents, Rational> terms;  // none of them 0

  Polynomial(const Rational& constant) : Polynomial(Exponents{}, constant) {}
  Polynomial(long constant = 0) : Polynomial(Rational(constant)) {}
  Polynomial(const Exponents& exponents, const Rational& coefficient) {
    if (coefficient != 0) terms[exponents] = coefficient;
  }
  static Polynomial variable(std::size_t k) {
    Exponents exponents{};
    exponents[k] = 1;
    return {exponents, 1};
  }
  bool is_constant() const { return terms.empty() || terms.rbegin()->first == Exponents{}; }
  Polynomial& operator+=(const Polynomial& other) {
    for (const auto& [exponents, coefficient] : other.terms) {
      const Rational sum = terms[exponents] += coefficient;
      if (sum == 0) terms.erase(exponents);
    }
    return *this;
  }
  friend Polynomial operator+(Polynomial a, const Polynomial& b) { return a += b; }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    Polynomial product;
    for (const auto& [p, left] : a.terms)
      for (const auto& [q, right] : b.terms) {
        Exponents exponents = p;
        for (std::size_t k = 0; k < exponents.size(); ++k) exponents[k] += q[k];
        product += Polynomial(exponents, left * right);
      }
    return product;
  }
};

inline unsigned degree(const Polynomial& polynomial, std::size_t k) {
  unsigned most = 0;
  for (const auto& term : polynomial.terms) most = std::max(most, term.first[k]);
  return most;
}

struct Quotient {
  Polynomial above, below = 1;
  Quotient(const Polynomial& numerator, const Polynomial& denominator = 1) : above(numerator), below(denominator) {}
  friend Quotient operator*(const Quotient& a, const Quotient& b) { return {a.above * b.above, a.below * b.below}; }
  friend Quotient operator/(const Quotient& a, const Quotient& b) { return {a.above * b.below, a.below * b.above}; }
  friend Quotient operator+(const Quotient& a, const Quotient& b) {
    return {a.above * b.below + b.above * a.below, a.below * b.below};
  }
  friend Quotient operator-(const Quotient& a, const Quotient& b) { return a + Quotient(-1) * b; }
};

}  // namespace attncert::check
