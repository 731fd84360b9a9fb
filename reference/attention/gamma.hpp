// Intervals of the error bounds: nothing here fails, what is not bounded is the whole line.
#pragma once

#include "reference/interval.hpp"

namespace attncert::reference {

// gamma(n) = n u / (1 - n u): how far a product of n factors (1 + e)^(+-1), |e| <= u, is from 1.
class Gamma {
 public:
  Gamma(double unit, Precision precision) : unit_(unit, precision) {}
  Interval operator()(std::size_t n) const {
    const Interval total = Interval(static_cast<double>(n), unit_.precision()) * unit_;
    return total.upper() < 1 ? total / (Interval(1.0, unit_.precision()) - total)
                             : Interval::whole_line(unit_.precision());
  }

 private:
  Interval unit_;
};

// A divisor or an argument of a logarithm: where it is not certainly above 0, there is no bound.
inline Interval if_positive(const Interval& value) {
  return value.lower() > 0 ? value : Interval::whole_line(value.precision());
}

}  // namespace attncert::reference
