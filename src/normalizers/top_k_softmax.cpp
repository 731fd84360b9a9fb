// top-k-softmax: softmax over the k largest present logits, 0 elsewhere; ties go to the lowest index; k or fewer present
// logits: softmax. The value of the k-th largest comes from one pass that keeps what exceeds the k-th largest so far and
// thins it with std::nth_element when it has doubled (Highway's sort corrupts infinities); the weights are softmax's own.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/top_k_softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <functional>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"
#include "src/normalizers/row-inl.h"
#include "src/normalizers/top_k.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

// `kept` has room for length + kCandidateRoom.
template <class T>
HWY_INLINE KthLargest<T> kth_largest(const T* x, std::size_t length, std::size_t k, T* kept) {
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
  if (count < k) return {-std::numeric_limits<T>::infinity(), count, nan};
  std::nth_element(kept, kept + (k - 1), kept + count, std::greater<>());
  const T value = kept[k - 1];
  const auto above = std::count_if(kept, kept + (k - 1), [value](T v) { return v > value; });
  return {value, static_cast<std::size_t>(above), nan};
}

void kth_largest_f32(const float* x, std::size_t length, std::size_t k, float* kept, KthLargest<float>* found) {
  *found = kth_largest(x, length, k, kept);
}
void kth_largest_f64(const double* x, std::size_t length, std::size_t k, double* kept, KthLargest<double>* found) {
  *found = kth_largest(x, length, k, kept);
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(kth_largest_f32);
HWY_EXPORT(kth_largest_f64);

KthLargest<float> find_kth(const float* x, std::size_t length, std::size_t k, float* kept) {
  KthLargest<float> found{};
  HWY_DYNAMIC_DISPATCH(kth_largest_f32)(x, length, k, kept, &found);
  return found;
}
KthLargest<double> find_kth(const double* x, std::size_t length, std::size_t k, double* kept) {
  KthLargest<double> found{};
  HWY_DYNAMIC_DISPATCH(kth_largest_f64)(x, length, k, kept, &found);
  return found;
}

template <class T>
const attncert_kernel& softmax_kernel() {
  return sizeof(T) == 4 ? softmax_f32_kernel.descriptor : softmax_f64_kernel.descriptor;
}

// The scratch: candidates, the chosen logits, what softmax wants; each on a line of its own.
struct Room {
  std::size_t chosen, softmax, bytes;
};

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

template <class T>
Room room(const attncert_arguments& arguments) {
  const attncert_kernel& softmax = softmax_kernel<T>();
  const std::size_t chosen = whole_lines((arguments.length + kCandidateRoom) * sizeof(T));
  const std::size_t rest = chosen + whole_lines(arguments.length * sizeof(T));
  return {chosen, rest, rest + (softmax.scratch_needed == nullptr ? 0 : softmax.scratch_needed(&arguments))};
}

template <class T>
std::size_t scratch_needed(const attncert_arguments* arguments) {
  return room<T>(*arguments).bytes;
}

// The k largest logits, -inf for the others: what reaches the k-th largest, less the last of those that tie with it.
template <class T>
void choose(const T* x, std::size_t length, std::size_t k, const KthLargest<T>& kth, T* chosen) {
  constexpr T absent = -std::numeric_limits<T>::infinity();
  std::size_t reaching = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const bool reaches = x[i] >= kth.value;
    chosen[i] = reaches ? x[i] : absent;
    reaching += reaches;
  }
  if (kth.value == absent) return;
  for (std::size_t i = length; reaching > k; --i) {
    if (x[i - 1] != kth.value) continue;
    chosen[i - 1] = absent;
    --reaching;
  }
}

template <class T>
attncert_status run_top_k_softmax(const attncert_arguments* arguments) {
  Batch<T> batch;
  const bool readable = arguments != nullptr && arguments->size >= sizeof(attncert_arguments);
  const Room rooms = readable ? room<T>(*arguments) : Room{};
  const attncert_status status = read_arguments(arguments, FormatLimits<T>::temperature_limit, rooms.bytes, batch);
  if (status != ATTNCERT_OK) return status;
  if (batch.parameters.k == 0) return ATTNCERT_BAD_PARAMETER;
  unsigned char* const scratch = static_cast<unsigned char*>(batch.scratch);
  T* const kept = reinterpret_cast<T*>(scratch);
  attncert_arguments one = *arguments;
  one.rows = 1;
  one.mask = nullptr;
  one.input = scratch == nullptr ? nullptr : scratch + rooms.chosen;
  one.scratch = scratch == nullptr ? nullptr : scratch + rooms.softmax;
  one.scratch_bytes = rooms.bytes - rooms.softmax;
  const std::size_t k = static_cast<std::size_t>(std::min<std::uint64_t>(batch.parameters.k, batch.length));
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const T* x = row_logits(batch, row);
    T* y = batch.output + row * batch.output_stride;
    const KthLargest<T> kth = find_kth(x, batch.length, k, kept);
    if (kth.nan) {
      fill(y, batch.length, std::numeric_limits<T>::quiet_NaN());
      continue;
    }
    choose(x, batch.length, k, kth, reinterpret_cast<T*>(scratch + rooms.chosen));
    one.output = y;
    softmax_kernel<T>().run(&one);
  }
  return ATTNCERT_OK;
}

}  // namespace

// Budget: softmax's own (docs/budgets.md, top-k-softmax): its code computes every weight.
const BuiltIn top_k_softmax_f32_kernel =
    built_in("top-k-softmax.f32", "top-k-softmax", ATTNCERT_F32, run_top_k_softmax<float>, scratch_needed<float>,
             softmax_f32_kernel.budget);
const BuiltIn top_k_softmax_f64_kernel =
    built_in("top-k-softmax.f64", "top-k-softmax", ATTNCERT_F64, run_top_k_softmax<double>, scratch_needed<double>,
             softmax_f64_kernel.budget);

}  // namespace attncert
#endif  // HWY_ONCE
