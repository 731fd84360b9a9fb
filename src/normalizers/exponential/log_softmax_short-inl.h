// log-softmax of f32 rows, block by block: reductions and logarithms of a block's rows share vectors, and while the
// exponentials of one block are computed, the results of the block before are stored: y = (x - max) / T - log needs
// nothing but x. A row gets the same bits whatever rows share its block.
#if defined(ATTNCERT_NORMALIZERS_LOG_SOFTMAX_SHORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_LOG_SOFTMAX_SHORT_INL_H
#undef ATTNCERT_NORMALIZERS_LOG_SOFTMAX_SHORT_INL_H
#else
#define ATTNCERT_NORMALIZERS_LOG_SOFTMAX_SHORT_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/exp_degree8.hpp"
#include "src/normalizers/exponential/short_sums-inl.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"
#include "src/normalizers/exponential/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// (x - max) / T - log of a row that need not subtract, T = 1 or far from the ends of the format. 1 / T is rounded: that
// errs by less than the logarithm does.
template <class D, bool kUnit>
class LogOf {
  using T = Lane<D>;
  using V = hn::Vec<D>;

 public:
  HWY_INLINE LogOf(D d, const Scale<T>& scale, T largest, T log)
      : peak_(hn::Set(d, largest)), log_(hn::Set(d, log)), inverse_(hn::Set(d, scale.near_inverse)) {}

  HWY_INLINE V operator()(V x) const {
    const V away = hn::Sub(x, peak_);
    return kUnit ? hn::Sub(away, log_) : hn::MulSub(away, inverse_, log_);
  }

 private:
  V peak_, log_, inverse_;
};

// log(c + r / p), for c >= 1 logits of exponential p and r the sum of the others': k ln2 + 2 atanh((q - 2^k
// p) / (q + 2^k p)), q = c p + r. k comes from the difference of the bits of q and p: 2/3 <= q / (2^k p) <= 3/2, and
// k = 0 below 4/3, where the numerator, (c - 2^k) p + r, cancels nothing. Error: docs/budgets.md.
template <class W>
HWY_INLINE hn::Vec<W> log_of_ratio(W w, hn::Vec<W> c, hn::Vec<W> p, hn::Vec<W> r) {
  const hn::RebindToUnsigned<W> bits;
  const auto one = hn::BitCast(bits, hn::Set(w, 1.0)), half_step = hn::Set(bits, std::uint64_t{1} << 51);
  const auto q = hn::MulAdd(c, p, r);
  const auto apart = hn::Add(hn::Sub(hn::BitCast(bits, q), hn::BitCast(bits, p)), half_step);
  const auto k = hn::ShiftRight<52>(apart), shift = hn::ShiftLeft<52>(k);
  const auto power = hn::BitCast(w, hn::Add(one, shift)), lifted = hn::BitCast(w, hn::Add(hn::BitCast(bits, p), shift));
  const auto s = hn::Div(hn::MulAdd(hn::Sub(c, power), p, r), hn::Add(q, lifted));
  const auto s2 = hn::Mul(s, s);
  auto series = hn::Set(w, 1.0 / 13);
  for (const double divisor : {11.0, 9.0, 7.0, 5.0, 3.0}) series = hn::MulAdd(series, s2, hn::Set(w, 1 / divisor));
  const auto integer = hn::BitCast(bits, hn::Set(w, 0x1p52));  // its last bits count
  const auto steps = hn::Sub(hn::BitCast(w, hn::Or(integer, k)), hn::Set(w, 0x1p52));
  const auto atanh = hn::MulAdd(hn::Mul(s, s2), series, s);
  return hn::MulAdd(steps, hn::Set(w, 0x1.62e42fefa39efp-1), hn::Add(atanh, atanh));
}

// exp(x / T) 2^(headroom - n), n = rint(x log2(e) / T): the units of RowExp.
template <class W>
HWY_INLINE hn::Vec<W> lifted_exp(W w, hn::Vec<W> n, hn::Vec<W> x, double temperature) {
  static_assert(FormatLimits<float>::headroom == 60);
  const auto t = hn::NegMulAdd(n, hn::Set(w, 0x1.62e42fefa39efp-1), hn::Mul(x, hn::Set(w, 1 / temperature)));
  auto e = hn::Set(w, kExpDegree8[6]);
  for (std::size_t k = 6; k-- > 0;) e = hn::MulAdd(e, t, hn::Set(w, kExpDegree8[k]));
  const auto one = hn::Set(w, 1.0);
  e = hn::MulAdd(hn::MulAdd(e, t, one), t, one);
  return hn::Mul(e, hn::Set(w, 0x1p60));
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// The sums of all lanes of as many rows as W has lanes, one vector each; in their order.
template <class W>
HWY_INLINE hn::Vec<W> sums_of_rows(W w, const double* rows) {
  const std::size_t lanes = hn::Lanes(w);
  hn::Vec<W> v[HWY_MAX_BYTES / sizeof(double)];
  for (std::size_t r = 0; r < lanes; ++r) v[r] = hn::Load(w, rows + short_place(r) * lanes);
#if HWY_TARGET <= HWY_AVX3
  return hn::OddEvenBlocks(four_sums(w, v + 4), four_sums(w, v));
#elif HWY_TARGET == HWY_AVX2
  return four_sums(w, v);
#else
  return pair_sums(w, v[0], v[1]);
#endif
}

constexpr std::size_t kLogRows = 16;  // of a block, at most; a multiple of the lanes of a vector of double

struct LogBlock {
  const float* x[kLogRows] = {};
  float* y[kLogRows] = {};
  HWY_ALIGN float largest[kLogRows] = {}, steps[kLogRows] = {}, floor[kLogRows] = {};  // steps: N of exp-inl.h
  HWY_ALIGN float log[kLogRows] = {};
  HWY_ALIGN std::int32_t count[kLogRows] = {};                            // of largest logits
  HWY_ALIGN double sums[kLogRows * HWY_MAX_BYTES / sizeof(double)] = {};  // of the others' exponentials, lane by lane
  std::size_t rows = 0;

  void add(const float* from, float* to) {
    x[rows] = from;
    y[rows++] = to;
  }
  // Row `from` in the place of row `to`.
  void move(std::size_t from, std::size_t to) {
    x[to] = x[from];
    y[to] = y[from];
    largest[to] = largest[from];
    steps[to] = steps[from];
    floor[to] = floor[from];
  }
};

// Rows of whole groups of four vectors and kVectors more, the last of which may be short. past: past the caches; rows
// are aligned and whole vectors long.
template <class D, std::size_t kVectors>
class LogPipe {
  using W = hn::Repartition<double, D>;

 public:
  LogPipe(const Scale<float>& scale, std::size_t length, bool past) : scale_(scale), length_(length), past_(past) {
    whole_ = (length - 1) / (4 * hn::Lanes(D())) * (4 * hn::Lanes(D()));
  }

  LogBlock& next() { return blocks_[which_]; }

  // The rows of next(); other(x, y) writes a row that must subtract or has no finite largest. ahead: a row to be
  // fetched beside each, or null. The results of these rows are stored by the next call: the last one is with no rows.
  template <class Other>
  HWY_NOINLINE void take(const float* ahead, std::size_t ahead_stride, const Other& other) {
    LogBlock &now = blocks_[which_], &before = blocks_[1 - which_];
    if (HWY_UNLIKELY(!shifts(now))) sort_out(now, other);
    if (scale_.unit) {
      past_ ? sum_and_subtract<true, true>(now, before, ahead, ahead_stride)
            : sum_and_subtract<true, false>(now, before, ahead, ahead_stride);
    } else {
      past_ ? sum_and_subtract<false, true>(now, before, ahead, ahead_stride)
            : sum_and_subtract<false, false>(now, before, ahead, ahead_stride);
    }
    before.rows = 0;
    const W w;
    for (std::size_t r = 0; r < now.rows; r += hn::Lanes(w)) logs(now, r);
    which_ = 1 - which_;
  }

 private:
  static HWY_INLINE float reach(const Scale<float>& scale) {
    return static_cast<float>(FormatLimits<float>::reach) * scale.near_temperature;
  }

  // The rows of `now`, and beside them the results of those of `before`.
  template <bool kUnit, bool kPast>
  HWY_NOINLINE void sum_and_subtract(LogBlock& now, const LogBlock& before, const float* ahead,
                                     std::size_t ahead_stride) const {
    for (std::size_t r = 0; r < now.rows; ++r) {
      sum<kUnit, kPast>(now, r, kPast && ahead != nullptr ? ahead + r * ahead_stride : now.x[r]);
      if (r < before.rows) subtract<kUnit, kPast>(before, r);
    }
    for (std::size_t r = now.rows; r < before.rows; ++r) subtract<kUnit, kPast>(before, r);
  }

  // Vector j of the last group.
  HWY_INLINE hn::Vec<D> load(const float* x, std::size_t j) const {
    const D d;
    const std::size_t i = whole_ + j * hn::Lanes(d);
    if (HWY_LIKELY(j + 1 < kVectors || i + hn::Lanes(d) == length_)) return hn::LoadU(d, x + i);
    return load_tail(d, x + i, std::min(length_ - i, hn::Lanes(d)));  // std::min only quiets a compiler's warning
  }

  HWY_INLINE hn::Vec<D> most(const float* x) const {
    const D d;
    auto largest = load(x, 0);
    for (std::size_t j = 1; j < kVectors; ++j) largest = hn::Max(largest, load(x, j));
    for (std::size_t i = 0; i < whole_; i += 4 * hn::Lanes(d)) {
      const auto a = hn::Max(hn::LoadU(d, x + i), hn::LoadU(d, x + i + hn::Lanes(d)));
      const auto b = hn::Max(hn::LoadU(d, x + i + 2 * hn::Lanes(d)), hn::LoadU(d, x + i + 3 * hn::Lanes(d)));
      largest = hn::Max(largest, hn::Max(a, b));
    }
    return largest;
  }

  // What the exponentials of the rows need; whether all rows can be served.
  HWY_INLINE bool shifts(LogBlock& block) const {
    const D d;
    const Scale<float> scale = scale_;  // a copy, which no store of floats can change: it stays in registers
    const auto most_of = hn::Set(d, reach(scale)), round_bit = hn::Set(d, 0x1.8p23f);
    const auto depth = hn::Set(d, static_cast<float>(FormatLimits<float>::depth) * scale.near_temperature);
    const auto rate = hn::Set(d, scale.near_rate);
    const hn::Full128<float> four;
    // Not x[r] = x[r - 1]: clang 19 at -O2 makes null pointers of that (fuzz/corpus/normalizer/log-softmax-batch).
    const float* const last = block.rows > 0 ? block.x[block.rows - 1] : nullptr;
    for (std::size_t r = block.rows; r % 4 != 0; ++r) block.x[r] = last;
    auto fit = hn::Eq(round_bit, round_bit);
    for (std::size_t r = 0; r < block.rows; r += 4) {
      const float* const* x = block.x + r;
      const auto largest = four_largest(d, most(x[0]), most(x[1]), most(x[2]), most(x[3]));
      fit = hn::And(fit, hn::Le(hn::Abs(largest), most_of));
      hn::Store(first_four(largest), four, block.largest + r);
      hn::Store(first_four(hn::Sub(hn::MulAdd(largest, rate, round_bit), round_bit)), four, block.steps + r);
      hn::Store(first_four(hn::Sub(largest, depth)), four, block.floor + r);
    }
    return hn::AllTrue(d, fit);
  }

  template <class Other>
  void sort_out(LogBlock& block, const Other& other) const {
    std::size_t kept = 0;
    for (std::size_t r = 0; r < block.rows; ++r) {
      if (std::abs(block.largest[r]) <= reach(scale_)) {
        block.move(r, kept++);
      } else {
        other(block.x[r], block.y[r]);
      }
    }
    block.rows = kept;
  }

  // Exponentials of kN vectors without those of the largest logits; two roundings at most. Absent lanes and what is
  // deeper than the floor add 2^-121 to sums beside 2^60: less than the last digit of anything that is not 0 in the
  // end.
  template <std::size_t kN, class Exp>
  static HWY_INLINE hn::Vec<W> rest(const Exp& exp, hn::Vec<D> largest, hn::Vec<D> (&v)[kN], std::size_t& count) {
    const D d;
    hn::Vec<D> x[kN];
    for (std::size_t j = 0; j < kN; ++j) x[j] = v[j];
    exp.all(v);
    for (std::size_t j = 0; j < kN; ++j) {
      const auto is_largest = hn::Eq(x[j], largest);
      count += hn::CountTrue(d, is_largest);
      v[j] = hn::IfThenZeroElse(is_largest, v[j]);
    }
    return promoted_halves(d, short_sum<kN, D>(v));
  }

  template <bool kPast>
  static HWY_INLINE void fetch(const float* next, std::size_t from, std::size_t to) {
    for (std::size_t j = from; kPast && j < to; j += kLine / sizeof(float)) hwy::Prefetch(next + j);
  }

  template <bool kUnit, bool kPast>
  HWY_INLINE void sum(LogBlock& block, std::size_t r, const float* next) const {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    RowShift<float> shift{};
    shift.magic =
        (0x1.8p23f + static_cast<float>(FormatLimits<float>::largest + FormatLimits<float>::headroom)) - block.steps[r];
    shift.floor = shift.near_floor = block.floor[r];
    const RowExp<D, exp_form(kUnit)> exp(d, scale_, shift);
    const float* x = block.x[r];
    const auto largest = hn::Set(d, block.largest[r]);
    std::size_t count = 0;
    hn::Vec<D> v[kVectors];
    for (std::size_t j = 0; j < kVectors; ++j) v[j] = load(x, j);
    fetch<kPast>(next, whole_, length_);
    auto all = rest(exp, largest, v, count);
    for (std::size_t i = 0; i < whole_; i += 4 * lanes) {
      fetch<kPast>(next, i, i + 4 * lanes);
      hn::Vec<D> four[4];
      for (std::size_t j = 0; j < 4; ++j) four[j] = hn::LoadU(d, x + i + j * lanes);
      all = hn::Add(all, rest(exp, largest, four, count));
    }
    block.count[r] = static_cast<std::int32_t>(count);
    hn::Store(all, W(), block.sums + r * hn::Lanes(W()));
  }

  // log of as many rows as a vector of double has lanes. The peak's own exponential is taken in double, so that only
  // the others carry an error of f32.
  HWY_NOINLINE void logs(LogBlock& block, std::size_t r) const {
    const W w;
    const hn::Rebind<float, W> narrow;
    const hn::Rebind<std::int32_t, W> whole_numbers;
    const auto n = hn::PromoteTo(w, hn::LoadU(narrow, block.steps + r));
    const auto peak = lifted_exp(w, n, hn::PromoteTo(w, hn::LoadU(narrow, block.largest + r)), scale_.given);
    const auto count = hn::PromoteTo(w, hn::LoadU(whole_numbers, block.count + r));
    const auto others = sums_of_rows(w, block.sums + r * hn::Lanes(w));
    // One NaN for all, as of the reciprocals in short_sums-inl.h.
    const auto log = hn::IfThenElse(hn::Eq(others, others), log_of_ratio(w, count, peak, others),
                                    hn::Set(w, std::numeric_limits<double>::quiet_NaN()));
    hn::StoreU(hn::DemoteTo(narrow, log), narrow, block.log + r);
  }

  template <bool kUnit, bool kPast>
  HWY_INLINE void subtract(const LogBlock& block, std::size_t r) const {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const LogOf<D, kUnit> one(d, scale_, block.largest[r], block.log[r]);
    const float* x = block.x[r];
    float* y = block.y[r];
    for (std::size_t i = 0; i < whole_; i += 4 * lanes) {
      for (std::size_t j = i; j < i + 4 * lanes; j += lanes) store<kPast>(one(hn::LoadU(d, x + j)), y + j);
    }
    for (std::size_t j = 0; j < kVectors; ++j) {
      const std::size_t i = whole_ + j * lanes;
      if (HWY_LIKELY(kPast || j + 1 < kVectors || i + lanes == length_)) {
        store<kPast>(one(load(x, j)), y + i);
      } else {
        store_tail(d, one(load(x, j)), y + i, std::min(length_ - i, lanes));
      }
    }
  }

  template <bool kPast>
  static HWY_INLINE void store(hn::Vec<D> v, float* y) {
    if (kPast) {
      hn::Stream(v, D(), y);
    } else {
      hn::StoreU(v, D(), y);
    }
  }

  const Scale<float> scale_;
  std::size_t length_, whole_;
  bool past_;
  LogBlock blocks_[2];
  std::size_t which_ = 0;
};

template <class Pipe, class Other>
HWY_INLINE void log_softmax_blocks(const Batch<float>& batch, Pipe& pipe, std::size_t block, const Other& other) {
  const std::size_t ahead = std::max<std::size_t>(block, 2 * kAhead / sizeof(float) / batch.length);
  for (std::size_t first = 0; first < batch.rows; first += block) {
    const std::size_t last = std::min(first + block, batch.rows);
    for (std::size_t r = first; r < last; ++r) {
      pipe.next().add(batch.input + r * batch.input_stride, batch.output + r * batch.output_stride);
    }
    const bool more = last + ahead <= batch.rows;
    pipe.take(more ? batch.input + (first + ahead) * batch.input_stride : nullptr, batch.input_stride, other);
  }
  pipe.take(nullptr, 0, other);
}

template <class D, class Other>
HWY_INLINE void log_softmax_short_rows(D d, const Batch<float>& batch, std::size_t block, bool past,
                                       const Other& other) {
  const auto of = [&](auto vectors) HWY_ATTR {
    LogPipe<D, vectors()> pipe(batch.scale, batch.length, past);
    log_softmax_blocks(batch, pipe, block, other);
  };
  switch ((batch.length - 1) / hn::Lanes(d) % 4) {
    case 0:
      return of(std::integral_constant<std::size_t, 1>());
    case 1:
      return of(std::integral_constant<std::size_t, 2>());
    case 2:
      return of(std::integral_constant<std::size_t, 3>());
    default:
      return of(std::integral_constant<std::size_t, 4>());
  }
}

// For T far from the ends of the format.
template <class D, class Other>
HWY_INLINE void log_softmax_short(D d, const Batch<float>& batch, const Other& other) {
  constexpr std::size_t vector = HWY_MAX_BYTES;  // what every vector's size divides
  const std::size_t block = std::min(kLogRows, std::max<std::size_t>(2048 / batch.length, 1));  // 8 KiB, twice in L1
  const bool aligned = reinterpret_cast<std::uintptr_t>(batch.output) % vector == 0 &&
                       batch.output_stride * sizeof(float) % vector == 0 && batch.length % hn::Lanes(d) == 0;
  const bool past = aligned && beyond_caches<float>(batch.rows, batch.length);
  log_softmax_short_rows(d, batch, block, past, other);
  if (past) hwy::FlushStream();
}

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
