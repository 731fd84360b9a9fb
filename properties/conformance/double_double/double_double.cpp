#include "properties/conformance/double_double/double_double.hpp"

#include <array>
#include <cmath>

#include "properties/conformance/double_double/constants.hpp"

namespace attncert::double_double {
namespace {

// 1/(2k+1). With v <= 2^-5 the terms from k = 20 on are below 2^-105 of the sum; those from k = 9 on are below 2^-49
// and may be added in double.
constexpr int terms = 20, terms_in_double_double = 9;

const std::array<DoubleDouble, terms>& odd_inverses() {
  static const std::array<DoubleDouble, terms> inverses = [] {
    std::array<DoubleDouble, terms> values;
    for (int k = 0; k < terms; ++k) values[static_cast<std::size_t>(k)] = divide({1, 0}, {2.0 * k + 1, 0});
    return values;
  }();
  return inverses;
}

// sum of v^k / (2k + 1) = atanh(w) / w, v = w^2
DoubleDouble atanh_series(DoubleDouble v) {
  const auto& inverses = odd_inverses();
  double tail = inverses[terms - 1].high;
  std::size_t k = terms - 1;
  while (k > terms_in_double_double) tail = inverses[--k].high + v.high * tail;
  DoubleDouble sum{tail, 0};
  while (k > 0) sum = add(inverses[--k], multiply(v, sum));
  return sum;
}

}  // namespace

DoubleDouble two_sum(double a, double b) {
  const double s = a + b, part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}

DoubleDouble fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.high, b.high), t = two_sum(a.low, b.low);
  const DoubleDouble v = fast_two_sum(s.high, s.low + t.high);
  return fast_two_sum(v.high, t.low + v.low);
}

DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const double p = a.high * b.high, rest = std::fma(a.high, b.high, -p);
  return fast_two_sum(p, rest + std::fma(a.low, b.high, a.high * b.low));
}

DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble back = multiply(b, {quotient, 0});
  return fast_two_sum(quotient, ((a.high - back.high) + (a.low - back.low)) / b.high);
}

// m = (1 + r) 2^-k in [0.7, 1.4]; log m = 2 atanh(w), w = (m - 1) / (m + 1), |w| < 0.177. For k = 0 it is w = r / (2 +
// r): no cancellation, however small r is.
DoubleDouble log1p(DoubleDouble r) {
  const DoubleDouble whole = add({1, 0}, r);
  int exponent = 0;
  DoubleDouble w;
  if (whole.high <= 1.4) {
    w = divide(r, add({2, 0}, r));
  } else {
    exponent = std::ilogb(whole.high);
    if (std::ldexp(whole.high, -exponent) > 1.4) ++exponent;
    const DoubleDouble m{std::ldexp(whole.high, -exponent), std::ldexp(whole.low, -exponent)};
    w = divide(add(m, {-1, 0}), add(m, {1, 0}));
  }
  const DoubleDouble half = multiply(w, atanh_series(multiply(w, w)));
  const DoubleDouble ln2{ln2_high, ln2_low};
  return add(multiply(ln2, {static_cast<double>(exponent), 0}), {2 * half.high, 2 * half.low});
}

}  // namespace attncert::double_double
