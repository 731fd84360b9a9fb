// The proofs, each as inequalities between quotients of polynomials on unit boxes (docs/specification.md).
// Reductions: "scaling" and "shift" of F or logits change no weight; "permutation": one order of the tokens stands for
// all, and tokens that are alike enter by their mean.
#include <bit>

#include "check/judge.hpp"

namespace attncert::check {
namespace {

using Point = std::vector<Quotient>;
using Strings = std::vector<std::string>;

Quotient quotient(std::size_t p, std::size_t q) { return Quotient(Rational(p, q)); }
Quotient square(const Quotient& v) { return v * v; }

// From `least` at t = 0 to 1 at t = 1.
Quotient from(const Quotient& least, const Quotient& t) { return least * (1 - t) + t; }

// Separable F > 0 with max F = 1 and min F = m = x[0]: the mean of some tokens lies in [m, 1], and so does that of the
// others. The weight of the former together, when they are `share` times as many as the latter.
Quotient mass(const Point& x, const Quotient& share) {
  const Quotient held = share * from(x[0], x[1]);
  return held / (held + from(x[0], x[2]));
}

// p_1 >= ... >= p_L >= 0 of sum 1: any such p mixes the L rows (1, 0, ..), (1/2, 1/2, 0, ..), ..., (1/L, .., 1/L).
std::vector<Quotient> ordered(std::size_t L, const Point& x) {
  std::vector<Quotient> p(L, 0);
  Quotient rest = 1;
  for (std::size_t k = 1; k <= L; ++k) {
    const Quotient share = k < L ? rest * x[k - 1] : rest;
    for (std::size_t i = 0; i < k; ++i) p[i] = p[i] + share * quotient(1, k);
    rest = rest - share;
  }
  return p;
}

// det(z - diag p + p p^T) = z sum_i p_i prod_{j != i} (z - p_j) has its largest root lambda_1 in [p2, p1], simple where
// p1 > p2; where it is nowhere negative on [U, U + 1], which holds 1 >= p1, lambda_1 <= U = p1 (1 - p1 + p2).
Quotient ceiling(std::size_t L, const Point& x) {
  const auto p = ordered(L, x);
  Quotient sum = 0;
  for (std::size_t i = 0; i < L; ++i) {
    Quotient term = p[i];
    for (std::size_t j = 0; j < L; ++j)
      if (j != i) term = term * (p[0] * (1 - p[0] + p[1]) + x[L - 1] - p[j]);
    sum = sum + term;
  }
  return sum;
}

// lambda_1 and ell are the roots in (p2, p1) of p1/(p1-z) - p2/(z-p2) = h(z) with h = sum_{j>=3} p_j/(z-p_j), and with
// all p_j, j >= 3, at 0; the left side increases in z and h falls, so that the larger h has the larger root.
Quotient floor(std::size_t L, const Point& x) {
  const auto p = ordered(L, x);
  const Quotient z = p[1] + (p[0] - p[1]) * x[L - 1];
  Quotient sum = 0;
  for (std::size_t j = 2; j < L; ++j) sum = sum + p[j] / (z - p[j]) - p[j] / z;
  return sum;
}

std::vector<Piece> spectrum() {
  std::vector<Piece> pieces{{"half", 2, [](const Point& x) {  // p1 + p2 = x0, p2 = x1 p1
                               const Quotient p = x[0] / (x[1] + 1);
                               return quotient(1, 2) - p + p * p * (1 - x[1]);
                             }}};
  for (const std::size_t L : {2, 3, 4, 5}) {
    const std::string at = " L=" + std::to_string(L);
    pieces.push_back({"ceiling" + at, L, [L](const Point& x) { return ceiling(L, x); }});
    pieces.push_back({"floor" + at, L, [L](const Point& x) { return floor(L, x); }});
  }
  return pieces;
}

// E sum over i not in I of (y_i - s)^2 = ((L-N)/L) [(N+1) A + N (N-3)/(L-1) (B - A)], B = (sum y)^2, A = sum y^2, one
// coordinate of the tokens y_i = a_i x_i at a time; every index set is visited.
Quotient second_moment(std::size_t L, int N, const Point& y) {
  Quotient all = 0, squares = 0, sum = 0;
  std::size_t sets = 0;
  for (const Quotient& entry : y) {
    sum = sum + entry;
    squares = squares + square(entry);
  }
  for (std::size_t set = 0; set < std::size_t{1} << L; ++set) {
    if (std::popcount(set) != N) continue;
    ++sets;
    Quotient s = 0;
    for (std::size_t i = 0; i < L; ++i)
      if (set >> i & 1) s = s + y[i];
    for (std::size_t i = 0; i < L; ++i)
      if (!(set >> i & 1)) all = all + square(y[i] - s);
  }
  const Rational n(N), l(L), pairs = n * (n - 3) / (l - 1);
  return all * Rational(1, sets) - Rational(1 - n / l) * (Rational(n + 1) * squares + pairs * (square(sum) - squares));
}

std::vector<Piece> second_moments() {
  std::vector<Piece> pieces;
  for (int L = 2; L <= 8; ++L)
    for (int N = 1; N <= L; ++N)
      pieces.push_back({"L=" + std::to_string(L) + " N=" + std::to_string(N), std::size_t(L),
                        [L, N](const Point& y) { return second_moment(y.size(), N, y); }, true});
  return pieces;
}

}  // namespace

std::vector<Proof> proofs() {
  const Strings tokens{"scaling", "permutation"}, logits{"shift", "scaling", "permutation"}, order{"permutation"};
  std::vector<Proof> all;
  const auto prove = [&all](const char* claim, const char* domain, const Strings& reductions,
                            const std::vector<Piece>& pieces) {
    all.push_back({claim, domain, reductions, pieces});
  };
  // One token against n = 1/x[3] others, R = 1/m; the bounds are multiplied out by hand.
  // 1/(1 + n R) = x3 m/(x3 m + 1) <= a <= R/(R + n) = x3/(x3 + m)
  prove("weights-order-sharp", "all L >= 2, all positive F of any R", tokens,
        {{"above", 4, [](const Point& x) { return x[3] / (x[3] + x[0]) - mass(x, x[3]); }},
         {"below", 4, [](const Point& x) { return mass(x, x[3]) - x[3] * x[0] / (x[3] * x[0] + 1); }}});
  // The same with 1/(L R) and R/L, L = n + 1 = (1 + x3)/x3
  prove("lemma1-bounded-logits", "all L >= 2, all positive F of any R", tokens,
        {{"above", 4, [](const Point& x) { return x[3] / (x[0] + x[0] * x[3]) - mass(x, x[3]); }},
         {"below", 4, [](const Point& x) { return mass(x, x[3]) - x[0] * x[3] / (x[3] + 1); }}});
  // N tokens against L - N, x3 = N/L: A <= N R/(N R + L - N) = x3/(x3 + m (1 - x3))
  prove("top-mass-cap", "all 1 <= N < L, all positive F of any R", tokens,
        {{"mass", 4, [](const Point& x) { return x[3] / (x[3] + x[0] * (1 - x[3])) - mass(x, x[3] / (1 - x[3])); }}});
  // T log((L-1) p1/(1-p1)) <= range for the largest weight p1; a smaller one needs less. (L-1) p1/(1-p1) is 1 over the
  // mean of exp((l_j - l_1)/T), j >= 2, which is at least x0 = exp(-range/T).
  const std::vector<Piece> odds{{"odds", 2, [](const Point& x) { return 1 / x[0] - 1 / from(x[0], x[1]); }}};
  prove("softmax-mass-needs-range", "all L >= 2, all real logits, all T > 0", logits, odds);
  // The same, divided by 2 T range
  prove("softmax-sharpness-needs-log-length", "all L >= 2, all real logits of range g > 0, all T > 0", logits, odds);
  // Off the diagonal p_i p_j with p_j = x1 (1 - p_i), at most all that is left.
  prove("softmax-largest-entry", "all L, all real logits, all T > 0", tokens,
        {{"diagonal", 1, [](const Point& x) { return quotient(1, 4) - x[0] + x[0] * x[0]; }},
         {"off-diagonal", 2, [](const Point& x) { return quotient(1, 4) - x[0] * x[1] * (1 - x[0]); }}});
  // ||T J||_1 = ||T J||_inf = max 2 p_i (1 - p_i), and ||T J||_2 is at most the root of their product.
  prove("softmax-half-over-temperature", "all L, all real logits, all T > 0", tokens,
        {{"column", 1, [](const Point& x) { return quotient(1, 2) - x[0] * (1 - x[0]) - x[0] * (1 - x[0]); }}});
  prove("softmax-spectral-bounds", "all weights, 2 <= L <= 5; p1 (1 - p1 + p2) <= 1/2 for all L", order, spectrum());
  // (a - b)^2 <= a + b for a, b in [0, 1]; summed over the tokens of two rows it is ||a - a'||^2 <= 2.
  prove("weights-diameter", "all L, all weights", order,
        {{"token", 2, [](const Point& x) { return x[0] + x[1] - square(x[0] - x[1]); }}});
  // (a + 2e - a)^2 + (a - a - e)^2 = 5 e^2; an identity of polynomials holds beyond [0,1] too.
  const auto distances = [](const Point& x) {
    return square(x[0] + 2 * x[1] - x[0]) + square(x[0] - (x[0] + x[1])) - 5 * square(x[1]);
  };
  prove("perturbation-input-distance", "all L >= 2, all real a and e", {"scaling"}, {{"square", 2, distances, true}});
  prove("expected-squared-distance", "all weights and tokens of any d, 2 <= L <= 8, 1 <= N <= L", order,
        second_moments());
  return all;
}

}  // namespace attncert::check
