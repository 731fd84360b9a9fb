// The numbers that derivatives are computed in: vectors of double for f32 rows, long double for f64 rows. Both leave
// the format of the row 29 and 11 bits, and range enough that |g| at its largest, weights of e^-300 (f32) or e^-2200
// (f64) and any 1 / T meet in one product without loss: so the one rounding that counts is the last one.
#if defined(ATTNCERT_NORMALIZERS_VJP_NUMBER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_VJP_NUMBER_INL_H
#undef ATTNCERT_NORMALIZERS_VJP_NUMBER_INL_H
#else
#define ATTNCERT_NORMALIZERS_VJP_NUMBER_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/vjp_rate.hpp"
#include "src/normalizers/exponential/exp-inl.h"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace vjp {

template <class T>
struct Numbers;

// f32.
template <>
struct Numbers<float> {
  using D = hn::ScalableTag<double>;
  using Number = hn::Vec<D>;
  using Choice = hn::Mask<D>;
  using Scalar = double;

  static HWY_INLINE std::size_t lanes() { return hn::Lanes(D()); }
  static HWY_INLINE Number set(double value) { return hn::Set(D(), value); }
  static HWY_INLINE Number first(double value) { return hn::IfThenElseZero(hn::FirstN(D(), 1), set(value)); }
  static HWY_INLINE double scalar(Number v) { return hn::GetLane(v); }
  static HWY_INLINE Number smaller(Number a, Number b) { return hn::Min(a, b); }
  static HWY_INLINE Number larger(Number a, Number b) { return hn::Max(a, b); }
  static HWY_INLINE Choice above(Number a, Number b) { return hn::Gt(a, b); }
  static HWY_INLINE Choice equal(Number a, Number b) { return hn::Eq(a, b); }
  static HWY_INLINE Number where(Choice choice, Number v) { return hn::IfThenElseZero(choice, v); }
  static HWY_INLINE Number choose(Choice choice, Number yes, Number no) { return hn::IfThenElse(choice, yes, no); }
  static HWY_INLINE Number size(Number v) { return hn::Abs(v); }

  // -inf beyond `count`.
  static HWY_INLINE Number load(const float* x, std::size_t count) {
    const hn::Rebind<float, D> narrow;
    if (HWY_LIKELY(count >= lanes())) return hn::PromoteTo(D(), hn::LoadU(narrow, x));
    HWY_ALIGN float buffer[HWY_MAX_BYTES / sizeof(double)];
    std::fill(buffer, buffer + lanes(), -std::numeric_limits<float>::infinity());
    std::memcpy(buffer, x, count * sizeof(float));
    return hn::PromoteTo(D(), hn::Load(narrow, buffer));
  }

  static HWY_INLINE void store(Number v, float* y, std::size_t count) {
    HWY_ALIGN float buffer[HWY_MAX_BYTES / sizeof(double)];
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128  // their DemoteTo turns infinity into the largest float
    HWY_ALIGN double wide[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(v, D(), wide);
    for (std::size_t i = 0; i < lanes(); ++i) buffer[i] = static_cast<float>(wide[i]);
#else
    const hn::Rebind<float, D> narrow;
    if (HWY_LIKELY(count >= lanes())) return hn::StoreU(hn::DemoteTo(narrow, v), narrow, y);
    hn::Store(hn::DemoteTo(narrow, v), narrow, buffer);
#endif
    std::memcpy(y, buffer, std::min(count, lanes()) * sizeof(float));
  }

  class Sum {
   public:
    HWY_INLINE void add(Number v) { sum_.add(v); }
    HWY_INLINE double total() const {
      const DoubleSum lanes = add_lanes(D(), sum_);
      return lanes.high + lanes.low;
    }

   private:
    CompensatedSum<D> sum_{D()};
  };
};

// f64.
template <>
struct Numbers<double> {
  using Number = long double;
  using Choice = bool;
  using Scalar = long double;

  static std::size_t lanes() { return 1; }
  static Number set(long double value) { return value; }
  static Number first(long double value) { return value; }
  static long double scalar(Number v) { return v; }
  static Number smaller(Number a, Number b) { return a < b ? a : b; }
  static Number larger(Number a, Number b) { return a < b ? b : a; }
  static Choice above(Number a, Number b) { return a > b; }
  static Choice equal(Number a, Number b) { return a == b; }
  static Number where(Choice choice, Number v) { return choice ? v : 0; }
  static Number choose(Choice choice, Number yes, Number no) { return choice ? yes : no; }
  static Number size(Number v) { return std::abs(v); }
  static Number load(const double* x, std::size_t) { return static_cast<long double>(*x); }
  static void store(Number v, double* y, std::size_t) { *y = static_cast<double>(v); }

  class Sum {
   public:
    void add(Number v) {
      const Number total = high_ + v, part = total - high_;
      low_ += (high_ - (total - part)) + (v - part);
      high_ = total;
    }
    Number total() const { return high_ + low_; }

   private:
    Number high_ = 0, low_ = 0;
  };
};

// a + b = sum + lost, exactly.
template <class Number>
HWY_INLINE Number lost_by(Number a, Number b, Number sum) {
  const Number part = sum - a;
  return (a - (sum - part)) + (b - part);
}

// exp((x - origin) rho), 0 where it is too small to matter; made for arguments that are not positive.
template <class T>
class Exponential;

// f32: x - origin and rho each round at 2^-53, so the value errs by |argument| 2^-51.4 of itself, below 2^-42 down to
// e^-690; a floor that only rows without lower shares reach: e^-690 2^128 rho is below half of the smallest subnormal
// for rho < 2^160, and beyond that no difference of floats but 0 leaves a share above it.
template <>
class Exponential<float> {
 public:
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;

  HWY_INLINE Exponential(const Rate& rate, double origin)
      : rate_(hn::Set(D(), static_cast<double>(std::clamp(rate.head, -0x1p200L, 0x1p200L)))),
        origin_(hn::Set(D(), origin)) {}

  HWY_INLINE V operator()(V x) const { return of(hn::Mul(hn::Sub(x, origin_), rate_)); }

  static HWY_INLINE V of(V argument) {
    const D d;
    const auto lowest = hn::Set(d, -690.0);
    const auto v = hn::Max(argument, lowest);
    const auto magic = hn::Set(d, 0x1.8p52 + 1023);  // leaves n + bias in the low bits
    const auto shifted = hn::MulAdd(v, hn::Set(d, 0x1.71547652b82fep+0), magic);
    const auto n = hn::Sub(shifted, magic);
    // ln2 in two parts, the first with 20 zeros at its end: n times it is exact.
    const auto reduced = hn::NegMulAdd(n, hn::Set(d, 0x1.62e42fefp-1), v);
    const auto t = hn::NegMulAdd(n, hn::Set(d, 0x1.473de6af278edp-34), reduced);
    const hn::RebindToUnsigned<D> bits;
    const auto power = hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(bits, shifted)));
    return hn::IfThenElseZero(hn::Gt(argument, lowest), hn::Mul(exp_near_zero(d, t), power));
  }

 private:
  V rate_, origin_;
};

// f64: the argument as a sum of two long doubles, exp(head + tail) = exp(head) (1 + tail), so depth costs nothing.
template <>
class Exponential<double> {
 public:
  Exponential(const Rate& rate, long double origin) : rate_(rate), origin_(origin) {}

  long double operator()(long double x) const {
    const long double d = x - origin_, part = d - x;
    const long double lost = (x - (d - part)) - (origin_ + part);
    const LongPair argument = exact_product(d, rate_.head);
    const long double head = argument.high;
    if (!(head > -11000) || head == 0) return head == 0 ? 1 : 0;  // e^-11000 2^1024 2^2103 is nothing
    return std::exp(head) * (1 + (argument.low + (d * rate_.tail + lost * rate_.head)));
  }

 private:
  Rate rate_;
  long double origin_;
};

// Multiplies by rho without leaving the range of the numbers before the result does.
template <class T>
class Times;

template <>
class Times<float> {
 public:
  using D = hn::ScalableTag<double>;

  HWY_INLINE explicit Times(const Rate& rate) {
    int exponent = 0;
    fraction_ = static_cast<double>(std::frexp(rate.head, &exponent));
    const int first = std::clamp(exponent, -1000, 1000);
    first_ = std::ldexp(1.0, first);
    second_ = std::ldexp(1.0, std::clamp(exponent - first, -1000, 1000));
  }
  HWY_INLINE hn::Vec<D> operator()(hn::Vec<D> v) const {
    const D d;
    return hn::Mul(hn::Mul(hn::Mul(v, hn::Set(d, fraction_)), hn::Set(d, first_)), hn::Set(d, second_));
  }

 private:
  double fraction_, first_, second_;
};

template <>
class Times<double> {
 public:
  explicit Times(const Rate& rate) : rate_(rate.head) {}
  long double operator()(long double v) const { return v * rate_; }

 private:
  long double rate_;
};

}  // namespace vjp
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
