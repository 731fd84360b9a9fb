#include "src/normalizers/entmax_rest.hpp"

#include <algorithm>
#include <cmath>

#include "src/normalizers/fixed_point.hpp"
#include "src/normalizers/long_pair.hpp"

namespace attncert {
namespace {

// 1216 bits tell a rest of 2^-1074, the smallest there is where one logit stands above: {b T, 2^-1074}. Rows that are on their
// threshold exactly ask for them, too: some milliseconds a term, hence no more terms than these.
constexpr int few_bits = 256, many_bits = 1216;
constexpr std::ptrdiff_t most_terms = 16;

// v^b for v = a w, by the logarithms of w and of the three numbers that a is made of.
template <int kBits>
class Powers {
 public:
  using Number = FixedPoint<kBits>;

  explicit Powers(const EntmaxLaw& law) noexcept
      : law_(law), rate_(log2_of<kBits>(static_cast<long double>(law.above))) {
    rate_ += log2_of<kBits>(static_cast<long double>(law.denominator)).negated();
    rate_ += log2_of<kBits>(static_cast<long double>(law.temperature)).negated();
  }

  Number of(LongPair w) const noexcept {
    Number log = log2_of<kBits>(w.high, w.low);
    log += rate_;
    const bool below_one = log.negative();
    const Number size = Number(law_.denominator).times(below_one ? log.negated() : log).over(law_.above);
    if (below_one && size.rounded() > kBits) return {};
    return exp2_of(below_one ? size.negated() : size);
  }

 private:
  const EntmaxLaw& law_;
  Number rate_;
};

template <class T>
LongPair rise(T z, T x) noexcept {
  return exact_sum(static_cast<long double>(z), -static_cast<long double>(x));
}

// D(n) = sum over z_j > r of (a (e_j + n))^b - (a e_j)^b, and k (a n)^b of the k logits at r: its value and n D'(n). A sum of
// positive terms, each by log1p and expm1, so that no n is too small for it.
struct Growth {
  long double value, slope;
};

template <class T>
Growth growth(const EntmaxLaw& law, const Powers<few_bits>& powers, const T* logits, std::size_t count, T lowest,
              long double n) noexcept {
  const long double b = static_cast<long double>(law.denominator) / static_cast<long double>(law.above);
  const long double at_lowest = std::pow(n / (b * static_cast<long double>(law.temperature)), b);
  LongPair value{0, 0};
  long double slope = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (!(logits[j] >= lowest)) continue;
    if (logits[j] == lowest) {
      value = add(value, {at_lowest, 0});
      slope += b * at_lowest;
      continue;
    }
    const LongPair e = rise(logits[j], lowest);
    const long double power = powers.of(e).rounded(), more = std::expm1(b * std::log1p(n / e.high));
    value = add(value, {power * more, 0});
    slope += b * power * (1 + more) * n / (e.high + n);
  }
  return {value.high, slope};
}

// The four logarithms are off by 2^(4 - kBits) each, b times as much the exponent, and 2^(8 - kBits) what is made of it.
template <int kBits, class T>
RestOfSum rest_in(const EntmaxLaw& law, const T* logits, std::size_t count, T x) noexcept {
  const Powers<kBits> powers(law);
  FixedPoint<kBits> rest(1);
  long double terms = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (!(logits[j] > x)) continue;
    rest += powers.of(rise(logits[j], x)).negated();
    ++terms;
  }
  const long double b = static_cast<long double>(law.denominator) / static_cast<long double>(law.above);
  const long double value = rest.negative() ? -rest.negated().rounded() : rest.rounded();
  return {value, std::ldexp(terms * (4 * b + 17), 4 - kBits)};
}

}  // namespace

template <class T>
RestOfSum rest_of_sum(const EntmaxLaw& law, const T* logits, std::size_t count, T x) noexcept {
  const RestOfSum rest = rest_in<few_bits>(law, logits, count, x);
  const std::ptrdiff_t above = std::count_if(logits, logits + count, [x](T z) { return z > x; });
  const bool enough = std::abs(rest.value) > rest.error * 0x1p57L || above > most_terms;
  return enough ? rest : rest_in<many_bits>(law, logits, count, x);
}

// Newton's steps on ln D over ln n, whose slope lies between min(b, 1) and max(b, 1), from the n at which the logits at r alone
// make up the rest: above the root.
template <class T>
long double gap_of_rest(const EntmaxLaw& law, const T* logits, std::size_t count, T lowest, long double rest) noexcept {
  const Powers<few_bits> powers(law);
  const long double b = static_cast<long double>(law.denominator) / static_cast<long double>(law.above);
  const auto ties = static_cast<long double>(std::count(logits, logits + count, lowest));
  long double n = std::pow(rest / ties, 1 / b) * b * static_cast<long double>(law.temperature);
  for (int step = 0; step < 100; ++step) {
    const Growth at = growth(law, powers, logits, count, lowest, n);
    const long double move = std::log(at.value / rest) * at.value / at.slope;
    n *= std::exp(-move);
    if (std::abs(move) < 0x1p-40L) break;  // b times its square is left of it
  }
  return n;
}

template RestOfSum rest_of_sum<float>(const EntmaxLaw&, const float*, std::size_t, float) noexcept;
template RestOfSum rest_of_sum<double>(const EntmaxLaw&, const double*, std::size_t, double) noexcept;
template long double gap_of_rest<float>(const EntmaxLaw&, const float*, std::size_t, float, long double) noexcept;
template long double gap_of_rest<double>(const EntmaxLaw&, const double*, std::size_t, double, long double) noexcept;

}  // namespace attncert
