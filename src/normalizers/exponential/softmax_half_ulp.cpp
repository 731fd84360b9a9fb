// softmax in f32 rounded almost correctly: exponentials, sum and product in f64, one rounding to f32 at the end.
// Exponentials of rows that fit L1 are kept, those of longer rows computed twice: a polynomial of degree 8 is cheaper
// than L2.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/softmax_half_ulp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <limits>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/exp-inl.h"
#include "src/normalizers/exponential/exp_degree8.hpp"
#include "src/normalizers/exponential/softmax_pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;

constexpr std::size_t kSummed =
    4096;                             // elements added plainly, at most 2^12 roundings of 2^-53; blocks are compensated
constexpr std::size_t kHeld = 4096;   // exponentials kept: 32 KiB
constexpr std::size_t kTogether = 4;  // rows a group, each step for all: their reductions wait beside each other

// 2^(n - N + 60) exp(t), t = (x - n T ln2) / T, for |max| <= 256 T: as RowExp, but only as exact as half an ulp of f32
// asks.
template <bool kUnit>
class NearExp : public OneLikeSeveral<NearExp<kUnit>> {
 public:
  using V = hn::Vec<Wide>;

  HWY_INLINE NearExp(const Scale<double>& scale, double largest)
      : floor_(hn::Set(Wide(), largest - FormatLimits<float>::depth * scale.near_temperature)),
        rate_(hn::Set(Wide(), scale.near_rate)),
        ln2_(hn::Set(Wide(), scale.near_head + scale.near_tail)),
        inverse_(hn::Set(Wide(), scale.near_inverse)) {
    constexpr double round_bit = 0x1.8p52, bias = 1023;
    const double peak = (largest * scale.near_rate + round_bit) - round_bit;
    magic_ = hn::Set(Wide(), round_bit + (bias + FormatLimits<float>::headroom) - peak);
  }

  template <std::size_t kN>
  HWY_INLINE void all(V (&x)[kN]) const {
    const Wide w;
    const hn::RebindToUnsigned<Wide> bits;
    V z[kN];
    for (std::size_t k = 0; k < kN; ++k) x[k] = at_least(w, floor_, x[k]);
    for (std::size_t k = 0; k < kN; ++k) z[k] = hn::MulAdd(x[k], rate_, magic_);
    for (std::size_t k = 0; k < kN; ++k) x[k] = hn::NegMulAdd(hn::Sub(z[k], magic_), ln2_, x[k]);
    if (!kUnit) {
      for (std::size_t k = 0; k < kN; ++k) x[k] = hn::Mul(x[k], inverse_);
    }
    minus_one(x);
    for (std::size_t k = 0; k < kN; ++k) {
      x[k] = one_more_times(w, x[k], hn::BitCast(w, hn::ShiftLeft<52>(hn::BitCast(bits, z[k]))));
    }
  }

 private:
  // exp(t) - 1.
  template <std::size_t kN>
  static HWY_INLINE void minus_one(V (&t)[kN]) {
    const Wide w;
    const double(&c)[7] = kExpDegree8;
    V t2[kN], q[kN], low[kN];
    for (std::size_t k = 0; k < kN; ++k) t2[k] = hn::Mul(t[k], t[k]);
    for (std::size_t k = 0; k < kN; ++k)
      q[k] = hn::MulAdd(hn::Set(w, c[6]), t2[k], hn::MulAdd(hn::Set(w, c[5]), t[k], hn::Set(w, c[4])));
    for (std::size_t k = 0; k < kN; ++k)
      q[k] = hn::MulAdd(q[k], t2[k], hn::MulAdd(hn::Set(w, c[3]), t[k], hn::Set(w, c[2])));
    for (std::size_t k = 0; k < kN; ++k) low[k] = hn::MulAdd(hn::Set(w, c[1]), t[k], hn::Set(w, c[0]));
    for (std::size_t k = 0; k < kN; ++k) t[k] = hn::MulAdd(t2[k], hn::MulAdd(q[k], t2[k], low[k]), t[k]);
  }

  V floor_, rate_, ln2_, inverse_, magic_;
};

// The sum of exp(x); the exponentials go to e where it is not null.
template <bool kStore, class Exp>
HWY_INLINE RowSum wide_sum(const Exp& exp, const float* x, double* e, std::size_t length) {
  const Wide w;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(w);
  RowSum total;
  Shallow<Wide> shallow(w);
  for (std::size_t first = 0; first < length; first += kSummed) {
    const std::size_t last = std::min(first + kSummed, length);
    auto a = hn::Zero(w), b = a;
    std::size_t i = first;
    for (; i + 4 * lanes <= last; i += 4 * lanes) {
      hn::Vec<Wide> v[4];
      for (std::size_t k = 0; k < 4; ++k) v[k] = hn::PromoteTo(w, hn::LoadU(d, x + i + k * lanes));
      exp.all(v);
      for (std::size_t k = 0; k < 4; ++k) {
        if (kStore) hn::StoreU(v[k], w, e + i + k * lanes);
        shallow.see(v[k]);
      }
      a = hn::Add(a, hn::Add(v[0], v[1]));
      b = hn::Add(b, hn::Add(v[2], v[3]));
    }
    for (; i < last; i += lanes) {
      const std::size_t count = std::min(lanes, last - i);
      const auto v = exp(hn::PromoteTo(w, count == lanes ? hn::LoadU(d, x + i) : load_tail(d, x + i, count)));
      shallow.see(v, count);
      if (kStore) hn::StoreU(v, w, e + i);
      a = hn::Add(a, v);
    }
    total.sum.add(hn::GetLane(hn::SumOfLanes(w, hn::Add(a, b))));
  }
  total.deep = shallow.deep();
  return total;
}

// w to f32. kDeep: some may be subnormal, which a conversion takes a hundred cycles for: below 2^-126 it gives the
// integer w 2^149, which is the weight's bits, above 2^23 and its bits are taken off again.
template <bool kDeep>
HWY_INLINE hn::Vec<Narrow> narrowed(hn::Vec<Wide> v) {
  const Narrow d;
  if constexpr (!kDeep) return hn::DemoteTo(d, v);
  const Wide w;
  const hn::RebindToUnsigned<Narrow> bits;
  const auto edge = hn::Set(w, 0x1p-126);
  const auto normal = hn::BitCast(bits, hn::DemoteTo(d, hn::Max(v, edge)));
  const auto lifted = hn::DemoteTo(d, hn::MulAdd(hn::Min(v, edge), hn::Set(w, 0x1p149), hn::Set(w, 0x1p23)));
  const auto over = hn::Sub(hn::BitCast(bits, lifted), hn::BitCast(bits, hn::Set(d, 0x1p24f)));
  return hn::BitCast(d, hn::Add(normal, over));
}

// y = source * inverse.
template <bool kDeep, class Source>
HWY_INLINE void wide_weights(const Source& source, double inverse, float* y, std::size_t length) {
  const Wide w;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(w);
  const auto by = hn::Set(w, inverse);
  std::size_t i = 0;
  for (; i + 4 * lanes <= length; i += 4 * lanes) {
    hn::Vec<Wide> v[4];
    source.four(i, v);
    for (std::size_t k = 0; k < 4; ++k) hn::StoreU(narrowed<kDeep>(hn::Mul(v[k], by)), d, y + i + k * lanes);
  }
  for (; i < length; i += lanes) {
    const std::size_t count = std::min(lanes, length - i);
    const auto v = narrowed<kDeep>(hn::Mul(source.one(i, count), by));
    if (count == lanes) hn::StoreU(v, d, y + i);
    else store_tail(d, v, y + i, count);
  }
}

// Kept exponentials; whole vectors of them.
struct Kept {
  const double* e;
  HWY_INLINE void four(std::size_t i, hn::Vec<Wide> (&v)[4]) const {
    for (std::size_t k = 0; k < 4; ++k) v[k] = hn::Load(Wide(), e + i + k * hn::Lanes(Wide()));
  }
  HWY_INLINE hn::Vec<Wide> one(std::size_t i, std::size_t) const { return hn::Load(Wide(), e + i); }
};

template <class Exp>
struct Again {
  const Exp& exp;
  const float* x;
  HWY_INLINE void four(std::size_t i, hn::Vec<Wide> (&v)[4]) const {
    for (std::size_t k = 0; k < 4; ++k) {
      v[k] = hn::PromoteTo(Wide(), hn::LoadU(Narrow(), x + i + k * hn::Lanes(Wide())));
    }
    exp.all(v);
  }
  HWY_INLINE hn::Vec<Wide> one(std::size_t i, std::size_t count) const {
    const bool whole = count == hn::Lanes(Wide());
    return exp(hn::PromoteTo(Wide(), whole ? hn::LoadU(Narrow(), x + i) : load_tail(Narrow(), x + i, count)));
  }
};

template <class Source>
HWY_INLINE void write_weights(const RowSum& row, const Source& source, float* y, std::size_t length) {
  if (HWY_UNLIKELY(row.sum.high != row.sum.high)) return fill(y, length, std::numeric_limits<float>::quiet_NaN());
  const double inverse = 1 / (row.sum.high + row.sum.low);
  if (row.deep) return wide_weights<true>(source, inverse, y, length);
  wide_weights<false>(source, inverse, y, length);
}

template <class Exp>
HWY_INLINE void wide_row(const Exp& exp, const float* x, float* y, std::size_t length) {
  write_weights(wide_sum<false>(exp, x, nullptr, length), Again<Exp>{exp, x}, y, length);
}

struct HalfUlpRow {
  const float* x;
  float* y;
  float largest;
};

// False when the row is written already, or must subtract its largest logit.
HWY_INLINE bool near_row(const Batch<float>& batch, const Scale<double>& scale, std::size_t row, HalfUlpRow& out) {
  out.x = batch.input + row * batch.input_stride;
  out.y = batch.output + row * batch.output_stride;
  out.largest = row_largest(hn::ScalableTag<float>(), out.x, batch.length);
  const double largest = static_cast<double>(out.largest);
  if (HWY_LIKELY(scale.near && std::abs(largest) <= FormatLimits<float>::reach * scale.near_temperature)) return true;
  if (!is_finite(out.largest)) {
    write_degenerate_row(
        out.x, out.y, batch.length, 0.0f, +[](double count) { return 1 / count; });
    return false;
  }
  with_exp(Wide(), scale, row_shift(scale, largest),
           [&](const auto& exp) HWY_ATTR { wide_row(exp, out.x, out.y, batch.length); });
  return false;
}

template <bool kUnit>
HWY_INLINE void half_ulp_rows(const Batch<float>& batch, const Scale<double>& scale) {
  HWY_ALIGN double held[kHeld];
  const std::size_t room = (batch.length + hn::Lanes(Wide()) - 1) / hn::Lanes(Wide()) * hn::Lanes(Wide());
  const bool keep = room <= kHeld;
  const std::size_t together = keep ? std::min(kTogether, kHeld / room) : 1;
  for (std::size_t first = 0; first < batch.rows; first += together) {
    HalfUlpRow group[kTogether];
    RowSum sums[kTogether];
    std::size_t near = 0;
    for (std::size_t r = first; r < std::min(first + together, batch.rows); ++r) {
      near += near_row(batch, scale, r, group[near]) ? 1 : 0;
    }
    for (std::size_t r = 0; r < near; ++r) {
      const NearExp<kUnit> exp(scale, static_cast<double>(group[r].largest));
      if (keep) sums[r] = wide_sum<true>(exp, group[r].x, held + r * room, batch.length);
      else wide_row(exp, group[r].x, group[r].y, batch.length);
    }
    for (std::size_t r = 0; keep && r < near; ++r) {
      write_weights(sums[r], Kept{held + r * room}, group[r].y, batch.length);
    }
  }
}

void softmax_half_ulp(const Batch<float>& batch) {
  if (batch.rows == 0) return;
  const Scale<double> scale = make_scale<double>(batch.temperature, FormatLimits<double>::temperature_limit);
  if (scale.unit) return half_ulp_rows<true>(batch, scale);
  half_ulp_rows<false>(batch, scale);
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax_half_ulp);

struct SoftmaxHalfUlp : PlainEntry {
  static constexpr const char* normalizer = "softmax";
  static attncert_status run(const Batch<float>& batch) {
    HWY_DYNAMIC_DISPATCH(softmax_half_ulp)(batch);
    return ATTNCERT_OK;
  }
};

}  // namespace

// Budget: half an ulp for the last rounding and less than 2^-15 ulp before it: docs/budgets.md.
const BuiltIn softmax_half_ulp_f32_kernel = entry<SoftmaxHalfUlp, float>({0.5001, 0.5001}, "softmax-half-ulp.f32");

}  // namespace attncert
#endif  // HWY_ONCE
