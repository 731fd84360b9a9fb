// Number: what sentences are evaluated in. Exact as long as it can be (a rational, or a quotient of polynomials in the
// coordinates of a proof or in the n >= 0 of a family), else a ball. Signs are certain or not known.
#pragma once

#include <variant>

#include "check/ball.hpp"
#include "check/polynomial.hpp"

namespace attncert::check {

// Thrown inside check/ by require(): why a file shows nothing. judge() turns it into a verdict.
struct Rejected {
  std::string why;
};
inline void require(bool condition, const std::string& why) {
  if (!condition) throw Rejected{why};
}

class Number {
 public:
  Number(long value = 0) : value_(Rational(value)) {}
  Number(const Rational& value) : value_(value) {}
  Number(const Quotient& value);  // a rational where it is constant
  Number(const Ball& value) : value_(value) {}

  const Rational* rational() const { return std::get_if<Rational>(&value_); }
  const Quotient* quotient() const { return std::get_if<Quotient>(&value_); }
  const Ball* inexact() const { return std::get_if<Ball>(&value_); }
  Ball ball(slong bits) const;  // of a rational, or of a ball as it is

  friend Number operator+(const Number& a, const Number& b);
  friend Number operator-(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);
  friend Number operator/(const Number& a, const Number& b);

 private:
  std::variant<Rational, Quotient, Ball> value_;
};

inline Number variable(std::size_t k) { return Quotient(Polynomial::variable(k)); }

// Which signs are possible: of a quotient, at all values >= 0 of its variables.
struct Sign {
  bool negative = false, zero = false, positive = false;
};
Sign sign(const Number& value);
Number larger(const Number& a, const Number& b);  // of quotients: requires that one is nowhere smaller
Number smaller(const Number& a, const Number& b);
Number absolute(const Number& value);

// What has been computed since begin_work(), in steps of about 256 bits: requires that it stays within minutes.
std::size_t bits_of(const Rational& value);  // numerator and denominator
void begin_work();
void spend(std::size_t bits);

}  // namespace attncert::check
