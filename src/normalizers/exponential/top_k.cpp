// The value of the k-th largest comes from one pass that keeps what exceeds the k-th largest so far and thins it with
// std::nth_element when it has doubled (Highway's sort corrupts infinities).
#include "src/normalizers/exponential/top_k.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/top_k.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "src/kernel/dispatch.hpp"
#include "src/normalizers/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
template <class T>
struct KthLargest {
  T value;   // -inf when fewer than k are present
  bool nan;  // some logit is NaN: the value means nothing
};

template <class T>
KthLargest<T> kth_largest(const T* x, std::size_t length, std::size_t k, T* kept) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), full = k > length / 2 ? length : 2 * k;
  T bar = -std::numeric_limits<T>::infinity();  // k logits reach it, once `kept` has been thinned
  std::size_t count = 0;
  bool nan = false;
  for (std::size_t i = 0; i < length; i += lanes) {
    const auto v = length - i >= lanes ? hn::LoadU(d, x + i) : load_tail(d, x + i, length - i);
    nan |= !hn::AllTrue(d, hn::Eq(v, v));
    const auto higher = hn::Gt(v, hn::Set(d, bar));
    if (HWY_LIKELY(hn::AllFalse(d, higher))) continue;
    count += hn::CompressStore(v, higher, d, kept + count);
    if (HWY_UNLIKELY(count > full)) {
      std::nth_element(kept, kept + (k - 1), kept + count, std::greater<>());
      bar = kept[k - 1];
      count = k;
    }
  }
  if (count < k) return {-std::numeric_limits<T>::infinity(), nan};
  std::nth_element(kept, kept + (k - 1), kept + count, std::greater<>());
  return {kept[k - 1], nan};
}

// What reaches the k-th largest, less the last of those that tie with it.
template <class T>
void keep_reaching(const T* x, std::size_t length, std::size_t k, T kth, T* chosen) {
  const hn::ScalableTag<T> d;
  constexpr T absent = -std::numeric_limits<T>::infinity();
  const std::size_t lanes = hn::Lanes(d);
  std::size_t reaching = 0, i = 0;
  for (; i + lanes <= length; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    const auto reaches = hn::Ge(v, hn::Set(d, kth));
    hn::StoreU(hn::IfThenElse(reaches, v, hn::Set(d, absent)), d, chosen + i);
    reaching += hn::CountTrue(d, reaches);
  }
  for (; i < length; ++i) {
    const bool reaches = x[i] >= kth;
    chosen[i] = reaches ? x[i] : absent;
    reaching += reaches;
  }
  if (kth == absent) return;
  for (; reaching > k; --i) {
    if (x[i - 1] != kth) continue;
    chosen[i - 1] = absent;
    --reaching;
  }
}

template <class T>
bool keep_largest(const T* x, std::size_t length, std::size_t k, T* kept, T* chosen) {
  const KthLargest<T> kth = kth_largest(x, length, k, kept);
  if (!kth.nan) keep_reaching(x, length, k, kth.value, chosen);
  return !kth.nan;
}
ATTNCERT_FORMS(keep_largest)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

ATTNCERT_DISPATCH(keep_largest)

}  // namespace

template <class T>
bool choose_largest(const T* x, std::size_t length, std::size_t k, T* kept, T* chosen) {
  return dispatch_keep_largest<T>(x, length, k, kept, chosen);
}
template bool choose_largest(const float*, std::size_t, std::size_t, float*, float*);
template bool choose_largest(const double*, std::size_t, std::size_t, double*, double*);

}  // namespace attncert
#endif  // HWY_ONCE
