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
#include "src/normalizers/exponential/near_exp-inl.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

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
  if (HWY_LIKELY(is_near(scale, largest))) return true;
  if (!is_finite(out.largest)) {
    write_degenerate_row(
        out.x, out.y, batch.length, 0.0f, +[](double count) { return 1 / count; });
    return false;
  }
  with_exp(Wide(), scale, row_shift(scale, largest),
           [&](const auto& exp) HWY_ATTR { wide_row(exp, out.x, out.y, batch.length); });
  return false;
}

void softmax_half_ulp(const Batch<float>& batch) {
  if (batch.rows == 0) return;
  const Scale<double> scale = make_scale<double>(batch.temperature, FormatLimits<double>::temperature_limit);
  HWY_ALIGN double held[kHeld];
  const NearScale near_scale(scale);
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
      const NearExp exp(near_scale, static_cast<double>(group[r].largest));
      if (keep) sums[r] = wide_sum<true>(exp, group[r].x, held + r * room, batch.length);
      else wide_row(exp, group[r].x, group[r].y, batch.length);
    }
    for (std::size_t r = 0; keep && r < near; ++r) {
      write_weights(sums[r], Kept{held + r * room}, group[r].y, batch.length);
    }
  }
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
