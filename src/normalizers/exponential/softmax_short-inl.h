// Rows of at most four vectors, sixteen at a time: the reductions of four rows share one transposition, so that no row
// waits for another. A row gets the same bits whatever rows share its block. A Storage says how logits and weights lie
// in memory: f32 here, the half formats in softmax_half-inl.h; the arithmetic between is one. Only the interface is
// here: its body (softmax_short_body-inl.h) is compiled once for each Storage, whichever kernels use it.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_SHORT_INL_H
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "src/normalizers/row-inl.h"
#include "src/normalizers/scale.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

constexpr std::size_t kShortRows = 16;  // a multiple of 8; each step for all of them: none waits for its reductions

// Rows of f32: Cell, and how vectors of it are read and the weights of a row written.
struct SingleStorage {
  using Cell = float;
  static constexpr bool kOwnScales = true;  // whether ShortKind::own may be asked for
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const float* x) {
    return hn::LoadU(d, x);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> load_first(D d, const float* x, std::size_t count) {
    return load_tail(d, x, count);
  }
  // y = times(e) for a row of kVectors vectors, the last of which may be beyond its end. kPast: past the caches.
  template <std::size_t kVectors, bool kPast, class D, class By>
  static HWY_INLINE void store(D d, const By& times, const float* e, float* y, std::size_t length) {
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t j = 0; j < kVectors; ++j) {
      const auto weights = times(hn::Load(d, e + j * lanes));
      if (kPast) {
        hn::Stream(weights, d, y + j * lanes);
      } else if (HWY_LIKELY(j + 1 < kVectors || (j + 1) * lanes == length)) {
        hn::StoreU(weights, d, y + j * lanes);
      } else {
        store_tail(d, weights, y + j * lanes, std::min(length - j * lanes, lanes));
      }
    }
  }
};

// Largest logits are found four rows at a time.
constexpr std::size_t in_fours(std::size_t count) { return (count + 3) / 4 * 4; }

template <class Storage>
struct ShortRowsOf {
  const typename Storage::Cell* x[kShortRows];  // the last row stands in for what is missing of four; scales likewise
  typename Storage::Cell* y[kShortRows];
  std::size_t count;
  std::size_t length;
  const typename Storage::Cell* ahead;  // a row to be fetched beside each, or null
  std::size_t ahead_stride;
  bool all_present;                        // rows with a logit of -inf do not fit
  const Scale<float>* scales[kShortRows];  // each row's own, where the pipe asks for it
};
using ShortRows = ShortRowsOf<SingleStorage>;

// A block whose exponentials wait for their product.
template <class Storage>
struct ShortPending {
  HWY_ALIGN float e[kShortRows * HWY_MAX_BYTES];  // four vectors a row
  HWY_ALIGN float inverses[kShortRows];
  typename Storage::Cell* y[kShortRows];
  std::size_t count = 0;
  bool some_rare = false;  // a weight may be subnormal, or a row is NaN
};

// What the exponentials of a row need, and its reciprocal.
struct ShortShifts {
  HWY_ALIGN float largest[kShortRows], magic[kShortRows], floor[kShortRows];
  HWY_ALIGN float subtract[kShortRows];  // the largest logit where it is out of reach, else 0
  HWY_ALIGN float zero[kShortRows];      // exp(0), where a logit 0 takes part
  bool fit;                              // every largest logit is finite
  bool near;                             // no row must subtract
};

// What all rows of a batch share beside their temperature.
struct ShortKind {
  bool past = false;  // past the caches: rows are aligned and whole vectors long
  bool own = false;   // each row has a scale of its own
  bool zero = false;  // a logit 0 takes part that has no place in the row
};

// Rows of one length in blocks. Past the caches, while the exponentials of one block are computed, the weights of the
// block before are stored and one to come is fetched, row by row.
template <class Storage>
class ShortPipe {
 public:
  ShortPipe(const Scale<float>& scale, std::size_t length, ShortKind kind);

  // False, and nothing of these rows done, unless every largest logit is finite (and none is -inf, where all are to be
  // present).
  bool take(const ShortRowsOf<Storage>& rows, ShortShifts& shifts);
  void finish();

 private:
  using Cell = typename Storage::Cell;
  using D = hn::ScalableTag<float>;
  using Pending = ShortPending<Storage>;
  using Wide = hn::Rebind<double, hn::Half<D>>;
  enum class Form { unit, shared, own };  // of the exponential: T = 1, one scale for all, each row's own

  template <std::size_t kVectors>
  bool take_of(const ShortRowsOf<Storage>& rows, ShortShifts& shifts);
  template <std::size_t kVectors>
  bool all_exponentials(const ShortRowsOf<Storage>& rows, const ShortShifts& shifts, float* e, double* sums);
  template <std::size_t kVectors, Form kForm, bool kPast>
  bool exponentials(const ShortRowsOf<Storage>& rows, const ShortShifts& shifts, float* e, double* sums);
  template <std::size_t kVectors>
  bool subtracted(const ShortRowsOf<Storage>& rows, const ShortShifts& shifts, float* e, double* sums);
  bool reciprocals(double* sums, const ShortShifts& shifts, std::size_t count, float* inverses) const;
  template <std::size_t kVectors>
  void store_before();
  template <std::size_t kVectors, bool kPast>
  void store(const Pending& block, std::size_t r) const;
  template <std::size_t kVectors, bool kPast>
  void store_rare(const Pending& block, std::size_t r) const;

  const Scale<float>& scale_;
  std::size_t length_, vectors_;
  ShortKind kind_;
  Form form_;
  Pending blocks_[2];
  std::size_t which_ = 0;
};

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
