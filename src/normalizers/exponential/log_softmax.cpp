// log-softmax: y_i = (z_i - max) / T - log(c + R), c the number of largest logits, R the sum of exp((z_j - max) / T)
// over the others. Both terms are negative or zero, so nothing cancels; and for c = 1 the last is log1p(R), which keeps
// its digits where the row is peaked and y of the largest nears 0.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/log_softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/exp-inl.h"
#include "src/normalizers/exponential/log_softmax_short-inl.h"
#include "src/normalizers/exponential/softmax_drain-inl.h"
#include "src/normalizers/exponential/softmax_long-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// The exponentials of all logits but the largest ones, which are counted.
template <class D, class Exp>
class Rest {
 public:
  HWY_INLINE Rest(D d, const Exp& exp, Lane<D> largest) : exp_(exp), largest_(hn::Set(d, largest)) {}

  // The sum from `from` to `length`, at most 4096 elements (softmax: docs/budgets.md). `beside` is called before each
  // group of four vectors.
  template <class Beside>
  HWY_INLINE DoubleSum scan(D d, const Lane<D>* x, std::size_t from, std::size_t length, Beside& beside) {
    const std::size_t lanes = hn::Lanes(d);
    CompensatedSum<D> sum(d);
    std::size_t i = from;
    for (; i + 4 * lanes <= length; i += 4 * lanes) {
      beside(i);
      hn::Vec<D> v[4];
      for (std::size_t k = 0; k < 4; ++k) v[k] = hn::LoadU(d, x + i + k * lanes);
      const auto most = hn::Max(hn::Max(v[0], v[1]), hn::Max(v[2], v[3]));
      exp_.all(v);
      if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Eq(most, largest_)))) {
        for (std::size_t k = 0; k < 4; ++k) {
          const auto is_largest = hn::Eq(hn::LoadU(d, x + i + k * lanes), largest_);
          count_ += hn::CountTrue(d, is_largest);
          v[k] = hn::IfThenZeroElse(is_largest, v[k]);
        }
      }
      sum.add(hn::Add(hn::Add(v[0], v[1]), hn::Add(v[2], v[3])));
    }
    for (; i + lanes <= length; i += lanes) sum.add(one(d, hn::LoadU(d, x + i)));
    if (i < length) {  // the absent lanes must add nothing here: the sum may be as small as they are
      const auto present = hn::FirstN(d, length - i);
      sum.add(hn::IfThenElseZero(present, one(d, load_tail(d, x + i, length - i))));
    }
    return add_lanes(d, sum);
  }

  std::size_t count() const { return count_; }

 private:
  HWY_INLINE hn::Vec<D> one(D d, hn::Vec<D> x) {
    const auto is_largest = hn::Eq(x, largest_);
    count_ += hn::CountTrue(d, is_largest);
    return hn::IfThenZeroElse(is_largest, exp_(x));
  }

  const Exp& exp_;
  hn::Vec<D> largest_;
  std::size_t count_ = 0;
};

// exp of the largest logit in the units of RowExp: f32 takes it in double, so that only R carries an error of f32.
HWY_INLINE double peak_exponential(const Scale<float>& scale, const RowShift<float>& shift, float largest, float) {
  const double n = static_cast<double>(0x1.8p23f + 127.0f) - static_cast<double>(shift.magic);  // -N
  const double peak =
      shift.subtract != 0 || !shift.unit
          ? (static_cast<double>(largest) * static_cast<double>(scale.down) - static_cast<double>(shift.subtract)) *
                static_cast<double>(scale.up) / scale.exact_temperature
          : static_cast<double>(largest);
  return std::ldexp(std::exp(peak), -static_cast<int>(n));
}

HWY_INLINE double peak_exponential(const Scale<double>&, const RowShift<double>&, double, double computed) {
  return computed;
}

// log(count + rest / peak) >= 0; NaN when a logit is.
template <class D, class Exp, class T = Lane<D>>
HWY_INLINE double log_of_sum(D d, const Exp& exp, const Scale<T>& scale, const RowShift<T>& shift, T largest,
                             std::size_t count, const DoubleSum& rest) {
  if constexpr (sizeof(T) == 4) {
    if (HWY_LIKELY(shift.near)) {  // without the calls of the C library, which take longer than 256 exponentials
      const hn::CappedTag<double, 1> one;
      const auto n = hn::Set(one, (0x1.8p23 + FormatLimits<float>::largest + FormatLimits<float>::headroom) -
                                      static_cast<double>(shift.magic));
      const auto peak = lifted_exp(one, n, hn::Set(one, static_cast<double>(largest)), scale.given);
      return hn::GetLane(
          log_of_ratio(one, hn::Set(one, static_cast<double>(count)), peak, hn::Set(one, rest.high + rest.low)));
    }
  }
  const T peak = hn::GetLane(exp(hn::Set(d, largest)));
  const double r = (rest.high + rest.low) / peak_exponential(scale, shift, largest, peak);
  return count <= 1 ? std::log1p(r) : std::log1p(static_cast<double>(count - 1) + r);
}

constexpr std::size_t kScanned = 4096;

// log(sum_j exp((z_j - max) / T)).
template <class D, class Exp, class Beside, class T = Lane<D>>
HWY_INLINE double log_sum(D d, const Exp& exp, const Scale<T>& scale, const RowShift<T>& shift, T largest, const T* x,
                          std::size_t length, Beside& beside) {
  Rest<D, Exp> rest(d, exp, largest);
  DoubleSum sum;
  for (std::size_t from = 0; from < length; from += kScanned) {
    sum.add(rest.scan(d, x, from, std::min(from + kScanned, length), beside));
  }
  return log_of_sum(d, exp, scale, shift, largest, rest.count(), sum);
}

template <class T>
HWY_NOINLINE double log_sum(const Scale<T>& scale, const RowShift<T>& shift, T largest, const T* x,
                            std::size_t length) {
  const hn::ScalableTag<T> d;
  Nothing nothing;
  return with_exp(d, scale, shift,
                  [&](const auto& exp) HWY_ATTR { return log_sum(d, exp, scale, shift, largest, x, length, nothing); });
}

// y = (x - max) / T - log_sum at any T and any distance.
template <class D, class T = Lane<D>>
HWY_INLINE void subtract(D d, const Scale<T>& scale, T largest, T log_sum, const T* x, T* y, std::size_t length) {
  // Half of (x - max) down up: the whole is up to twice the result, and would overflow where the result is finite; for
  // T >= 1 the difference alone does, which is halved there: a bit lost at the end of the format is nothing beside the
  // logarithm. Below 1 it overflows no earlier than the result, and may need that bit.
  const T half = scale.up > 1 ? T(1) : T(0.5);
  const auto down = hn::Set(d, scale.down * half), half_up = hn::Set(d, scale.up * (T(0.5) / half)),
             peak = hn::Set(d, largest * (scale.down * half));
  const auto inverse = hn::Set(d, 2 * scale.inverse), log = hn::Set(d, log_sum);
  const auto one = [&](hn::Vec<D> v)
                       HWY_ATTR { return hn::MulSub(hn::Mul(hn::Sub(hn::Mul(v, down), peak), half_up), inverse, log); };
  multiply(d, Stored<T>{x}, y, 0, length, one);
}

// Temperatures so small (f32 only) that weights are 0 or shares of 1, while (x - max) / T may still be finite.
template <class T>
void subtract_in_double(double temperature, T largest, double log_sum, const T* x, T* y, std::size_t length) {
  constexpr double most = std::numeric_limits<T>::max(), infinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < length; ++i) {
    const double value = (static_cast<double>(x[i]) - static_cast<double>(largest)) / temperature - log_sum;
    y[i] = static_cast<T>(value < -most ? -infinity : value);
  }
}

// A row whose results wait: y = (x - largest) / T - log.
template <class T>
struct PendingLog {
  const T* x = nullptr;
  T* y = nullptr;  // null: none
  T largest = 0, log = 0;
};

// What waits after the row, of which log is known: nothing where the row is written already.
template <class D, class T = Lane<D>>
HWY_INLINE PendingLog<T> log_softmax_row(D d, const Batch<T>& batch, const RowShift<T>& shift, T largest, double log,
                                         const T* x, T* y) {
  const Scale<T>& scale = batch.scale;
  if (log != log) {
    fill(y, batch.length, std::numeric_limits<T>::quiet_NaN());
  } else if (batch.temperature < scale.given) {
    subtract_in_double(batch.temperature, largest, log, x, y, batch.length);
  } else if (scale.unit || shift.near) {
    return {x, y, largest, static_cast<T>(log)};
  } else {
    subtract(d, scale, largest, static_cast<T>(log), x, y, batch.length);
  }
  return {};
}

// False when the row is written already.
template <class D, class T = Lane<D>>
HWY_INLINE bool finite_largest(D d, const T* x, T* y, std::size_t length, T& largest) {
  largest = row_largest(d, x, length);
  if (HWY_LIKELY(is_finite(largest))) return true;
  constexpr T none = -std::numeric_limits<T>::infinity();
  write_degenerate_row(
      x, y, length, none, +[](double count) { return count > 1 ? -std::log(count) : 0.0; });
  return false;
}

// One row, its results and all.
template <bool kUnit, class D, class T = Lane<D>>
HWY_NOINLINE void log_softmax_alone(D d, const Batch<T>& batch, const T* x, T* y) {
  T largest;
  if (!finite_largest(d, x, y, batch.length, largest)) return;
  const RowShift<T> shift = row_shift(batch.scale, largest);
  const double log = log_sum(batch.scale, shift, largest, x, batch.length);
  const PendingLog<T> row = log_softmax_row(d, batch, shift, largest, log, x, y);
  if (row.y == nullptr) return;
  multiply(d, Stored<T>{x}, y, 0, batch.length, LogOf<D, kUnit>(d, batch.scale, largest, row.log));
}

// The results of a row are stored while the exponentials of the next one are computed: they wait for nothing, and the
// logarithm for nobody.
template <bool kUnit, bool kPast, class D, class T = Lane<D>>
HWY_INLINE void log_softmax_pipeline(D d, const Batch<T>& batch) {
  using Of = LogOf<D, kUnit>;
  PendingLog<T> pending;
  for (std::size_t r = 0; r < batch.rows; ++r) {
    const T* x = batch.input + r * batch.input_stride;
    T* y = batch.output + r * batch.output_stride;
    T largest;
    if (!finite_largest(d, x, y, batch.length, largest)) continue;
    const Of of(d, batch.scale, pending.largest, pending.log);
    const T* next = r + 1 < batch.rows ? batch.input + (r + 1) * batch.input_stride : x;
    Drain<D, Of, kPast> drain(d, pending.x, pending.y, of, next, pending.y == nullptr ? 0 : batch.length);
    const RowShift<T> shift = row_shift(batch.scale, largest);
    const double log = HWY_LIKELY(kUnit ? shift.unit : shift.near)
                           ? log_sum(d, RowExp<D, exp_form(kUnit)>(d, batch.scale, shift), batch.scale, shift, largest,
                                     x, batch.length, drain)
                           : log_sum(batch.scale, shift, largest, x, batch.length);
    drain.finish();
    pending = log_softmax_row(d, batch, shift, largest, log, x, y);
  }
  if (pending.y != nullptr) {
    const Of of(d, batch.scale, pending.largest, pending.log);
    multiply(d, Stored<T>{pending.x}, pending.y, 0, batch.length, of);
  }
  if (kPast) hwy::FlushStream();
}

// Logits fetched ahead of their use.
template <class T>
struct Fetched : Stored<T> {
  std::size_t length;
  HWY_INLINE void fetch(std::size_t i, std::size_t count) const { fetch_ahead(this->e, i, count, length); }
};

// A row that does not stay in cache: the largest logit so far and the sum beside it, block by block, in one pass (as
// softmax_long-inl.h); results past the caches. False when nothing was written: rows that need more care.
template <bool kUnit, class D, class T = Lane<D>>
HWY_INLINE bool log_softmax_long(D d, const Batch<T>& batch, const T* x, T* y) {
  using Exp = RowExp<D, exp_form(kUnit)>;
  const Scale<T>& scale = batch.scale;
  RunningSum<T> running(scale, row_largest(d, x, std::min(kScanned, batch.length)));
  if (!is_finite(running.largest()) || !running.shift().near) return false;
  std::size_t count = 0;  // of the largest logits so far
  FetchAhead<T> ahead{x, 4 * hn::Lanes(d), batch.length};
  for (std::size_t i = 0; i < batch.length; i += kScanned) {
    const std::size_t to = std::min(i + kScanned, batch.length);
    const T block = row_largest(d, x + i, to - i), largest = running.largest();
    if (block > std::numeric_limits<T>::max()) return false;
    if (block > largest) {
      const T peak = hn::GetLane(Exp(d, scale, running.shift())(hn::Set(d, largest)));
      const double before = peak_exponential(scale, running.shift(), largest, peak);
      const double number = static_cast<double>(std::exchange(count, 0));
      running.add({number * before, std::fma(number, before, -(number * before))});
      if (!running.raise(block)) return false;
    }
    const Exp exp(d, scale, running.shift());
    Rest<D, Exp> rest(d, exp, running.largest());
    running.add(rest.scan(d, x, i, to, ahead));
    count += rest.count();
  }
  const Exp exp(d, scale, running.shift());
  const double log = log_of_sum(d, exp, scale, running.shift(), running.largest(), count, running.sum());
  if (log != log) {  // which NaN a sum of two gives is the compiler's choice, in one loop and in another
    fill(y, batch.length, std::numeric_limits<T>::quiet_NaN());
    return true;
  }
  const LogOf<D, kUnit> of(d, scale, running.largest(), static_cast<T>(log));
  multiply_past_caches(d, Fetched<T>{{x}, batch.length}, y, batch.length, of);
  return true;
}

template <bool kUnit, class D, class T = Lane<D>>
HWY_INLINE void log_softmax_long_rows(D d, const Batch<T>& batch) {
  for (std::size_t r = 0; r < batch.rows; ++r) {
    const T* x = batch.input + r * batch.input_stride;
    T* y = batch.output + r * batch.output_stride;
    if (!log_softmax_long<kUnit>(d, batch, x, y)) log_softmax_alone<kUnit>(d, batch, x, y);
  }
  hwy::FlushStream();
}

template <bool kUnit, class T>
HWY_INLINE void log_softmax_rows(const Batch<T>& batch) {
  const hn::ScalableTag<T> d;
  if (is_long<T>(batch.length)) return log_softmax_long_rows<kUnit>(d, batch);
  if (beyond_caches<T>(batch.rows, batch.length)) {
    return log_softmax_pipeline<kUnit, true>(d, batch);
  }
  if (HWY_TARGET <= HWY_AVX3) return log_softmax_pipeline<kUnit, false>(d, batch);  // others lack the registers
  for (std::size_t r = 0; r < batch.rows; ++r) {
    log_softmax_alone<kUnit>(d, batch, batch.input + r * batch.input_stride, batch.output + r * batch.output_stride);
  }
}

template <class T>
void log_softmax(const Batch<T>& batch) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  if constexpr (sizeof(T) == 4) {
    constexpr std::size_t in_blocks = 512;  // a longer row keeps the machine busy alone
    if (batch.length <= in_blocks && batch.scale.near) {
      const hn::ScalableTag<T> d;
      return log_softmax_short(d, batch, [&](const T* x, T* y) HWY_ATTR {
        batch.scale.unit ? log_softmax_alone<true>(d, batch, x, y) : log_softmax_alone<false>(d, batch, x, y);
      });
    }
  }
#endif
  batch.scale.unit ? log_softmax_rows<true>(batch) : log_softmax_rows<false>(batch);
}
ATTNCERT_FORMS(log_softmax)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budget and campaign tolerance: docs/budgets.md.
ATTNCERT_KERNEL(log_softmax, "log-softmax", PlainEntry,
                (Budget{.unit = 5.2, .other = 6, .tolerance_unit = 4, .tolerance_other = 4}),
                (Budget{.unit = 8.9, .other = 10.5, .tolerance_unit = 4, .tolerance_other = 4}))
#endif  // HWY_ONCE
