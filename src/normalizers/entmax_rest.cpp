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

  Number of(LongPair w) const noexcept { return exp2_of(log2_of_power(w)); }
  // With all the bits of long double, where `of` has those down to 2^-kBits.
  long double rounded(LongPair w) const noexcept {
    const Number log = log2_of_power(w);
    return std::ldexp(exp2_of(log.fraction()).rounded(), static_cast<int>(log.floor()));
  }

 private:
  // b log2(a w), cut off where a power is nothing, and where it is more than any sum that is asked about.
  Number log2_of_power(LongPair w) const noexcept {
    constexpr long double least = -0x1p20L, most = 62;
    Number log = log2_of<kBits>(w.high, w.low);
    log += rate_;
    const bool below_one = log.negative();
    const Number size = Number(law_.denominator).times(below_one ? log.negated() : log).over(law_.above);
    Number cut;
    cut.add(below_one ? least : most);
    if (size.rounded() > (below_one ? -least : most)) return cut;
    return below_one ? size.negated() : size;
  }

  const EntmaxLaw& law_;
  Number rate_;
};

template <class T>
LongPair rise(T z, T x) noexcept {
  return exact_sum(static_cast<long double>(z), -static_cast<long double>(x));
}

// D(n) = sum over z_j > r of (a (e_j + n))^b - (a e_j)^b, and k (a n)^b of the k logits at r: a sum of positive terms, so that no
// n is too small for it.
struct Growth {
  long double value = 0, slope = 0;  // D(n), n D'(n)
};

template <class T>
class Growing {
 public:
  Growing(const EntmaxLaw& law, const T* logits, std::size_t count, T lowest) noexcept
      : powers_(law),
        logits_(logits),
        count_(count),
        lowest_(lowest),
        b_(static_cast<long double>(law.denominator) / static_cast<long double>(law.above)),
        reach_(b_ * static_cast<long double>(law.temperature)) {}

  // Not below the root of D(n) = rest: where the logits at r alone make it up, and, D being convex for b >= 1, where its tangent
  // at 0 does.
  long double above_root(long double rest) const noexcept {
    const auto ties = static_cast<long double>(std::count(logits_, logits_ + count_, lowest_));
    const long double alone = reach_ * std::pow(rest / ties, 1 / b_);
    if (b_ < 1) return alone;
    long double slope = 0;
    each([&](LongPair e, long double power) { slope += b_ * power / e.high; });
    return slope > 0 ? std::min(alone, rest / slope) : alone;
  }

  // By log1p and expm1; beyond e a power is far from that of e, and beyond e^1000 neither is of use.
  Growth at(long double n) const noexcept {
    const auto ties = static_cast<long double>(std::count(logits_, logits_ + count_, lowest_));
    const long double at_lowest = ties * std::pow(n / reach_, b_);
    LongPair value{at_lowest, 0};
    long double slope = b_ * at_lowest;
    each([&](LongPair e, long double power) {
      const long double ratio = b_ * std::log1p(n / e.high);
      const bool far = n > e.high || ratio > 1000;
      const long double more = far ? std::pow((e.high + n) / reach_, b_) - power : power * std::expm1(ratio);
      value = add(value, {more, 0});
      slope += b_ * (power + more) * n / (e.high + n);
    });
    return {value.high, slope};
  }

 private:
  // The rises above r and their powers; a power is not taken twice in a row.
  template <class Use>
  void each(const Use& use) const noexcept {
    T last = lowest_;
    LongPair e{0, 0};
    long double power = 0;
    for (std::size_t j = 0; j < count_; ++j) {
      if (!(logits_[j] > lowest_)) continue;
      if (logits_[j] != last) {
        last = logits_[j];
        e = rise(last, lowest_);
        power = powers_.rounded(e);
      }
      use(e, power);
    }
  }

  Powers<few_bits> powers_;
  const T* logits_;
  std::size_t count_;
  T lowest_;
  long double b_, reach_;  // reach = 1 / a
};

// The four logarithms are off by 2^(4 - kBits) each, b times as much the exponent, and 2^(8 - kBits) what is made of it.
template <int kBits, class T>
RestOfSum rest_in(const EntmaxLaw& law, const T* logits, std::size_t count, T x) noexcept {
  const Powers<kBits> powers(law);
  FixedPoint<kBits> rest(1), power;
  T last = x;
  long double terms = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (!(logits[j] > x)) continue;
    if (logits[j] != last) {
      last = logits[j];
      power = powers.of(rise(last, x)).negated();
    }
    rest += power;
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

// Newton's steps on ln D over ln n, whose slope lies between min(b, 1) and max(b, 1).
template <class T>
long double gap_of_rest(const EntmaxLaw& law, const T* logits, std::size_t count, T lowest, long double rest) noexcept {
  const Growing<T> growing(law, logits, count, lowest);
  long double n = growing.above_root(rest);
  for (int step = 0; step < 100; ++step) {
    const Growth here = growing.at(n);
    const long double move = std::log(here.value / rest) * here.value / here.slope;
    n *= std::exp(-move);
    if (!(std::abs(move) >= 0x1p-40L)) break;  // b times its square is left of it
  }
  return n;
}

template RestOfSum rest_of_sum<float>(const EntmaxLaw&, const float*, std::size_t, float) noexcept;
template RestOfSum rest_of_sum<double>(const EntmaxLaw&, const double*, std::size_t, double) noexcept;
template long double gap_of_rest<float>(const EntmaxLaw&, const float*, std::size_t, float, long double) noexcept;
template long double gap_of_rest<double>(const EntmaxLaw&, const double*, std::size_t, double, long double) noexcept;

}  // namespace attncert
