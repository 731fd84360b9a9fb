// Forward errors of the shifted log-sum-exp and softmax in p-bit arithmetic, Blanchard, D. J. Higham, N. J. Higham, IMA
// J. Numer. Anal. 41 (2021), algorithm with log1p: a = x_k the largest, w_i = exp(x_i - a), s = recursive sum of the
// other w_i,
//   y = a + log1p(s),  g_i = w_i/(1 + s).
// To first order the bounds are (n + 2 + 2 R) u relative for g_i and (n - 1 + R + y - a + |y|) u for y, R = x_max -
// x_min. Here with every order of u = 2^-p: B = exp(2 R u) (1 + u)^2/(1 - u)^n - 1, and (1 + u) E + u |y| with E = (1 +
// u) Z + u (y - a), Z = R u - (n - 1) log(1 - u). The algorithm is run operation by operation, each result correctly
// rounded (to nearest, ties to even) from exact rationals or from enclosures narrow enough; exponents are unbounded.
#include <algorithm>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

constexpr long captured_bits = 24;  // captured logits are binary32
constexpr long widest_range = 1024;

long significand_bits(const Instance& instance) {
  return instance.parameters.empty() ? captured_bits : instance.parameters[0].get_num().get_si();
}

Instance row_in_some_precision(Choices& choices) {
  Instance instance = logit_row(choices);
  instance.temperature.reset();
  instance.parameters = {Rational(choices.pick({8, 11, 24, 53, 4}))};
  return instance;
}

mpz_class floor_of(const Rational& value) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

// The nearest number of `bits` significant bits, ties to even.
Rational rounded(const Rational& value, long bits) {
  if (sgn(value) == 0) return value;
  const auto size = [](const mpz_class& z) { return static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2)); };
  // 2^(e-1) < |value| < 2^(e+1): one of two scalings has an integer part of exactly `bits` bits
  const long e = size(value.get_num()) - size(value.get_den());
  long shift = bits - e;
  if (abs(value) * power_of_two(static_cast<int>(shift)) >= power_of_two(static_cast<int>(bits))) --shift;
  const Rational scaled = value * power_of_two(static_cast<int>(shift));
  mpz_class whole = floor_of(scaled);
  const Rational part = scaled - whole;
  if (part > ratio(1, 2) || (part == ratio(1, 2) && mpz_odd_p(whole.get_mpz_t()))) ++whole;
  return Rational(whole) * power_of_two(static_cast<int>(-shift));
}

// exp or log1p of a rational, not 0, is irrational: some enclosure lies between two neighbouring midpoints.
Rational rounded(Interval (*function)(const Interval&), const Rational& at, long bits) {
  if (sgn(at) == 0) return Rational(function == static_cast<Interval (*)(const Interval&)>(exp) ? 1 : 0);
  for (Precision precision{128};; precision = precision.doubled()) {
    const Interval enclosure = function(Interval(at, precision));
    const Rational low = rounded(enclosure.lower_exact(), bits), high = rounded(enclosure.upper_exact(), bits);
    if (low == high) return low;
  }
}

struct Computed {
  std::vector<Rational> inputs;  // the logits, rounded to p bits
  std::size_t largest;           // k
  Rational range;                // R
  Rational y;
  std::vector<Rational> g;
};

std::vector<Rational> inputs(const Instance& instance) {
  std::vector<Rational> result;
  for (const Rational& logit : instance.logits) result.push_back(rounded(logit, significand_bits(instance)));
  return result;
}

Computed computed(const Instance& instance) {
  const long bits = significand_bits(instance);
  Computed result{inputs(instance), 0, 0, 0, {}};
  const std::vector<Rational>& x = result.inputs;
  result.range = range(x);
  result.largest = static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
  const Rational& a = x[result.largest];
  Rational s = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    result.g.push_back(i == result.largest ? Rational(1) : rounded(exp, rounded(Rational(x[i] - a), bits), bits));
    if (i != result.largest) s = rounded(Rational(s + result.g.back()), bits);
  }
  result.y = rounded(Rational(a + rounded(log1p, s, bits)), bits);
  const Rational sum = rounded(Rational(1 + s), bits);
  for (Rational& g : result.g) g = rounded(Rational(g / sum), bits);
  return result;
}

// What the bounds are made of, for the rounded logits.
struct Exactly {
  std::vector<Interval> w;
  Interval s, u, n, R;
};

Exactly exactly(const Instance& instance, Precision precision) {
  const Computed& computed = instance.once<attncert::computed>();
  const Rational& a = computed.inputs[computed.largest];
  std::vector<Interval> w;
  Interval s(0.0, precision);
  for (std::size_t i = 0; i < instance.length; ++i) {
    w.push_back(exp(Interval(computed.inputs[i] - a, precision)));
    if (i != computed.largest) s += w.back();
  }
  return {std::move(w), std::move(s), Interval(power_of_two(static_cast<int>(-significand_bits(instance))), precision),
          Interval(static_cast<double>(instance.length), precision), Interval(computed.range, precision)};
}

Interval exact_y(const Instance& instance, Precision precision) {
  const Computed& computed = instance.once<attncert::computed>();
  return Interval(computed.inputs[computed.largest], precision) + log1p(instance.once<exactly>(precision).s);
}
Interval error_of_y(const Instance& instance, Precision precision) {
  return abs(Interval(instance.once<computed>().y, precision) - exact_y(instance, precision));
}
Interval bound_of_y(const Instance& instance, Precision precision) {
  const Exactly& x = instance.once<exactly>(precision);
  const Interval one(1.0, precision);
  const Interval Z = x.R * x.u - (x.n - one) * log1p(-x.u), E = (one + x.u) * Z + x.u * log1p(x.s);
  return (one + x.u) * E + x.u * abs(exact_y(instance, precision));
}

Interval error_of_weights(const Instance& instance, Precision precision) {  // the largest relative one
  const Exactly& x = instance.once<exactly>(precision);
  const Interval one(1.0, precision);
  Interval worst(0.0, precision);
  for (std::size_t i = 0; i < instance.length; ++i)
    worst = max(worst, abs(Interval(instance.once<computed>().g[i], precision) * (one + x.s) / x.w[i] - one));
  return worst;
}
Interval bound_of_weights(const Instance& instance, Precision precision) {  // B
  const Exactly& x = instance.once<exactly>(precision);
  return expm1((x.R * x.u + log1p(x.u)) * Interval(2.0, precision) - x.n * log1p(-x.u));
}

Truth precision_is_whole(const Instance& instance) {
  if (instance.parameters.empty()) return Truth::yes;
  const Rational& p = instance.parameters[0];
  return truth(instance.parameters.size() == 1 && p.get_den() == 1 && p >= 2 && p <= 64);
}
Truth range_is_moderate(const Instance& instance) { return truth(range(inputs(instance)) <= widest_range); }

// log-sum-exp: a = -(2^52 + 1) and log1p(s) = 1/2 less 3e-12, so that the last addition errs by nearly half a unit
// where a unit is 2u |y|. Softmax: x_2 - a = -(2^9 + 2^-15) in 24 bits, half a unit of error in the exponent of one
// weight.
known::Instances nearest() {
  const Rational a = -power_of_two(52) - 1;
  known::Row row = {a};
  for (const long below : {1, 2, 2, 5, 6, 7, 11, 11, 12, 13, 14, 17, 21, 22}) row.push_back(a - below);
  known::Row long_row = row;
  long_row.resize(48, a - 700);  // less than 2^-1000 each
  known::Instances all = {known::logits(std::move(row)), known::logits(std::move(long_row)),
                          known::logits({power_of_two(-15), -512})};
  for (Instance& instance : all) instance.temperature.reset();
  all[0].parameters = all[1].parameters = {53};
  all[2].parameters = {24};
  return all;
}

}  // namespace

Claim softmax_rounding_error() {
  return {
      .statement =
          {.source = "the suite's own, after Blanchard, D. J. Higham, N. J. Higham, IMA J. Numer. Anal. 2021",
           .section = "literature",
           .text =
               "In p-bit arithmetic the shifted softmax and log-sum-exp are as near to the exact values as the forward "
               "error bounds say, for logits that are p-bit numbers.",
           .proof =
               "x_i - a is rounded to (x_i - a)(1 + delta), which multiplies its exponential by a factor between "
               "exp(-Ru) and exp(Ru); rounding the exponential gives one factor 1 + delta, recursive summation at "
               "most n - 2 more up to s and one more for 1 + s. So the denominator is off by a factor between "
               "exp(-Ru)(1-u)^n and exp(Ru)(1+u)^n, the numerator between exp(-Ru)(1-u) and exp(Ru)(1+u), and the "
               "division adds one more: the quotient's relative error is at most B. log1p of s times a factor f moves "
               "by at most |log f| <= Z, its rounding adds u times it, and the rounded sum with a adds u times that "
               "sum: (1 + u) E + u |y|. Here a = max x, R = max x - min x, u = 2^-p, s = sum exp(x_j - a) over all j "
               "but one largest, y = a + log(1 + s), g_i = exp(x_i - a)/(1 + s), y' and g_i' their computed values; "
               "B = exp(2Ru) (1+u)^2/(1-u)^n - 1, Z = Ru - (n-1) log(1-u), E = (1+u) Z + u (y-a). These bounds are the "
               "suite's own and hold to every order of u; to first order they read (n + 2 + 2R) u for g, as in the "
               "paper, and (n - 1 + R + (y-a) + |y|) u for y.",
           .domain = "rational logits rounded to p = 4, 8, 11, 24 or 53 bits, L <= 24, range <= 1024; captured rows in "
                     "binary32's p = 24; exponents unbounded",
           .kind = Sided{.parts = {{.name = "log-sum-exp",
                                    .left = "|y' - y|",
                                    .right = "(1+u) E + u |y|",
                                    .lhs = error_of_y,
                                    .rhs = bound_of_y},
                                   {.name = "softmax",
                                    .left = "max_i |g_i' - g_i|/g_i",
                                    .right = "B",
                                    .lhs = error_of_weights,
                                    .rhs = bound_of_weights}},
                         .hypotheses = {hypotheses::at_least_two_tokens,
                                        {"p is a whole number from 2 to 64", precision_is_whole},
                                        {"max x - min x <= 1024", range_is_moderate}},
                         .generate = row_in_some_precision,
                         .known = nearest,
                         .real = RealRows::logits}},
      .expected = Expected::supported};
}

}  // namespace attncert
