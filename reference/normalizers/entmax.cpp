// t solves G(t) = 1, G(t) = sum of max(t - d_j, 0)^beta. (t - d)^(beta - 1) = w / (t - d) >= w / t for every term w, so
// G' / G >= beta / t, that is G(t) / t^beta never falls: the solution lies between any m > 0 and m G(m)^(-1 / beta). So
// one evaluation of G gives a proved bracket; Newton's rule only chooses where to evaluate. The support is {d_i < t}. A
// depth that no precision separates from t equals it: G(d_i) = 1. A sum of positive radicals of rationals is rational
// only if every one is (they are independent over the rationals otherwise), so that is decided exactly.
#include "reference/normalizers/entmax.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
namespace {

constexpr int guard_bits = 24;
// MPFR's exact roots and powers up to here; beyond, exp(log x * exponent) is faster and as good.
constexpr unsigned long largest_root = 64;
// Beyond, powers of rationals are not worth their digits: c r^run = 1 with c < 2^20 entries already needs run <= 20.
constexpr unsigned long largest_exact_power = 4096;
// Equality is asked at the first precision. What is open at the last one stays so (an enclosure that reaches down to
// 0): with beta = 1 / (alpha - 1) far below 1, weights of every size have heights t - d far below these 2^-16384.
constexpr Precision equality_precision{512}, last_precision{16384};

// The whole of bits b such that beta (and 1 / beta) < 2^b: powers multiply relative errors by so much.
int amplification(unsigned long rise, unsigned long run) {
  return static_cast<int>(std::bit_width(run / rise) + std::bit_width(rise / run)) + 1;
}

Interval intersection(const Interval& a, const Interval& b) { return Interval::between(max(a, b), min(a, b)); }

// r^(run / rise), or nothing when it is irrational: in lowest terms both parts must be perfect powers.
std::optional<Rational> rational_power(const Rational& r, unsigned long run, unsigned long rise) {
  if (r == 1) return r;
  mpz_class numerator, denominator;
  if (mpz_root(numerator.get_mpz_t(), r.get_num_mpz_t(), rise) == 0) return std::nullopt;
  if (mpz_root(denominator.get_mpz_t(), r.get_den_mpz_t(), rise) == 0) return std::nullopt;
  mpz_pow_ui(numerator.get_mpz_t(), numerator.get_mpz_t(), run);
  mpz_pow_ui(denominator.get_mpz_t(), denominator.get_mpz_t(), run);
  return Rational(numerator, denominator);
}

}  // namespace

EntmaxThreshold::EntmaxThreshold(const LogitRow& row) : row_(row) {
  const auto p = row.parameters.alpha_numerator, q = row.parameters.alpha_denominator;
  ATTNCERT_ASSERT(q >= 1 && p > q);
  const auto common = std::gcd(p - q, q);
  rise_ = (p - q) / common;
  run_ = q / common;
  screen_beta_ = beta().get_d();
  const auto& distinct = row_.distinct();
  // t <= 1 because one weight alone is t^beta. Long double keeps the quotient in range; its roundings are below 2^-50.
  const long double slope = static_cast<long double>(rise_) / static_cast<long double>(run_);
  const auto inside = [&](double logit) {
    return (static_cast<long double>(row_.largest()) - logit) / row.temperature * slope <= 1 + 0x1p-50L;
  };
  while (candidates_ < distinct.size() && inside(distinct[candidates_])) ++candidates_;
}

Interval EntmaxThreshold::power(const Interval& x, const Rational& exponent) {
  const Interval base = max(x, Interval(0.0, x.precision()));
  const mpz_class numerator = abs(exponent.get_num());
  if (numerator <= largest_root && exponent.get_den() <= largest_root)
    return pow(base, exponent.get_num().get_si(), exponent.get_den().get_ui());
  return exp(log(base) * Interval(exponent, x.precision()));
}

Interval EntmaxThreshold::depth(double logit, Precision precision) const {
  return row_.deficit(logit, precision) * Interval(Rational(rise_, run_), precision);
}

EntmaxThreshold::Mass EntmaxThreshold::mass(const Interval& t, Precision precision) const {
  Mass result{Interval(0.0, precision), Interval(0.0, precision)};
  const Rational exponent = beta();
  for (std::size_t k = 0; k < candidates_; ++k) {
    const Interval height = t - depth(row_.distinct()[k], precision);
    if (less_equal(height, Interval(0.0, precision)) == Truth::yes) break;
    const Interval term = power(height, exponent) * Interval(static_cast<double>(row_.count()[k]), precision);
    result.total += term;
    if (less(Interval(0.0, precision), height) == Truth::yes) result.slope += term / height;
  }
  result.slope *= Interval(exponent, precision);
  return result;
}

// The same in double, until it stands still.
double EntmaxThreshold::rough_threshold() const {
  const double beta = static_cast<double>(run_) / static_cast<double>(rise_), slope_of_depth = 1 / beta;
  double low = 0, high = 1, t = 1;
  for (int step = 0; step < 100; ++step) {
    double total = 0, slope = 0;
    for (std::size_t k = 0; k < candidates_; ++k) {
      const double height = t - (row_.largest() - row_.distinct()[k]) / row_.row().temperature * slope_of_depth;
      if (!(height > 0)) break;
      const double term = static_cast<double>(row_.count()[k]) * std::pow(height, beta);
      total += term;
      slope += beta * term / height;
    }
    const double other = t * std::pow(total, -slope_of_depth);
    low = std::max(low, std::min(t, other));
    high = std::min(high, std::max(t, other));
    double next = t - (total - 1) / slope;
    if (!(next > low && next < high)) next = low / 2 + high / 2;
    if (!(high - low > 0x1p-50 * high) || next == t) break;
    t = next;
  }
  return t;
}

Interval EntmaxThreshold::threshold(Precision precision) {
  const auto found = thresholds_.find(precision.bits);
  if (found != thresholds_.end()) return found->second;
  const Precision working{precision.bits + guard_bits + static_cast<int>(std::bit_width(row_.present_count())) +
                          2 * amplification(rise_, run_)};
  const Interval one(1.0, working);
  Interval bracket = Interval::between(Interval(0.0, working), one), m = one;
  if (precision.bits > 64) {  // each of the half precision doubles its digits in one or two steps
    bracket = threshold({std::max(64, precision.bits / 2)}).rounded(working);
    m = middle(bracket);
  } else if (const double rough = rough_threshold(); rough > 0) {
    m = Interval(rough, working);
  }
  const double narrow = std::ldexp(1.0, -precision.bits);
  for (int step = 1; step <= 4 * working.bits; ++step) {  // t may be below MPFR's exponents: then it ends here
    const Mass g = mass(m, working);
    const Interval other = m * power(g.total, Rational(-Rational(rise_, run_)));
    bracket = intersection(bracket, hull(m, other));
    if (bracket.relative_width() <= narrow || overlaps(g.total, one) == Truth::yes) break;
    const Interval next = middle(m - (g.total - one) / g.slope);
    const bool inside = less(Interval(0.0, working), next) == Truth::yes && overlaps(next, bracket) == Truth::yes;
    // Where a term of beta < 1 begins, Newton's rule may creep: halving every fourth time ends it.
    m = inside && step % 4 != 0 ? next : middle(bracket);
  }
  return thresholds_.emplace(precision.bits, bracket).first->second;
}

EntmaxThreshold::Support EntmaxThreshold::support() {
  if (candidates_ == 1) support_ = Support{1, 1};
  if (support_) return *support_;
  for (Precision precision{64};; precision = precision.doubled()) {
    const Interval t = threshold(precision);
    const auto against = [&](std::size_t k) { return less(depth(row_.distinct()[k], t.precision()), t); };
    Support found{1, 1};  // the largest logit's depth is 0
    while (found.certain < candidates_ && against(found.certain) == Truth::yes) ++found.certain;
    for (found.possible = found.certain; found.possible < candidates_ && against(found.possible) == Truth::unknown;)
      ++found.possible;
    const bool one_open = found.possible == found.certain + 1;
    if (one_open && precision >= equality_precision && is_exactly_one(found.certain)) --found.possible;
    if (found.possible != found.certain && precision < last_precision) continue;
    support_ = found;
    return found;
  }
}

bool EntmaxThreshold::is_exactly_one(std::size_t k) const {
  if (run_ > largest_exact_power) return false;
  const auto& distinct = row_.distinct();
  const Rational slope = Rational(rise_, run_) / exact(row_.row().temperature), edge = exact(distinct[k]);
  Rational total;
  for (std::size_t j = 0; j < k && total <= 1; ++j) {
    const auto term = rational_power((exact(distinct[j]) - edge) * slope, run_, rise_);
    if (!term) return false;
    total += *term * static_cast<unsigned long>(row_.count()[j]);
  }
  return total == 1;
}

Truth EntmaxThreshold::in_support(double logit) {
  const Support found = support();
  if (logit >= row_.distinct()[found.certain - 1]) return Truth::yes;
  const bool open = found.possible > found.certain && logit >= row_.distinct()[found.possible - 1];
  return open ? Truth::unknown : Truth::no;
}

Interval EntmaxThreshold::height(double logit, Precision precision) {
  const double narrow = std::ldexp(1.0, -precision.bits - amplification(rise_, run_));
  for (Precision asked{precision.bits + 16};; asked = asked.doubled()) {
    const Interval t = threshold(asked);
    const Interval height = t - depth(logit, t.precision());
    if (height.relative_width() <= narrow || asked >= last_precision || in_support(logit) != Truth::yes)
      return max(height, Interval(0.0, height.precision()));
  }
}

Interval EntmaxThreshold::weight(double logit, Precision precision) {
  const Truth inside = in_support(logit);
  if (inside == Truth::no) return Interval(0.0, precision);
  if (inside == Truth::yes && support().possible == 1) return Interval(ratio(1, row_.count()[0]), precision);
  return power(height(logit, precision), beta()).rounded(precision);
}

double EntmaxThreshold::screen_height(double logit) {
  if (!screen_threshold_) screen_threshold_ = threshold({64}).midpoint();
  const long double difference = static_cast<long double>(row_.largest()) - logit;
  const long double slope = static_cast<long double>(rise_) / static_cast<long double>(run_);
  return static_cast<double>(std::max(0.0L, *screen_threshold_ - difference / row_.row().temperature * slope));
}

double EntmaxThreshold::screen_weight(double logit) { return std::pow(screen_height(logit), screen_beta_); }

const Normalizer entmax_normalizer{
    .name = "entmax",
    .place = 4,
    .formula = "max((alpha - 1) z_i - tau, 0)^(1 / (alpha - 1)) with sum 1",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant,
             Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal, Law::optimal},
    .truth = weight_truth<EntmaxThreshold>,
    .exact_support = true,
    .parameter = ReadsParameter::alpha,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row); }};

}  // namespace attncert::reference
