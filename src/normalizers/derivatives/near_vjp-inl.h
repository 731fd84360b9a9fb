// Derivatives of the exponential family on rows of f32 whose logits lie within 126 T of the largest, and this within
// 256 T of 0: in double, with exponentials as exact as half an ulp of f32 asks (docs/budgets.md, derivatives).
#if defined(ATTNCERT_NORMALIZERS_NEAR_VJP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_NEAR_VJP_INL_H
#undef ATTNCERT_NORMALIZERS_NEAR_VJP_INL_H
#else
#define ATTNCERT_NORMALIZERS_NEAR_VJP_INL_H
#endif

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/vjp_row-inl.h"
#include "src/normalizers/exponential/near_exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace vjp {

// The exponentials of a row, 0 of an absent logit; of a present one it is at least 2^-122. kWhole: none is absent.
template <bool kWhole>
class PresentExp {
 public:
  explicit HWY_INLINE PresentExp(const NearExp& exp) : exp_(exp) {}
  // Whole vectors.
  template <std::size_t kN>
  HWY_INLINE void all(hn::Vec<Wide> (&x)[kN]) const {
    if (kWhole) return exp_.from_floor(x);
    masked(x);
  }
  // Any vector, -inf beyond the end.
  HWY_INLINE hn::Vec<Wide> operator()(hn::Vec<Wide> x) const {
    hn::Vec<Wide> v[1] = {x};
    masked(v);
    return v[0];
  }
  // The upstreams of present logits in a whole vector, 0 elsewhere.
  static HWY_INLINE hn::Vec<Wide> counted(hn::Vec<Wide> e, hn::Vec<Wide> g) { return kWhole ? g : present(e, g); }
  // The same of any vector.
  static HWY_INLINE hn::Vec<Wide> present(hn::Vec<Wide> e, hn::Vec<Wide> g) {
    return hn::IfThenElseZero(hn::Gt(e, hn::Zero(Wide())), g);
  }

 private:
  template <std::size_t kN>
  HWY_INLINE void masked(hn::Vec<Wide> (&x)[kN]) const {
    hn::Mask<Wide> present[kN];
    const auto absent = hn::Set(Wide(), -std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < kN; ++k) present[k] = hn::Gt(x[k], absent);
    exp_.from_floor(x);  // of -inf it is NaN, in whose place comes 0
    for (std::size_t k = 0; k < kN; ++k) x[k] = hn::IfThenElseZero(present[k], x[k]);
  }

  const NearExp exp_;
};

struct NearSums {
  DoubleSum weights, upstreams;
};

// sum + e g, and sum + g.
struct AddProduct {
  HWY_INLINE hn::Vec<Wide> operator()(hn::Vec<Wide> sum, hn::Vec<Wide> e, hn::Vec<Wide> g) const {
    return hn::MulAdd(e, g, sum);
  }
};
struct AddUpstream {
  HWY_INLINE hn::Vec<Wide> operator()(hn::Vec<Wide> sum, hn::Vec<Wide>, hn::Vec<Wide> g) const {
    return hn::Add(sum, g);
  }
};

// Sums of exponentials and of what `added` makes of these and the upstreams. The exponentials go to `held` where that
// is not null.
template <class Exp, class Added>
HWY_INLINE NearSums near_sums(const Exp& exp, const Row<float>& row, const Added& added, double* held) {
  const Wide w;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(w);
  NearSums all;
  for (std::size_t first = 0; first < row.length; first += kSummed) {
    const std::size_t last = std::min(first + kSummed, row.length);
    hn::Vec<Wide> weights[2] = {hn::Zero(w), hn::Zero(w)}, upstreams[2] = {hn::Zero(w), hn::Zero(w)};
    const auto add = [&](std::size_t k, hn::Vec<Wide> e, hn::Vec<Wide> g) HWY_ATTR {
      weights[k] = hn::Add(weights[k], e);
      upstreams[k] = added(upstreams[k], e, g);
    };
    std::size_t i = first;
    for (; i + 4 * lanes <= last; i += 4 * lanes) {
      hn::Vec<Wide> v[4];
      for (std::size_t k = 0; k < 4; ++k) v[k] = hn::PromoteTo(w, hn::LoadU(d, row.logits + i + k * lanes));
      exp.all(v);
      for (std::size_t k = 0; k < 4; ++k) {
        if (held != nullptr) hn::StoreU(v[k], w, held + i + k * lanes);
        add(k % 2, v[k], exp.counted(v[k], hn::PromoteTo(w, hn::LoadU(d, row.upstream + i + k * lanes))));
      }
    }
    for (; i < last; i += lanes) {
      const auto e = exp(Numbers<float>::load(row.logits + i, last - i));
      if (held != nullptr) hn::StoreU(e, w, held + i);
      add(0, e, exp.present(e, Numbers<float>::load(row.upstream + i, last - i)));
    }
    all.weights.add(hn::GetLane(hn::SumOfLanes(w, hn::Add(weights[0], weights[1]))));
    all.upstreams.add(hn::GetLane(hn::SumOfLanes(w, hn::Add(upstreams[0], upstreams[1]))));
  }
  return all;
}

// gradient(e, g) at the present positions, 0 elsewhere.
template <class Exp, class Source, class Gradient>
HWY_INLINE void write_near(const Source& source, const Row<float>& row, const Gradient& gradient) {
  const Wide w;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(w);
  const float* const upstream = row.upstream;
  float* const y = row.gradient;
  std::size_t i = 0;
  for (; i + 4 * lanes <= row.length; i += 4 * lanes) {
    hn::Vec<Wide> e[4];
    source.four(i, e);
    for (std::size_t k = 0; k < 4; ++k) {
      const auto g = hn::PromoteTo(w, hn::LoadU(d, upstream + i + k * lanes));
      Numbers<float>::store(Exp::counted(e[k], gradient(e[k], g)), y + i + k * lanes, lanes);
    }
  }
  for (; i < row.length; i += lanes) {
    const std::size_t count = row.length - i;
    const auto e = source.one(i, std::min(lanes, count)), g = Numbers<float>::load(upstream + i, count);
    Numbers<float>::store(Exp::present(e, gradient(e, g)), y + i, count);
  }
}

// At one temperature.
class NearVjp {
 public:
  explicit NearVjp(double temperature) : scale_(make_scale<double>(temperature, 0)), near_(scale_) {}

  // softmax's; zero: of softmax1. False, and nothing written: the row is not near.
  HWY_INLINE bool softmax(const Row<float>& row, bool zero = false) const {
    return with_row(row, zero, AddProduct(), [&](const NearSums& sums, const auto& write) HWY_ATTR {
      const double sum = sums.weights.high + sums.weights.low;
      const auto share = hn::Set(Wide(), 1 / (sum * scale_.given));
      const auto mean = hn::Set(Wide(), (sums.upstreams.high + sums.upstreams.low) / sum);
      write([&](hn::Vec<Wide> e, hn::Vec<Wide> g) HWY_ATTR { return hn::Mul(hn::Mul(e, share), hn::Sub(g, mean)); });
    });
  }

  // log-softmax's.
  HWY_INLINE bool log_softmax(const Row<float>& row) const {
    return with_row(row, false, AddUpstream(), [&](const NearSums& sums, const auto& write) HWY_ATTR {
      const auto share =
          hn::Set(Wide(), (sums.upstreams.high + sums.upstreams.low) / (sums.weights.high + sums.weights.low));
      const auto rate = hn::Set(Wide(), 1 / scale_.given);
      write([&](hn::Vec<Wide> e, hn::Vec<Wide> g) HWY_ATTR { return hn::Mul(hn::NegMulAdd(e, share, g), rate); });
    });
  }

 private:
  // Calls derive(sums, write), which calls write(gradient).
  template <class Added, class Derive>
  HWY_INLINE bool with_row(const Row<float>& row, bool zero, const Added& added, const Derive& derive) const {
    const double largest = static_cast<double>(zero ? std::max(row.largest, 0.0f) : row.largest);
    const double depth = FormatLimits<float>::depth * scale_.near_temperature;
    if (row.largest == row.smallest) return false;  // where all exponentials are 1, what cancels leaves nothing
    if (!is_near(scale_, largest) || !(static_cast<double>(row.smallest) >= largest - depth)) return false;
    const NearExp exp(near_, largest);
    row.present == row.length ? with_exp(row, zero, exp, PresentExp<true>(exp), added, derive)
                              : with_exp(row, zero, exp, PresentExp<false>(exp), added, derive);
    return true;
  }

  template <class Exp, class Added, class Derive>
  HWY_INLINE void with_exp(const Row<float>& row, bool zero, const NearExp& near, const Exp& exp, const Added& added,
                           const Derive& derive) const {
    HWY_ALIGN double held[kHeld + HWY_MAX_BYTES / sizeof(double)];
    const bool keep = row.length <= kHeld;
    NearSums sums = near_sums(exp, row, added, keep ? held : nullptr);
    if (zero) sums.weights.add(hn::GetLane(near(hn::Zero(Wide()))));
    derive(sums, [&](const auto& gradient) HWY_ATTR {
      keep ? write_near<Exp>(Kept{held}, row, gradient) : write_near<Exp>(Again<Exp>{exp, row.logits}, row, gradient);
    });
  }

  Scale<double> scale_;
  NearScale near_;
};

// Rows of f64 are never near.
struct NeverNear {
  explicit NeverNear(double) {}
  static bool softmax(const Row<double>&, bool = false) { return false; }
  static bool log_softmax(const Row<double>&) { return false; }
};
template <class T>
using Near = std::conditional_t<sizeof(T) == 4, NearVjp, NeverNear>;

}  // namespace vjp
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
