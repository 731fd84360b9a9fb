// How many selected tokens are separable when the tokens are random (docs/specification.md#separable-share); weights a
// and index set I fixed and independent of the tokens, S_i = sum_{j in I, j != i} a_j^2, f_i = ||a_i x_i - s||, r = min
// f_j over j not in I:
//   (2) tokens independent on the unit sphere, r a constant, m_i = E f_i:
//       E #{i in I: f_i <= r}/N <= (1/N) sum_i exp(-(m_i - r)_+^2/(2 S_i))
//   (3) tokens independent and uniform on the sphere of R^d:
//       E N_s/N >= 1 - (1/N) sum_{i in I} sum_{j not in I} exp(-d (a_i^2 + a_j^2)/(8 S_i) + d a_i^2 a_j^2/(32 S_i^2))
// One draw takes one i of I at random and asks f_i <= r: the mean of that is the left side, and the count of yes is
// binomial. The bound (2) falls in m_i. m_i is known for signs (d = 1); else S_i^(3/2)/sqrt(E f_i^4) <= m_i <=
// sqrt(S_i) (Hoelder, Jensen) with E f_i^4 = S_i^2 + (2/d)(S_i^2 - sum a_j^4), and the bound is enclosed: it holds
// where the limit clears its lower end, which belongs to the largest m_i. All of it is homogeneous in a, so the weights
// are whole numbers.
#include <cmath>
#include <numeric>

#include "properties/claims/claim.hpp"
#include "src/core/counter.hpp"

namespace attncert {
namespace {

struct Setting {
  std::size_t count, dimension;
  std::vector<long> weights;   // of all tokens; the first N are selected
  std::optional<long> radius;  // (2), with N tokens only; none: (3)
};

double squared_distance_to(const std::vector<double>& s, double weight, const double* token) {
  double sum = 0;
  for (std::size_t k = 0; k < s.size(); ++k) sum += (weight * token[k] - s[k]) * (weight * token[k] - s[k]);
  return sum;
}

// Squared distances err by less than (d + N + 20) 2^-51 (sum of the weights)^2, here 2^-44 of it; signs are exact.
double margin(const Setting& setting) {
  const double sum = static_cast<double>(std::accumulate(setting.weights.begin(), setting.weights.end(), 0L));
  return setting.dimension == 1 ? 0 : 0x1p-44 * sum * sum;
}

Draw draw(const Setting& setting, std::uint64_t seed) {
  const std::size_t d = setting.dimension, length = setting.weights.size();
  const auto weight = [&](std::size_t t) { return static_cast<double>(setting.weights[t]); };
  std::vector<double> tokens(length * d), s(d, 0.0);
  for (std::size_t t = 0; t < length; ++t) {  // a normal vector's direction is uniform
    double square = 0;
    for (std::size_t k = t * d; k < (t + 1) * d; ++k) {
      tokens[k] = random_normal(seed, k + 1);
      square += tokens[k] * tokens[k];
    }
    for (std::size_t k = 0; k < d; ++k) {
      if (d == 1) tokens[t] = tokens[t] < 0 ? -1 : 1;
      else tokens[t * d + k] /= std::sqrt(square);
      if (t < setting.count) s[k] += weight(t) * tokens[t * d + k];
    }
  }
  const std::size_t i = random_below(seed, 0, setting.count);
  const double f = squared_distance_to(s, weight(i), &tokens[i * d]);
  double r = setting.radius ? static_cast<double>(*setting.radius * *setting.radius) : INFINITY;
  for (std::size_t j = setting.count; j < length; ++j)
    r = std::min(r, squared_distance_to(s, weight(j), &tokens[j * d]));
  if (std::abs(f - r) < margin(setting)) return Draw::open;
  return f <= r ? Draw::yes : Draw::no;
}

// sum of a_j^power over I without i
Rational power_sum(const Setting& setting, std::size_t i, int power) {
  Rational sum = 0;
  for (std::size_t j = 0; j < setting.count; ++j)
    if (j != i)
      sum += Rational(power == 2 ? setting.weights[j] * setting.weights[j]
                                 : setting.weights[j] * setting.weights[j] * setting.weights[j] * setting.weights[j]);
  return sum;
}

// E |sum of +-a_j| over I without i
Rational mean_of_signs(const Setting& setting, std::size_t i) {
  long total = 0;
  const std::size_t patterns = std::size_t{1} << setting.count;  // the sign of i counts twice
  for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
    long sum = 0;
    for (std::size_t j = 0; j < setting.count; ++j)
      if (j != i) sum += (pattern >> j & 1) != 0 ? setting.weights[j] : -setting.weights[j];
    total += std::abs(sum);
  }
  return ratio(total, patterns);
}

Interval mean_distance(const Setting& setting, std::size_t i, Precision precision) {
  if (setting.dimension == 1) return {mean_of_signs(setting, i), precision};
  const Rational square = power_sum(setting, i, 2) * power_sum(setting, i, 2);
  const Rational fourth = square + ratio(2, setting.dimension) * (square - power_sum(setting, i, 4));
  const Interval S(power_sum(setting, i, 2), precision);
  return hull(S * sqrt(S) / sqrt(Interval(fourth, precision)), sqrt(S));
}

Interval upper_bound(const Setting& setting, Precision precision) {
  const Interval zero(0.0, precision), radius(static_cast<double>(*setting.radius), precision);
  Interval sum = zero;
  for (std::size_t i = 0; i < setting.count; ++i)
    sum += exp(-square(max(mean_distance(setting, i, precision) - radius, zero)) /
               Interval(2 * power_sum(setting, i, 2), precision));
  return sum / Interval(static_cast<double>(setting.count), precision);
}

Interval lower_bound(const Setting& setting, Precision precision) {
  const Rational d = static_cast<unsigned long>(setting.dimension);
  Interval sum(0.0, precision);
  for (std::size_t i = 0; i < setting.count; ++i) {
    const Rational S = power_sum(setting, i, 2), a = setting.weights[i] * setting.weights[i];
    for (std::size_t j = setting.count; j < setting.weights.size(); ++j) {
      const Rational b = setting.weights[j] * setting.weights[j];
      sum += exp(Interval(Rational(d * a * b / (32 * S * S) - d * (a + b) / (8 * S)), precision));
    }
  }
  return Interval(1.0, precision) - sum / Interval(static_cast<double>(setting.count), precision);
}

std::string text(const Setting& setting) {
  std::string weights;
  for (const long weight : setting.weights) weights += (weights.empty() ? "" : ":") + std::to_string(weight);
  return std::string(setting.radius ? "(2)" : "(3)") + " N=" + std::to_string(setting.count) +
         " d=" + std::to_string(setting.dimension) + (setting.radius ? " r=" + std::to_string(*setting.radius) : "") +
         " weights " + weights;
}

std::vector<RandomLaw> all_laws() {
  const auto equal = [](std::size_t length) { return std::vector<long>(length, 1); };
  const std::vector<Setting> settings = {{2, 32, equal(8), {}},      {3, 32, equal(8), {}},
                                         {4, 64, equal(12), {}},     {3, 48, {3, 2, 2, 1, 1, 1, 1, 1, 1, 1}, {}},
                                         {4, 1, equal(4), 1},        {9, 1, equal(9), 0},
                                         {5, 3, {3, 2, 2, 1, 1}, 2}, {16, 8, equal(16), 2}};
  std::vector<RandomLaw> laws;
  for (const Setting& setting : settings)
    laws.push_back({text(setting), !setting.radius.has_value(),
                    [setting](Precision precision) {
                      return setting.radius ? upper_bound(setting, precision) : lower_bound(setting, precision);
                    },
                    [setting](std::uint64_t seed) { return draw(setting, seed); }});
  return laws;
}

}  // namespace

Claim separability_concentration() {
  return {
      .statement =
          {.source = "corrected Theorem 2, upper bound and uniform tokens",
           .section = "7",
           .text = "Under eight laws, of fixed weights and index set and random tokens on the sphere, the expected "
                   "share of "
                   "selected tokens within a fixed radius is at most the bounded-difference bound (four laws), and for "
                   "uniform tokens the expected share of separable ones is at least 1 minus the sum over pairs (four).",
           .proof =
               "S_i = sum of a_j^2 over the other selected j. The bound (2), r a constant and m_i = E f_i, is (1/N) "
               "sum over i in I of exp(-max(m_i - r, 0)^2/(2 S_i)); where m_i is not known exactly the bound is "
               "enclosed between those of its limits S_i^(3/2)/sqrt(S_i^2 + (2/d)(S_i^2 - sum a_j^4)) and sqrt(S_i). "
               "The bound (3) is 1 - (1/N) sum over i in I and j not in I of exp(-d (a_i^2 + a_j^2)/(8 S_i) + d a_i^2 "
               "a_j^2/(32 S_i^2)). (2) f_i is the norm of a sum of independent a_j x_j; changing one token moves it "
               "by at most 2 a_j, so by McDiarmid's inequality it falls short of its mean by t with probability at "
               "most exp(-2 t^2 / sum (2 a_j)^2); take t = m_i - r. (3) i fails against j only if ||w||^2 < 2 <w, u> "
               "with w = a_j x_j - a_i x_i and u the sum of the other selected a_k x_k, independent of w; <u, e> is "
               "sub-Gaussian with proxy S_i/d for a unit vector e, and integrating exp(-d ||w||^2/(8 S_i)) over the "
               "angle between x_i and x_j, whose cosine is sub-Gaussian with proxy 1/d, gives the term of the sum; "
               "then the union bound over pairs.",
           .domain =
               "8 laws, tokens drawn independently and uniformly on the sphere: (3) at L = 8 to 12 in 32 to 64 "
               "dimensions four times, and (2) at N = 4 to 16 in 1, 3 and 8 dimensions four times; exact binomial "
               "limits at level 1 - 10^-9 each, 1 - 10^-8 over all laws",
           .kind = RandomLaws{.left = "(2) the upper confidence limit of E #{i in I: f_i <= r}/N; (3) the bound (3)",
                              .right = "(2) the bound (2); (3) the lower confidence limit of E N_s/N",
                              .laws = all_laws}},
      .expected = Expected::supported};
}

}  // namespace attncert
