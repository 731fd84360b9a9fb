// exp_rows.hpp, once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/exp_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/exponential/exp-inl.h"
#include "src/normalizers/exponential/exp_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

int exp_rows(float largest, const float* x, float* y, std::size_t count) {
  const hn::ScalableTag<float> d;
  const Scale<float> scale = make_scale<float>(1, FormatLimits<float>::temperature_limit);
  const RowShift<float> shift = row_shift(scale, largest);
  const RowExp<decltype(d), ExpForm::unit> exp(d, scale, shift);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(exp(hn::LoadU(d, x + i)), d, y + i);
  if (i < count) store_tail(d, exp(load_tail(d, x + i, count - i)), y + i, count - i);
  constexpr float bias = 127;
  return static_cast<int>(shift.magic - (0x1.8p23f + bias));
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {

HWY_EXPORT(exp_rows);

int exponentials_of_row(float largest, const float* x, float* y, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(exp_rows)(largest, x, y, count);
}

}  // namespace attncert
#endif  // HWY_ONCE
