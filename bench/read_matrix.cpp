#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/read_matrix.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "bench/read_matrix.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double read(const float* entries, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    a = hn::Add(a, hn::Load(d, entries + i));
    b = hn::Add(b, hn::Load(d, entries + i + lanes));
    c = hn::Add(c, hn::Load(d, entries + i + 2 * lanes));
    e = hn::Add(e, hn::Load(d, entries + i + 3 * lanes));
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e)))));
}

}  // namespace attncert::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::bench {
HWY_EXPORT(read);
double read_matrix(const float* entries, std::size_t count) { return HWY_DYNAMIC_DISPATCH(read)(entries, count); }
}  // namespace attncert::bench
#endif  // HWY_ONCE
