// Intervals of the error bounds, of either kind: nothing here fails, what is not bounded is the whole line.
#pragma once

#include <cstddef>

#include "reference/double_interval.hpp"
#include "reference/interval.hpp"

namespace attncert::reference {

// gamma(n) = n u / (1 - n u): how far a product of n factors (1 + e)^(+-1), |e| <= u, is from 1.
template <class Number>
class Gamma {
 public:
  Gamma(double unit, PrecisionOf<Number> precision) : unit_(unit, precision) {}
  Number operator()(std::size_t n) const {
    const Number total = Number(static_cast<double>(n), unit_.precision()) * unit_;
    return total.upper() < 1 ? total / (Number(1.0, unit_.precision()) - total) : Number::whole_line(unit_.precision());
  }

 private:
  Number unit_;
};

// `value` where the condition does not hold, `none` where it does, and both where that is open.
template <class Number, class Value>
Number unless(Truth condition, Value value, const Number& none) {
  if (condition == Truth::yes) return none;
  return condition == Truth::no ? value() : hull(none, value());
}

// A divisor or an argument of a logarithm: where it is not certainly above 0, there is no bound.
template <class Number>
Number if_positive(const Number& value) {
  return value.lower() > 0 ? value : Number::whole_line(value.precision());
}

}  // namespace attncert::reference
