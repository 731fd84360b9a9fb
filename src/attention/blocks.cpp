#include "src/attention/blocks.hpp"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/attention/blocks.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/exponential/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, channel_multiple>;
using V = hn::Vec<D>;

constexpr std::size_t kColumns = 4;  // vectors side by side
// Rows side by side: kRows x kColumns sums, kColumns loads and one factor are at most 32 or 16 registers.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr std::size_t kRows = 6;
#else
constexpr std::size_t kRows = 2;
#endif

// A matrix of factors: entry k of row r is at data[r row + k step].
struct Factors {
  const float* data;
  std::size_t row, step;
};

// sums[r][v] += left[r][k] right[k][v], k < count ascending; kSkip: not where left is 0.
template <std::size_t kR, std::size_t kV, bool kSkip>
HWY_INLINE void products(Factors left, const float* right, std::size_t right_stride, std::size_t count,
                         V (&sums)[kR][kV]) {
  const D d;
  for (std::size_t k = 0; k < count; ++k) {
    V loaded[kV];
    for (std::size_t v = 0; v < kV; ++v) loaded[v] = hn::LoadU(d, right + k * right_stride + v * hn::Lanes(d));
    for (std::size_t r = 0; r < kR; ++r) {
      const float factor = left.data[r * left.row + k * left.step];
      if (kSkip && factor == 0) continue;
      const V all = hn::Set(d, factor);
      for (std::size_t v = 0; v < kV; ++v) sums[r][v] = hn::MulAdd(all, loaded[v], sums[r][v]);
    }
  }
}

template <std::size_t kR, std::size_t kV>
HWY_INLINE void clear(V (&sums)[kR][kV]) {
  for (auto& row : sums)
    for (V& sum : row) sum = hn::Zero(D());
}

template <std::size_t kR>
void multiply_rows(const float* queries, std::size_t size, const float* keys, float scale, float* scores) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t j = 0; j < block_keys; j += kColumns * lanes) {
    V sums[kR][kColumns];
    clear(sums);
    products<kR, kColumns, false>({queries, size, 1}, keys + j, block_keys, size, sums);
    for (std::size_t r = 0; r < kR; ++r)
      for (std::size_t v = 0; v < kColumns; ++v)
        hn::StoreU(hn::Mul(sums[r][v], hn::Set(d, scale)), d, scores + r * block_keys + j + v * lanes);
  }
}

void multiply_keys(const float* queries, std::size_t rows, std::size_t size, const float* keys, float scale,
                   float* scores) {
  std::size_t r = 0;
  for (; r + kRows <= rows; r += kRows)
    multiply_rows<kRows>(queries + r * size, size, keys, scale, scores + r * block_keys);
  for (; r < rows; ++r) multiply_rows<1>(queries + r * size, size, keys, scale, scores + r * block_keys);
}

template <std::size_t kR, std::size_t kV, bool kSkip>
HWY_INLINE void add_columns(Factors weights, const ValueBlock& block, const float* rescale, float* output,
                            std::size_t first) {
  const D d;
  V sums[kR][kV];
  clear(sums);
  products<kR, kV, kSkip>(weights, block.values + first, block.channels, block.keys, sums);
  for (std::size_t r = 0; r < kR; ++r)
    for (std::size_t v = 0; v < kV; ++v) {
      float* const to = output + r * block.channels + first + v * hn::Lanes(d);
      hn::StoreU(hn::MulAdd(hn::LoadU(d, to), hn::Set(d, rescale[r]), sums[r][v]), d, to);
    }
}

template <std::size_t kR, bool kSkip>
void add_rows(Factors weights, const ValueBlock& block, const float* rescale, float* output) {
  const std::size_t lanes = hn::Lanes(D());
  std::size_t c = 0;
  for (; c + kColumns * lanes <= block.channels; c += kColumns * lanes)
    add_columns<kR, kColumns, kSkip>(weights, block, rescale, output, c);
  for (; c < block.channels; c += lanes) add_columns<kR, 1, kSkip>(weights, block, rescale, output, c);
}

void add_values(const float* weights, std::size_t rows, const ValueBlock& block, const float* rescale, float* output) {
  std::size_t r = 0;
  for (; block.finite && r + kRows <= rows; r += kRows)
    add_rows<kRows, false>({weights + r * block_keys, block_keys, 1}, block, rescale + r, output + r * block.channels);
  for (; r < rows; ++r) {
    const auto add = block.finite ? add_rows<1, false> : add_rows<1, true>;
    add({weights + r * block_keys, block_keys, 1}, block, rescale + r, output + r * block.channels);
  }
}

// e^y - 1 = 2^n (e^t - 1) + (2^n - 1), y = n ln 2 + t, for y <= 0 not below the range: n, then e^t - 1.
template <std::size_t kN>
HWY_INLINE void reduced(V (&y)[kN], V (&n)[kN]) {
  const D d;
  for (std::size_t k = 0; k < kN; ++k) n[k] = hn::Round(hn::Mul(y[k], hn::Set(d, 0x1.715476p+0f)));
  // 16 bits of ln 2 and 7 of n: exact without FMA too.
  for (std::size_t k = 0; k < kN; ++k) y[k] = hn::NegMulAdd(n[k], hn::Set(d, 0x1.62e4p-1f), y[k]);
  for (std::size_t k = 0; k < kN; ++k) y[k] = hn::NegMulAdd(n[k], hn::Set(d, 0x1.7f7d1cp-20f), y[k]);
  exp_minus_one(d, y);
}

// 2^n of a whole n: the sum's last digits are n + 127, which the shift makes an exponent. Any number of a NaN.
HWY_INLINE V power_of_two(V n) {
  const D d;
  const auto digits = hn::BitCast(hn::RebindToUnsigned<D>(), hn::Add(n, hn::Set(d, 0x1.8p23f + 127)));
  return hn::BitCast(d, hn::ShiftLeft<23>(digits));
}

// The exponential of the class: 0 below -87, else within 4 u + 2 u |y|; e^0 = 1. NaN stays.
constexpr float kRange = 87;
template <std::size_t kN>
HWY_INLINE void exponentials(V (&y)[kN]) {
  const D d;
  V n[kN];
  hn::Mask<D> below[kN];
  for (std::size_t k = 0; k < kN; ++k) below[k] = hn::Lt(y[k], hn::Set(d, -kRange));
  for (std::size_t k = 0; k < kN; ++k) y[k] = hn::IfThenZeroElse(below[k], y[k]);
  reduced(y, n);
  for (std::size_t k = 0; k < kN; ++k) {
    const V power = power_of_two(n[k]);
    y[k] = hn::IfThenZeroElse(below[k], hn::MulAdd(power, y[k], power));
  }
}

// tanh(|y|) = -w / (w + 2), w = e^(-2 |y|) - 1.
HWY_INLINE V tanh_of(V y) {
  const D d;
  V x[1] = {hn::Max(hn::Mul(hn::Set(d, -2), hn::Abs(y)), hn::Set(d, -kRange))}, n[1];
  reduced(x, n);
  const V power = power_of_two(n[0]), w = hn::MulAdd(power, x[0], hn::Sub(power, hn::Set(d, 1)));
  const V tanh = hn::CopySign(hn::Div(hn::Neg(w), hn::Add(w, hn::Set(d, 2))), y);
  return hn::IfThenElse(hn::IsNaN(y), y, tanh);
}

void cap_scores(float* scores, std::size_t count, float cap) {
  const D d;
  for (std::size_t j = 0; j < count && cap > 0; j += hn::Lanes(d)) {
    const V x = hn::LoadU(d, scores + j);
    hn::StoreU(hn::Mul(hn::Set(d, cap), tanh_of(hn::Div(x, hn::Set(d, cap)))), d, scores + j);
  }
}

float exponential(float y) {
  V x[1] = {hn::Set(D(), y)};
  exponentials(x);
  return hn::GetLane(x[0]);
}

// Raises the largest score to this one where it is larger: the factor of what was summed below the old one.
float raised_by(float largest, RowSum& row) {
  const float old = row.largest;
  row.largest = old > largest ? old : largest;
  if (old == row.largest || row.sum == 0) return row.sum == 0 ? 0 : 1;
  const float factor = exponential(old - row.largest);
  row.sum *= factor;
  return factor;
}

// A row's scores become exponentials below the pivot: their sum.
float exponentials_below(float* scores, float pivot) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V sum = hn::Zero(d);
  for (std::size_t j = 0; j < block_keys; j += kColumns * lanes) {
    V y[kColumns];
    for (std::size_t k = 0; k < kColumns; ++k) y[k] = hn::Sub(hn::LoadU(d, scores + j + k * lanes), hn::Set(d, pivot));
    exponentials(y);
    for (std::size_t k = 0; k < kColumns; ++k) {
      sum = hn::Add(sum, y[k]);
      hn::StoreU(y[k], d, scores + j + k * lanes);
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// In two passes over the rows: no row's exponentials wait for another's maximum.
void absorb_scores(float* scores, std::size_t rows, RowSum* sums, float* factors) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* const row = scores + r * block_keys;
    V largest = hn::LoadU(d, row);
    for (std::size_t j = lanes; j < block_keys; j += lanes) largest = hn::Max(largest, hn::LoadU(d, row + j));
    factors[r] = raised_by(largest_lane(d, largest), sums[r]);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const float pivot = sums[r].largest == -std::numeric_limits<float>::infinity() ? 0 : sums[r].largest;
    sums[r].sum += exponentials_below(scores + r * block_keys, pivot);
  }
}

void weigh_scores(float* scores, float lse) {
  const D d;
  for (std::size_t j = 0; j < block_keys; j += kColumns * hn::Lanes(d)) {
    V y[kColumns];
    for (std::size_t k = 0; k < kColumns; ++k)
      y[k] = hn::Sub(hn::LoadU(d, scores + j + k * hn::Lanes(d)), hn::Set(d, lse));
    exponentials(y);
    for (std::size_t k = 0; k < kColumns; ++k) hn::StoreU(y[k], d, scores + j + k * hn::Lanes(d));
  }
}

void softcap_slopes(const float* capped, std::size_t count, float cap, float* slopes) {
  const D d;
  for (std::size_t j = 0; j < count; j += hn::Lanes(d)) {
    const V t = hn::Div(hn::LoadU(d, capped + j), hn::Set(d, cap));
    hn::StoreU(hn::NegMulAdd(t, t, hn::Set(d, 1)), d, slopes + j);
  }
}

void score_gradients(const float* weights, float difference, const float* slopes, float* gradients) {
  const D d;
  for (std::size_t j = 0; j < block_keys; j += hn::Lanes(d)) {
    const V weight = hn::LoadU(d, weights + j);
    V gradient = hn::Mul(weight, hn::Sub(hn::LoadU(d, gradients + j), hn::Set(d, difference)));
    if (slopes != nullptr) gradient = hn::Mul(gradient, hn::LoadU(d, slopes + j));
    hn::StoreU(hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), gradient), d, gradients + j);
  }
}

void add_rows_to_keys(const float* weights, const float* rows, std::size_t count, std::size_t channels, float* output) {
  float once[kRows];
  for (float& factor : once) factor = 1;
  std::size_t j = 0;
  for (; j + kRows <= block_keys; j += kRows)
    add_rows<kRows, false>({weights + j, 1, block_keys}, {rows, count, channels, true}, once, output + j * channels);
  for (; j < block_keys; ++j)
    add_rows<1, false>({weights + j, 1, block_keys}, {rows, count, channels, true}, once, output + j * channels);
}

float absorb_sink(float sink, RowSum& row) {
  const float factor = raised_by(sink, row);
  if (row.largest != -std::numeric_limits<float>::infinity()) row.sum += exponential(sink - row.largest);
  return factor;
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {

HWY_EXPORT(multiply_keys);
HWY_EXPORT(cap_scores);
HWY_EXPORT(absorb_scores);
HWY_EXPORT(absorb_sink);
HWY_EXPORT(add_values);
HWY_EXPORT(weigh_scores);
HWY_EXPORT(softcap_slopes);
HWY_EXPORT(score_gradients);
HWY_EXPORT(add_rows_to_keys);

void multiply_keys(const float* queries, std::size_t rows, std::size_t size, const float* keys, float scale,
                   float* scores) {
  HWY_DYNAMIC_DISPATCH(multiply_keys)(queries, rows, size, keys, scale, scores);
}
void cap_scores(float* scores, std::size_t count, float cap) { HWY_DYNAMIC_DISPATCH(cap_scores)(scores, count, cap); }
void absorb_scores(float* scores, std::size_t rows, RowSum* sums, float* factors) {
  HWY_DYNAMIC_DISPATCH(absorb_scores)(scores, rows, sums, factors);
}
float absorb_sink(float sink, RowSum& row) { return HWY_DYNAMIC_DISPATCH(absorb_sink)(sink, row); }
void add_values(const float* weights, std::size_t rows, const ValueBlock& block, const float* rescale, float* output) {
  HWY_DYNAMIC_DISPATCH(add_values)(weights, rows, block, rescale, output);
}

void weigh_scores(float* scores, float lse) { HWY_DYNAMIC_DISPATCH(weigh_scores)(scores, lse); }
void softcap_slopes(const float* capped, std::size_t count, float cap, float* slopes) {
  HWY_DYNAMIC_DISPATCH(softcap_slopes)(capped, count, cap, slopes);
}
void score_gradients(const float* weights, float D, const float* slopes, float* gradients) {
  HWY_DYNAMIC_DISPATCH(score_gradients)(weights, D, slopes, gradients);
}
void add_rows_to_keys(const float* weights, const float* rows, std::size_t count, std::size_t channels, float* output) {
  HWY_DYNAMIC_DISPATCH(add_rows_to_keys)(weights, rows, count, channels, output);
}

}  // namespace attncert
#endif
