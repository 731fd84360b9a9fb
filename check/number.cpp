#include "check/number.hpp"

#include <algorithm>

namespace attncert::check {
namespace {

// Limits on what is judged, not on what is true: the largest instance that anyone made, 1,024 real tokens of width 64,
// takes a third of it, and no file takes more than some minutes.
constexpr std::size_t most_work = std::size_t{1} << 36, least_step = 256;  // in bits
constexpr std::size_t bits_of_double_cost = 1
                                            << 15;  // from about here on a common divisor costs more than a step a bit
thread_local std::size_t work = 0;

std::size_t terms_of(const Quotient& quotient) { return quotient.above.terms.size() + quotient.below.terms.size(); }
std::size_t most_bits_of(const Quotient& quotient) {  // of the longest coefficient
  std::size_t most = 1;
  for (const Polynomial* side : {&quotient.above, &quotient.below})
    for (const auto& [exponents, coefficient] : side->terms) most = std::max(most, bits_of(coefficient));
  return most;
}

// The operation on both as rationals, or as quotients, or as balls where one is a ball.
template <class Operation>
Number both(const Number& a, const Number& b, Operation operation) {
  const Rational *p = a.rational(), *q = b.rational();
  if (p != nullptr && q != nullptr) {
    const std::size_t bits = bits_of(*p) + bits_of(*q);
    spend(bits + bits * bits / bits_of_double_cost);
    return Rational(operation(*p, *q));
  }
  if (const Ball* x = a.inexact(), *y = b.inexact(); x != nullptr || y != nullptr) {
    const slong bits = x != nullptr ? x->bits() : y->bits();
    spend(static_cast<std::size_t>(bits));
    return operation(a.ball(bits), b.ball(bits));
  }
  const Quotient left = p != nullptr ? Quotient(*p) : *a.quotient(),
                 right = q != nullptr ? Quotient(*q) : *b.quotient();
  const std::size_t bits = most_bits_of(left) + most_bits_of(right);
  spend(terms_of(left) * terms_of(right) * (least_step + bits + bits * bits / bits_of_double_cost));
  return operation(left, right);
}

// The signs that a polynomial may have at values >= 0, as far as its coefficients show.
Sign sign(const Polynomial& polynomial) {
  Sign possible{.zero = !polynomial.terms.contains(Exponents{})};  // all at 0
  for (const auto& [exponents, coefficient] : polynomial.terms)
    (coefficient < 0 ? possible.negative : possible.positive) = true;
  possible.zero |= possible.negative && possible.positive;
  return possible;
}

}  // namespace

std::size_t bits_of(const Rational& value) {
  return mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2);
}
void begin_work() { work = 0; }
void spend(std::size_t bits) {
  work += std::max(bits, least_step);
  require(work <= most_work, "too many numbers, or too many digits of them, to judge in minutes; shrink the instance");
}

Number::Number(const Quotient& value) : value_(value) {
  if (!value.above.is_constant() || !value.below.is_constant() || value.below.terms.empty()) return;
  const auto above = value.above.terms.begin(), below = value.below.terms.begin();
  value_ = above == value.above.terms.end() ? Rational(0) : Rational(above->second / below->second);
}

Ball Number::ball(slong bits) const {
  if (const Ball* const ball = inexact()) return *ball;
  require(rational() != nullptr, "a quotient of polynomials meets a root, an exponential or a logarithm");
  return Ball(*rational(), bits);
}

Number operator+(const Number& a, const Number& b) { return both(a, b, std::plus<>()); }
Number operator-(const Number& a, const Number& b) { return both(a, b, std::minus<>()); }
Number operator*(const Number& a, const Number& b) { return both(a, b, std::multiplies<>()); }
Number operator/(const Number& a, const Number& b) {
  require(b.rational() == nullptr || *b.rational() != 0, "it divides by 0");
  require(b.quotient() == nullptr || !b.quotient()->above.terms.empty(), "it divides by 0");
  return both(a, b, std::divides<>());
}

Sign sign(const Number& value) {
  if (const Rational* const exact = value.rational()) return {*exact<0, *exact == 0, *exact> 0};
  if (const Quotient* const quotient = value.quotient()) {
    const Sign above = sign(quotient->above), below = sign(quotient->below);
    require(!below.zero, "a denominator may vanish for some n");
    return below.positive ? above : Sign{above.positive, above.zero, above.negative};
  }
  const Ball &ball = *value.inexact(), zero(ball.bits());
  return {!certainly_at_most(zero, ball), !certainly_greater(ball, zero) && !certainly_greater(zero, ball),
          !certainly_at_most(ball, zero)};
}

Number larger(const Number& a, const Number& b) {
  if (a.inexact() != nullptr || b.inexact() != nullptr) {
    const slong bits = (a.inexact() != nullptr ? a : b).inexact()->bits();
    return max(a.ball(bits), b.ball(bits));
  }
  const Sign order = sign(a - b);
  require(!order.negative || !order.positive, "which of two numbers is larger is not the same for all n");
  return order.negative ? b : a;
}

Number smaller(const Number& a, const Number& b) { return 0 - larger(0 - a, 0 - b); }
Number absolute(const Number& value) { return larger(value, 0 - value); }

}  // namespace attncert::check
