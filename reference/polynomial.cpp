#include "reference/polynomial.hpp"

#include <algorithm>

#include "src/core/assert.hpp"

namespace attncert {

Polynomial::Polynomial(std::size_t variables, const Rational& constant) : variables_(variables) {
  if (constant != 0) terms_[Exponents(variables, 0)] = constant;
}

Polynomial Polynomial::variable(std::size_t variables, std::size_t k) {
  ATTNCERT_ASSERT(k < variables);
  Polynomial result(variables, 0);
  Exponents exponents(variables, 0);
  exponents[k] = 1;
  result.terms_[exponents] = 1;
  return result;
}

Rational Polynomial::at(const std::vector<Rational>& x) const {
  Rational sum = 0;
  for (const auto& [exponents, coefficient] : terms_) {
    Rational term = coefficient;
    for (std::size_t k = 0; k < variables_; ++k)
      for (unsigned power = 0; power < exponents[k]; ++power) term *= x[k];
    sum += term;
  }
  return sum;
}

Polynomial Polynomial::widened(std::size_t variables) const {
  if (variables_ == variables) return *this;
  ATTNCERT_ASSERT(variables_ == 0);
  return {variables, terms_.empty() ? Rational(0) : terms_.begin()->second};
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
  const std::size_t variables = std::max(variables_, other.variables_);
  if (variables_ != variables) *this = widened(variables);
  const Polynomial added = other.widened(variables);
  for (const auto& [exponents, coefficient] : added.terms_) {
    const auto place = terms_.try_emplace(exponents, 0).first;
    place->second += coefficient;
    if (place->second == 0) terms_.erase(place);
  }
  return *this;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + Polynomial(Rational(-1)) * b; }

Polynomial operator*(const Polynomial& first, const Polynomial& second) {
  const std::size_t variables = std::max(first.variables_, second.variables_);
  const Polynomial a = first.widened(variables), b = second.widened(variables);
  Polynomial result(variables, 0);
  for (const auto& [left, coefficient] : a.terms_)
    for (const auto& [right, other] : b.terms_) {
      Polynomial::Exponents exponents = left;
      for (std::size_t k = 0; k < exponents.size(); ++k) exponents[k] = static_cast<std::uint16_t>(left[k] + right[k]);
      result.terms_[exponents] += coefficient * other;
    }
  std::erase_if(result.terms_, [](const auto& term) { return term.second == 0; });
  return result;
}

PolynomialQuotient operator+(const PolynomialQuotient& a, const PolynomialQuotient& b) {
  return {a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator};
}
PolynomialQuotient operator-(const PolynomialQuotient& a, const PolynomialQuotient& b) {
  return {a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator};
}
PolynomialQuotient operator*(const PolynomialQuotient& a, const PolynomialQuotient& b) {
  return {a.numerator * b.numerator, a.denominator * b.denominator};
}
PolynomialQuotient operator/(const PolynomialQuotient& a, const PolynomialQuotient& b) {
  return {a.numerator * b.denominator, a.denominator * b.numerator};
}

std::size_t BernsteinForm::stride(std::size_t k) const {
  std::size_t stride = 1;
  for (std::size_t after = k + 1; after < degrees_.size(); ++after) stride *= degrees_[after] + 1;
  return stride;
}

// b_j = sum_{i <= j} C(j, i) / C(n, i) c_i along every coordinate in turn: repeated partial sums of c_i / C(n, i).
BernsteinForm::BernsteinForm(const Polynomial& polynomial) : degrees_(polynomial.variables_, 0) {
  for (const auto& [exponents, coefficient] : polynomial.terms_)
    for (std::size_t k = 0; k < degrees_.size(); ++k) degrees_[k] = std::max<std::size_t>(degrees_[k], exponents[k]);
  std::size_t size = 1;
  for (const std::size_t degree : degrees_) size *= degree + 1;
  coefficients_.assign(size, Rational(0));
  for (const auto& [exponents, coefficient] : polynomial.terms_) {
    std::size_t place = 0;
    Rational scaled = coefficient;
    for (std::size_t k = 0; k < degrees_.size(); ++k) {
      place = place * (degrees_[k] + 1) + exponents[k];
      mpz_class choices;
      mpz_bin_uiui(choices.get_mpz_t(), degrees_[k], exponents[k]);
      scaled /= choices;
    }
    coefficients_[place] = scaled;
  }
  for (std::size_t k = 0; k < degrees_.size(); ++k) {
    const std::size_t step = stride(k), n = degrees_[k];
    for (std::size_t at = 0; at < size; ++at) {
      if (at / step % (n + 1) != 0) continue;  // the first of each line along k
      for (std::size_t round = 1; round <= n; ++round)
        for (std::size_t i = n; i >= round; --i) coefficients_[at + i * step] += coefficients_[at + (i - 1) * step];
    }
  }
}

bool BernsteinForm::nonnegative() const {
  return std::all_of(coefficients_.begin(), coefficients_.end(), [](const Rational& b) { return sgn(b) >= 0; });
}

bool BernsteinForm::negative_at_a_corner() const {
  for (std::size_t corner = 0; corner < std::size_t{1} << degrees_.size(); ++corner) {
    std::size_t place = 0;
    for (std::size_t k = 0; k < degrees_.size(); ++k)
      place = place * (degrees_[k] + 1) + ((corner >> k) % 2 == 1 ? degrees_[k] : 0);
    if (sgn(coefficients_[place]) < 0) return true;
  }
  return false;
}

Rational BernsteinForm::deficit() const {
  Rational total = 0;
  for (const Rational& b : coefficients_)
    if (sgn(b) < 0) total -= b;
  return total;
}

std::pair<BernsteinForm, BernsteinForm> BernsteinForm::halves(std::size_t k) const {
  BernsteinForm low = *this, high = *this;
  const std::size_t step = stride(k), n = degrees_[k];
  for (std::size_t at = 0; at < coefficients_.size(); ++at) {
    if (at / step % (n + 1) != 0) continue;
    std::vector<Rational> line;
    for (std::size_t i = 0; i <= n; ++i) line.push_back(coefficients_[at + i * step]);
    for (std::size_t round = 0; round <= n; ++round) {
      low.coefficients_[at + round * step] = line.front();
      high.coefficients_[at + (n - round) * step] = line.back();
      for (std::size_t i = 0; i + 1 < line.size(); ++i) line[i] = (line[i] + line[i + 1]) / 2;
      line.pop_back();
    }
  }
  return {std::move(low), std::move(high)};
}

}  // namespace attncert
