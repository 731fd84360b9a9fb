#include "src/normalizers/sparse/entmax_rest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace attncert {
namespace {

// 1216 bits tell a rest of 2^-1074, the smallest there is at T = 1 where one logit stands above: {b T, 2^-1074}; 2304
// the same of any T. Rows that are on their threshold exactly ask for them, too, hence no more terms than these.
constexpr int many_bits = 1216, most_bits = 2304;
constexpr std::size_t terms_of_many = 16, terms_of_most = 4;

// The logits above x, each once with its number if they are few; else as they come, once for equal ones that follow
// each other.
template <class T>
class Above {
 public:
  Above(const T* logits, std::size_t count, T x) noexcept : logits_(logits), count_(count), x_(x) {
    for (std::size_t j = 0; j < count; ++j) {
      ties_ += logits[j] == x;
      if (!(logits[j] > x)) continue;
      ++size_;
      if (!few()) continue;
      const auto end = values_.begin() + static_cast<std::ptrdiff_t>(different_);
      const auto at = static_cast<std::size_t>(std::find(values_.begin(), end, logits[j]) - values_.begin());
      if (at == different_ && ++different_ > terms_of_many) continue;
      values_[at] = logits[j];
      ++times_[at];
    }
  }

  std::size_t size() const noexcept { return size_; }
  std::size_t ties() const noexcept { return ties_; }  // at x
  std::size_t different() const noexcept { return different_; }
  bool few() const noexcept { return different_ <= terms_of_many; }

  // use(z - x, how often)
  template <class Use>
  void each(const Use& use) const noexcept {
    if (few()) {
      for (std::size_t k = 0; k < different_; ++k) use(rise(values_[k]), times_[k]);
      return;
    }
    for (std::size_t j = 0; j < count_;) {
      std::size_t end = j + 1;
      while (end < count_ && logits_[end] == logits_[j]) ++end;
      if (logits_[j] > x_) use(rise(logits_[j]), end - j);
      j = end;
    }
  }

 private:
  LongPair rise(T z) const noexcept { return exact_sum(static_cast<long double>(z), -static_cast<long double>(x_)); }

  const T* logits_;
  std::size_t count_;
  T x_;
  std::size_t size_ = 0, ties_ = 0, different_ = 0;
  std::array<T, terms_of_many> values_{};
  std::array<std::size_t, terms_of_many> times_{};
};

// 1 - sum over z_j > x of (a (z_j - x + n))^b.
template <int kBits, class T>
FixedPoint<kBits> rest_at(const Powers<kBits>& powers, const Above<T>& above, const LongPair& n) noexcept {
  FixedPoint<kBits> rest(1);
  above.each([&](const LongPair& e, std::size_t times) {
    rest += powers.of({e.high, e.low, n.high, n.low}).times(FixedPoint<kBits>(times)).negated();
  });
  return rest;
}

// The four logarithms are off by 2^(4 - kBits) each, b times as much the exponent, and 2^(10 - kBits) what is made of
// it.
template <int kBits, class T>
RestOfSum rest_in(const EntmaxLaw& law, const Above<T>& above) noexcept {
  const auto terms = static_cast<long double>(above.size() + above.ties());
  return {rest_at<kBits>(Powers<kBits>(law), above, LongPair{0, 0}).pair(),
          std::ldexp(terms * (4 * law.exponent() + 65), 4 - kBits), kBits};
}

// D(n) = sum over z_j > r of (a (e_j + n))^b - (a e_j)^b, and k (a n)^b of the k logits at r: a sum of positive terms,
// so that no n is too small for it. In long double, off by what its powers are: b 2^-50 at most.
struct Growth {
  long double value = 0, slope = 0;  // D(n), n D'(n)
};

template <class T>
class Growing {
 public:
  Growing(const EntmaxLaw& law, const Above<T>& above) noexcept
      : above_(above),
        ties_(static_cast<long double>(above.ties())),
        b_(law.exponent()),
        reach_(b_ * static_cast<long double>(law.temperature)) {}

  // Not below the root of D(n) = rest: where the logits at r alone make it up, and, D being convex for b >= 1, where
  // its tangent at 0 does.
  long double above_root(long double rest) const noexcept {
    const long double alone = reach_ * std::pow(rest / ties_, 1 / b_);
    if (b_ < 1) return alone;
    long double slope = 0;
    each([&](long double e, long double power, long double) { slope += b_ * power / e; });
    return slope > 0 ? std::min(alone, rest / slope) : alone;
  }
  // Not above it: b < 1, where no term grows faster than (a n)^b; else 0.
  long double below_root(long double rest) const noexcept {
    if (b_ >= 1) return 0;
    const long double alone = reach_ * std::pow(rest / (ties_ + static_cast<long double>(above_.size())), 1 / b_);
    return std::max(alone, std::numeric_limits<long double>::min());
  }

  // By log1p and expm1; beyond e a power is far from that of e, and beyond e^1000 neither is of use.
  Growth at(long double n) const noexcept {
    const long double at_lowest = ties_ * std::pow(n / reach_, b_);
    LongPair value{at_lowest, 0};
    long double slope = b_ * at_lowest;
    each([&](long double e, long double power, long double times) {
      const long double ratio = b_ * std::log1p(n / e);
      const bool far = n > e || ratio > 1000;
      const long double more = far ? times * std::pow((e + n) / reach_, b_) - power : power * std::expm1(ratio);
      value = add(value, {more, 0});
      slope += b_ * (power + more) * n / (e + n);
    });
    return {value.high, slope};
  }

 private:
  // use(e, the powers of all that are as far above r, how many these are)
  template <class Use>
  void each(const Use& use) const noexcept {
    above_.each([&](const LongPair& e, std::size_t times) {
      const auto number = static_cast<long double>(times);
      use(e.high, number * std::pow(e.high / reach_, b_), number);
    });
  }

  const Above<T>& above_;
  long double ties_, b_, reach_;  // reach = 1 / a
};

// D(n) = rest within 2^-40 of n (b 2^-46 where powers are off by more), by Newton's steps on ln D over ln n. Its slope
// there lies between min(b, 1) and max(b, 1); for b < 1 it falls and rises again, so that a step may lead away: then,
// and where steps do not shrink, the middle of the bracket.
template <class T>
long double rough_gap(const Growing<T>& growing, long double b, long double rest) noexcept {
  const long double close = std::max(0x1p-40L, b * 0x1p-46L);
  long double low = growing.below_root(rest), high = growing.above_root(rest), n = high;
  long double before = std::numeric_limits<long double>::infinity();
  for (int step = 0; step < 200; ++step) {
    const Growth here = growing.at(n);
    if (!(here.value > 0 && here.slope > 0)) break;  // beyond the range of long double
    const long double move = std::log(here.value / rest) * here.value / here.slope;
    if (!(std::abs(move) >= close)) return n * std::exp(-move);
    (move > 0 ? high : low) = n;
    const long double next = n * std::exp(-move);
    const bool leads = next > low && next < high && std::abs(move) < before / 2;
    before = leads || low == 0 ? std::abs(move) : std::numeric_limits<long double>::infinity();
    n = leads || low == 0 ? next : std::sqrt(low) * std::sqrt(high);
  }
  return std::numeric_limits<long double>::quiet_NaN();
}

// Newton's steps on D itself, 1 less all powers, in as many digits as the rest was told in.
template <int kBits, class T>
LongPair refined(const EntmaxLaw& law, const Above<T>& above, long double start, long double slope) noexcept {
  const Powers<kBits> powers(law);
  const FixedPoint<kBits> ties(above.ties());
  LongPair n{start, 0};
  for (int step = 0; step < 6; ++step) {
    FixedPoint<kBits> missing = rest_at<kBits>(powers, above, n);
    missing += powers.of({n.high, n.low}).times(ties).negated();
    const long double part = missing.pair().high / slope;
    if (!(std::abs(part) < 0x1p-10L)) break;
    n = add(n, {part * n.high, 0});
    if ((law.exponent() + 1) * part * part < 0x1p-100L && std::abs(part) < 0x1p-60L) return n;
  }
  return {std::numeric_limits<long double>::quiet_NaN(), 0};
}

}  // namespace

template <class T>
RestOfSum rest_of_sum(const EntmaxLaw& law, const T* logits, std::size_t count, T x, double demand) noexcept {
  const Above<T> above(logits, count, x);
  const auto enough = [demand](const RestOfSum& rest) { return std::abs(rest.value.high) > rest.error * demand; };
  RestOfSum rest = rest_in<few_bits>(law, above);
  if (!enough(rest) && above.different() <= terms_of_many) rest = rest_in<many_bits>(law, above);
  if (!enough(rest) && above.different() <= terms_of_most) rest = rest_in<most_bits>(law, above);
  return rest;
}

template <class T>
LongPair gap_of_rest(const EntmaxLaw& law, const T* logits, std::size_t count, T lowest,
                     const RestOfSum& rest) noexcept {
  const Above<T> above(logits, count, lowest);
  const Growing<T> growing(law, above);
  const long double start = rough_gap(growing, law.exponent(), rest.value.high);
  const long double slope = std::isfinite(start) && start > 0 ? growing.at(start).slope : 0;
  if (!(slope > 0)) return {std::numeric_limits<long double>::quiet_NaN(), 0};
  return rest.bits == few_bits    ? refined<few_bits>(law, above, start, slope)
         : rest.bits == many_bits ? refined<many_bits>(law, above, start, slope)
                                  : refined<most_bits>(law, above, start, slope);
}

template RestOfSum rest_of_sum<float>(const EntmaxLaw&, const float*, std::size_t, float, double) noexcept;
template RestOfSum rest_of_sum<double>(const EntmaxLaw&, const double*, std::size_t, double, double) noexcept;
template LongPair gap_of_rest<float>(const EntmaxLaw&, const float*, std::size_t, float, const RestOfSum&) noexcept;
template LongPair gap_of_rest<double>(const EntmaxLaw&, const double*, std::size_t, double, const RestOfSum&) noexcept;

}  // namespace attncert
