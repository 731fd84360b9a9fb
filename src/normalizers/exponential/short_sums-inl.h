// Reductions of short rows, several at once: the largest logits of four rows, the sums and reciprocals of eight. One
// row's lanes would wait for each other; those of several share a transposition.
#if defined(ATTNCERT_NORMALIZERS_SHORT_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SHORT_SUMS_INL_H
#undef ATTNCERT_NORMALIZERS_SHORT_SUMS_INL_H
#else
#define ATTNCERT_NORMALIZERS_SHORT_SUMS_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// The sum of the vectors of one row, two roundings at most.
template <std::size_t kVectors, class D>
HWY_INLINE hn::Vec<D> short_sum(const hn::Vec<D>* e) {
  if constexpr (kVectors == 1) return e[0];
  if constexpr (kVectors == 2) return hn::Add(e[0], e[1]);
  if constexpr (kVectors == 3) return hn::Add(hn::Add(e[0], e[1]), e[2]);
  if constexpr (kVectors == 4) return hn::Add(hn::Add(e[0], e[1]), hn::Add(e[2], e[3]));
}

// Four rows' largest logits: largest of all lanes of a, of b, of c, of e, in lanes 0 to 3.
template <class D>
HWY_INLINE hn::Vec<D> four_largest(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> e) {
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto ab = hn::BitCast(pairs, hn::Max(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  const auto ce = hn::BitCast(pairs, hn::Max(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e)));
  auto all =
      hn::Max(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)));
  if (sizeof(hn::Vec<D>) >= 32) all = hn::Max(all, hn::ReverseBlocks(d, all));
  if (sizeof(hn::Vec<D>) == 64) all = hn::Max(all, hn::ConcatLowerUpper(d, all, all));
  return all;
}

HWY_INLINE hn::Vec<hn::Full128<float>> first_four(hn::Vec<hn::ScalableTag<float>> v) {
#if HWY_TARGET <= HWY_AVX3
  const hn::Half<hn::ScalableTag<float>> half;
  return hn::LowerHalf(hn::Half<decltype(half)>(), hn::LowerHalf(half, v));
#elif HWY_TARGET == HWY_AVX2
  return hn::LowerHalf(hn::Half<hn::ScalableTag<float>>(), v);
#else
  return v;
#endif
}

// The sum of all lanes in double: two roundings of f32 lie behind v (a sum of four), none is added here.
template <class D>
HWY_INLINE auto promoted_halves(D, hn::Vec<D> v) {
  const hn::Half<D> half;
  const hn::Rebind<double, decltype(half)> wide;
  return hn::Add(hn::PromoteTo(wide, hn::LowerHalf(half, v)), hn::PromoteTo(wide, hn::UpperHalf(half, v)));
}

// The sums of all lanes of v[0] to v[3]: AVX3 has them in lanes 0, 1, 4 and 5, and again two lanes on; AVX2 in lanes 0
// to 3; the others, of v[0] and v[1] and of v[2] and v[3].
template <class W>
HWY_INLINE hn::Vec<W> pair_sums(W w, hn::Vec<W> a, hn::Vec<W> b) {
  return hn::Add(hn::InterleaveLower(w, a, b), hn::InterleaveUpper(w, a, b));
}
#if HWY_TARGET <= HWY_AVX2
template <class W>
HWY_INLINE hn::Vec<W> four_sums(W w, const hn::Vec<W>* v) {
  const auto ab = pair_sums(w, v[0], v[1]), ce = pair_sums(w, v[2], v[3]);
  const auto sums = hn::Add(hn::ConcatLowerLower(w, ce, ab), hn::ConcatUpperUpper(w, ce, ab));
#if HWY_TARGET <= HWY_AVX3
  return hn::Add(sums, hn::SwapAdjacentBlocks(sums));
#else
  return sums;
#endif
}
#endif

// Where the reciprocal of row r stands.
HWY_INLINE std::size_t short_place(std::size_t r) {
  return HWY_TARGET <= HWY_AVX3 ? (r & ~std::size_t{6}) | (r & 2) << 1 | (r & 4) >> 1 : r;  // 0 1 4 5 2 3 6 7
}

template <class W>
HWY_INLINE void store_reciprocals(W w, hn::Vec<W> sums, float* inverses) {
  const hn::Rebind<float, W> narrow;
  // Where a row has two NaN, its place among the eight decides which one the sum keeps; hence one NaN for all.
  const auto inverse = hn::IfThenElse(hn::Eq(sums, sums), hn::Div(hn::Set(w, 1.0), sums),
                                      hn::Set(w, std::numeric_limits<double>::quiet_NaN()));
  hn::StoreU(hn::DemoteTo(narrow, inverse), narrow, inverses);
}

// 1 / (sum of all lanes of v[r]) of eight rows, at short_place(r).
template <class W>
HWY_INLINE void eight_reciprocals(W w, const hn::Vec<W>* v, float* inverses) {
#if HWY_TARGET <= HWY_AVX3
  store_reciprocals(w, hn::OddEvenBlocks(four_sums(w, v + 4), four_sums(w, v)), inverses);
#elif HWY_TARGET == HWY_AVX2
  for (std::size_t r = 0; r < 8; r += 4) store_reciprocals(w, four_sums(w, v + r), inverses + r);
#else
  for (std::size_t r = 0; r < 8; r += 2) store_reciprocals(w, pair_sums(w, v[r], v[r + 1]), inverses + r);
#endif
}

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
