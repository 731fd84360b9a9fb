// alpha-entmax of rational logits for 1 < alpha <= 2, p_i = max((alpha-1) z_i/T - tau, 0)^(1/(alpha-1)), and the
// constant of its Jacobian at alpha = 3/2 (docs/specification.md#entmax).
#pragma once

#include <map>

#include "properties/claims/catalogue/sides/lipschitz.hpp"

namespace attncert::sides {

// x^beta of x >= 0, beta = 1/(alpha-1) = run/rise.
struct Power {
  long run;
  unsigned long rise;
  Interval operator()(const Interval& x) const { return pow(x, run, rise); }
  Interval slope(const Interval& x, Precision precision) const;  // where beta >= 1
};

// The different depths of a row and how many tokens have each: long rows have few.
struct Depth {
  Interval depth, count;
};
using Depths = std::vector<Depth>;

// The t with sum_j max(t - d_j, 0)^beta = 1, by a bisection in double: a guess, which decides nothing.
double guessed_threshold(const Depths& depths, const Power& power);

Depths enclosed(const std::map<Rational, unsigned long>& counted, Precision precision);

Values entmax(const Rational& alpha, const Logits& logits, const Rational& temperature, Precision precision);
Values entmax_three_halves(const Instance& instance, const Logits& logits, Precision precision);

// K_L = max_{2 <= k <= L} two(k) for L >= 2, two(k) = (1 - v + v^2) / sqrt(1 + v) with v = (k-1)^(-1/3): T ||J||_2 at
// one token 1/(1+v) and k-1 equal ones. log two has the slope 3 (v^2 + v - 1) / (2 (1+v) (1 - v + v^2)) in v, so two
// falls and then rises with k: the maximum is at k = 2 or k = L.
// It is the largest norm of all p: max_p ||J||_2 T = max_{||h||=1} max_p min_c sum sqrt(p_i) (h_i - c)^2, where max and
// min may change places (concave in p, convex in c), = max_h min_c ||h - c||_4^2, and by duality = max ||w||_2^2 over
// sum w = 0, ||w||_{4/3} = 1. At a maximum 2|w| - lambda |w|^(1/3) is mu for w > 0 and -mu for w < 0, so that (mu >= 0)
// all w > 0 are one number a and those w < 0 at most two, -b and -c, with |b| > |c|; second order allows at most two
// tokens at a and -b together, and not two at a. With b = B^3, c = C^3, one token at -b and m at -c, stationarity gives
// a = (B + C)^3 and m = 3 r^2 + 3 r + 1, r = B/C > 1, and along (r-1, -(r+2), (2r+1)/m) the second variation is, up to
// a positive factor,
//   648 x + 2295 x^2 + 3492 x^3 + 2985 x^4 + 1566 x^5 + 510 x^6 + 96 x^7 + 8 x^8 > 0,  x = r - 1:
// no maximum. So all w < 0 are one number, which is two(k).
Interval three_halves_constant(std::size_t length, Precision precision);

}  // namespace attncert::sides
