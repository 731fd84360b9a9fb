// Blocks of short rows of which one does not fit: it costs its neighbours nothing but a second try.
#if defined(ATTNCERT_NORMALIZERS_SOFTMAX_PARTED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_SOFTMAX_PARTED_INL_H
#undef ATTNCERT_NORMALIZERS_SOFTMAX_PARTED_INL_H
#else
#define ATTNCERT_NORMALIZERS_SOFTMAX_PARTED_INL_H
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "src/normalizers/exponential/softmax_short-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// A block of which a row does not fit, parted by what each row holds itself: fits(r) go through the pipe together,
// alone(r) is called for the others.
template <class Storage, class Pipe, class Fits, class Alone>
HWY_INLINE void take_parted(Pipe& pipe, const ShortRowsOf<Storage>& rows, std::size_t present, const Fits& fits,
                            const Alone& alone) {
  ShortRowsOf<Storage> some = rows;
  some.ahead = nullptr;
  std::size_t numbers[kShortRows], count = 0;
  for (std::size_t r = 0; r < present; ++r) {
    if (!fits(r)) {
      alone(r);
      continue;
    }
    some.x[count] = rows.x[r];
    some.y[count] = rows.y[r];
    some.scales[count] = rows.scales[r];
    numbers[count++] = r;
  }
  if (count == 0) return;
  some.count = count;
  std::fill(some.x + count, some.x + in_fours(count), some.x[count - 1]);
  std::fill(some.scales + count, some.scales + in_fours(count), some.scales[count - 1]);
  ShortShifts shifts;
  if (HWY_LIKELY(pipe.take(some, shifts))) return;
  for (std::size_t k = 0; k < count; ++k) {
    ShortRowsOf<Storage> one = rows;
    one.ahead = nullptr;
    one.count = 1;
    one.y[0] = rows.y[numbers[k]];
    std::fill_n(one.x, in_fours(1), rows.x[numbers[k]]);
    std::fill_n(one.scales, in_fours(1), rows.scales[numbers[k]]);
    if (!pipe.take(one, shifts)) alone(numbers[k]);
  }
}

#endif

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
