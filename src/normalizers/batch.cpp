// The plain parts of a kernel, compiled once for the baseline: no arithmetic on weights happens here.
#include "src/normalizers/batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace attncert {
namespace {

attncert_parameters with_defaults(const void* given) noexcept {
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
  if (given == nullptr) return parameters;
  std::uint32_t size = 0;
  std::memcpy(&size, given, sizeof size);
  std::memcpy(&parameters, given, std::min<std::size_t>(size, sizeof parameters));
  return parameters;
}

}  // namespace

template <class T>
attncert_status read_arguments(const attncert_arguments* arguments, double limit, std::size_t scratch_bytes,
                               Batch<T>& batch, Direction direction) noexcept {
  if (arguments == nullptr || arguments->size < sizeof(attncert_arguments)) return ATTNCERT_BAD_ARGUMENT;
  const attncert_arguments& a = *arguments;
  if (!(a.temperature > 0) || std::isinf(a.temperature)) return ATTNCERT_BAD_TEMPERATURE;
  const bool derivative = direction == Direction::derivative;
  if (!derivative && a.upstream != nullptr) return ATTNCERT_BAD_ARGUMENT;
  batch.parameters = with_defaults(a.parameters);
  if (a.rows == 0 || a.length == 0) return ATTNCERT_OK;
  if (a.input == nullptr || a.output == nullptr) return ATTNCERT_BAD_ARGUMENT;
  if (derivative && a.upstream == nullptr) return ATTNCERT_BAD_ARGUMENT;
  const bool overlapping = a.input_stride < a.length || a.output_stride < a.length ||
                           (a.mask != nullptr && a.mask_stride < a.length) ||
                           (derivative && a.upstream_stride < a.length);
  if (a.rows > 1 && overlapping) return ATTNCERT_BAD_ARGUMENT;
  if (scratch_bytes > 0 && (a.scratch == nullptr || a.scratch_bytes < scratch_bytes)) return ATTNCERT_SHORT_SCRATCH;
  batch.input = static_cast<const T*>(a.input);
  batch.output = static_cast<T*>(a.output);
  batch.mask = a.mask;
  batch.rows = a.rows;
  batch.length = a.length;
  batch.input_stride = a.input_stride;
  batch.output_stride = a.output_stride;
  batch.mask_stride = a.mask_stride;
  batch.upstream = static_cast<const T*>(a.upstream);
  batch.upstream_stride = a.upstream_stride;
  batch.scratch = a.scratch;
  batch.scratch_bytes = a.scratch_bytes;
  batch.temperature = a.temperature;
  batch.scale = make_scale<T>(a.temperature, limit);
  return ATTNCERT_OK;
}

template <class T>
void write_degenerate_row(const T* x, T* y, std::size_t length, T elsewhere, double (*at_infinity)(double)) noexcept {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::size_t count = 0;
  bool nan = false;
  for (std::size_t i = 0; i < length; ++i) {
    count += x[i] == infinity;
    nan |= x[i] != x[i];
  }
  if (nan) return fill(y, length, std::numeric_limits<T>::quiet_NaN());
  const T share = count > 0 ? static_cast<T>(at_infinity(static_cast<double>(count))) : elsewhere;
  for (std::size_t i = 0; i < length; ++i) y[i] = x[i] == infinity ? share : elsewhere;
}

template <class T>
void fill(T* y, std::size_t length, T value) noexcept {
  for (std::size_t i = 0; i < length; ++i) y[i] = value;
}

#define ATTNCERT_BATCH_OF(T)                                                                            \
  template attncert_status read_arguments<T>(const attncert_arguments*, double, std::size_t, Batch<T>&, \
                                             Direction) noexcept;                                       \
  template void write_degenerate_row<T>(const T*, T*, std::size_t, T, double (*)(double)) noexcept;     \
  template void fill<T>(T*, std::size_t, T) noexcept;
ATTNCERT_BATCH_OF(float)
ATTNCERT_BATCH_OF(double)
#undef ATTNCERT_BATCH_OF

}  // namespace attncert
