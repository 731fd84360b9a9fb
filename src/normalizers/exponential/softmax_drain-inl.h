// While the exponentials of one row are computed, the row before is stored.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_DRAIN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_DRAIN_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_DRAIN_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_DRAIN_INL_H
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "src/normalizers/exponential/softmax_pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// Stores the weights of one row, piece by piece, while the exponentials of the next one are computed and, past the
// caches, the one after is fetched.
template <class D, class By, bool kPast = true, class T = Lane<D>>
class Drain {
 public:
  HWY_INLINE Drain(D d, const T* e, T* y, const By& times, const T* next, std::size_t length)
      : times_(times), e_(e), y_(y), next_(next), length_(length), done_(kPast ? misaligned(d, y, length) : 0) {
    multiply(d, Stored<T>{e_}, y_, 0, done_, times_);
  }
  HWY_INLINE void operator()(std::size_t i) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t j = i; kPast && j < i + 4 * lanes; j += kLine / sizeof(T)) hwy::Prefetch(next_ + j);
    if (done_ + 4 * lanes > length_) return;
    for (std::size_t j = done_; j < done_ + 4 * lanes; j += lanes) {
      const auto v = times_(hn::LoadU(d, e_ + j));
      if (kPast) {
        hn::Stream(v, d, y_ + j);
      } else {
        hn::StoreU(v, d, y_ + j);
      }
    }
    done_ += 4 * lanes;
  }
  HWY_INLINE void finish() { multiply(D(), Stored<T>{e_}, y_, done_, length_, times_); }

 private:
  By times_;
  const T* e_;
  T* y_;
  const T* next_;
  std::size_t length_, done_;
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
