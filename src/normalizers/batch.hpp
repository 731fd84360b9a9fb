// What a kernel works on: the caller's arguments, checked and typed, and the rows that no arithmetic reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "attncert/kernel.h"
#include "src/normalizers/scale.hpp"

namespace attncert {

template <class T>
struct Batch {
  const T* input = nullptr;
  T* output = nullptr;
  const std::uint8_t* mask = nullptr;  // for entries that take masks (entry.hpp)
  bool masked = false;                 // for the others: these rows came under a mask, -inf is likely
  std::size_t rows = 0, length = 0, input_stride = 0, output_stride = 0, mask_stride = 0;
  void* scratch = nullptr;
  std::size_t scratch_bytes = 0;  // at least what the kernel asked for
  double temperature = 1;
  Scale<T> scale{};
  attncert_parameters parameters{};  // with defaults where the caller gave none; ranges are the kernel's business
  const T* upstream = nullptr;       // derivatives only
  std::size_t upstream_stride = 0;
};

enum class Direction : bool { forward, derivative };

// kernel.h names derivatives so.
constexpr Direction direction_of(std::string_view normalizer) {
  return normalizer.ends_with("-vjp") ? Direction::derivative : Direction::forward;
}

// Fills `batch`; ATTNCERT_OK with rows = 0 when there is nothing to write. `limit` as in make_scale.
template <class T>
attncert_status read_arguments(const attncert_arguments* arguments, double limit, std::size_t scratch_bytes,
                               Batch<T>& batch, Direction direction = Direction::forward) noexcept;

// Writes a row whose largest logit is not finite: NaN anywhere -> all NaN; m entries of +inf -> at_infinity(m) there
// and `elsewhere` at the others; only -inf -> `elsewhere`.
template <class T>
void write_degenerate_row(const T* x, T* y, std::size_t length, T elsewhere, double (*at_infinity)(double)) noexcept;

template <class T>
void fill(T* y, std::size_t length, T value) noexcept;

#define ATTNCERT_BATCH_OF(T)                                                                                   \
  extern template attncert_status read_arguments<T>(const attncert_arguments*, double, std::size_t, Batch<T>&, \
                                                    Direction) noexcept;                                       \
  extern template void write_degenerate_row<T>(const T*, T*, std::size_t, T, double (*)(double)) noexcept;     \
  extern template void fill<T>(T*, std::size_t, T) noexcept;
ATTNCERT_BATCH_OF(float)
ATTNCERT_BATCH_OF(double)
#undef ATTNCERT_BATCH_OF

}  // namespace attncert
