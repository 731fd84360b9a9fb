// The registration at the end of a kernel's file. ATTNCERT_KERNEL names the normalizer, what the kernel asks of its
// arguments (a struct: PlainEntry, or what derives from it) and its budgets, and makes the two descriptors, f32 and
// f64. Every kernel checks what it is given in the same order: arguments, scratch, parameters. CMakeLists.txt makes the
// list of built-in kernels from these registrations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "attncert/kernel.h"
#include "src/kernel/budget.hpp"
#include "src/kernel/dispatch.hpp"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"
#include "src/normalizers/masked_rows.hpp"

namespace attncert {

struct PlainEntry {
  template <class T>
  static constexpr double limit = FormatLimits<T>::temperature_limit;  // as in make_scale
  template <class T>
  static constexpr ScratchNeeded* scratch = nullptr;
  static constexpr bool takes_masks = false;  // else rows come as masked_rows.hpp writes them
  static constexpr bool accepts(const attncert_parameters&) { return true; }
};

// Kernels that read attncert_parameters::scale, or ::bias.
template <class Base>
struct WithScale : Base {
  static bool accepts(const attncert_parameters& p) { return std::isfinite(p.scale); }
};
template <class Base>
struct WithBias : Base {
  static bool accepts(const attncert_parameters& p) { return std::isfinite(p.bias); }
};

template <class T>
constexpr attncert_dtype dtype_of = ATTNCERT_F32;
template <>
inline constexpr attncert_dtype dtype_of<double> = ATTNCERT_F64;

// "sigmoid.f32", as an array of characters: descriptors point to it.
template <class Kernel, class T>
constexpr auto kernel_name = [] {
  constexpr std::string_view normalizer = Kernel::normalizer, type = dtype_of<T> == ATTNCERT_F32 ? ".f32" : ".f64";
  std::array<char, normalizer.size() + type.size() + 1> name{};
  std::copy(type.begin(), type.end(), std::copy(normalizer.begin(), normalizer.end(), name.begin()));
  return name;
}();

template <class Kernel, class T>
attncert_status run_kernel(const attncert_arguments* arguments) {
  const bool readable = arguments != nullptr && arguments->size >= sizeof(attncert_arguments);
  std::size_t scratch = 0;
  if constexpr (Kernel::template scratch<T> != nullptr) scratch = readable ? Kernel::template scratch<T>(arguments) : 0;
  constexpr Direction direction = direction_of(Kernel::normalizer);
  Batch<T> batch;
  const attncert_status status = read_arguments(arguments, Kernel::template limit<T>, scratch, batch, direction);
  if (status != ATTNCERT_OK) return status;
  if (!Kernel::accepts(batch.parameters)) return ATTNCERT_BAD_PARAMETER;  // with nothing to write too
  if (batch.rows == 0) return ATTNCERT_OK;
  if (batch.mask == nullptr || Kernel::takes_masks) return Kernel::run(batch);
  return in_masked_parts(dtype_of<T>, *arguments, [&](std::size_t first, std::size_t rows) {
    Batch<T> part = batch;
    part.masked = true;
    part.rows = rows;
    part.output += first * batch.output_stride;
    part.input = part.output;
    part.input_stride = batch.output_stride;
    if (direction == Direction::derivative) part.upstream += first * batch.upstream_stride;
    return Kernel::run(part);
  });
}

template <class Kernel, class T>
constexpr BuiltIn entry(Budget budget, const char* name = kernel_name<Kernel, T>.data()) {
  return built_in(name, Kernel::normalizer, dtype_of<T>, run_kernel<Kernel, T>, Kernel::template scratch<T>, budget);
}

// Registers kernels `id`_f32 and `id`_f64 of a Batch, which are compiled for each instruction set (HWY_NAMESPACE). A
// name that ends in "-vjp" takes an upstream, any other refuses one. Budgets with a comma stand in parentheses.
#define ATTNCERT_KERNEL(id, name, Entry, f32_budget, f64_budget) \
  ATTNCERT_KERNEL_DISPATCH(id)                                   \
  ATTNCERT_KERNEL_RUN(id, name, Entry, dispatch_##id<T>(batch), f32_budget, f64_budget)

#define ATTNCERT_KERNEL_DISPATCH(id) \
  namespace attncert {               \
  namespace {                        \
  ATTNCERT_DISPATCH(id)              \
  }                                  \
  }

// Registers kernels that run, on a `batch` of one row or more of T, what run_rows says.
#define ATTNCERT_KERNEL_RUN(id, name, Entry, run_rows, f32_budget, f64_budget) \
  namespace attncert {                                                         \
  namespace {                                                                  \
  struct id##_entry : Entry {                                                  \
    static constexpr const char* normalizer = name;                            \
    template <class T>                                                         \
    static attncert_status run(const Batch<T>& batch) {                        \
      run_rows;                                                                \
      return ATTNCERT_OK;                                                      \
    }                                                                          \
  };                                                                           \
  }                                                                            \
  extern const BuiltIn id##_f32_kernel, id##_f64_kernel;                       \
  const BuiltIn id##_f32_kernel = entry<id##_entry, float>(f32_budget);        \
  const BuiltIn id##_f64_kernel = entry<id##_entry, double>(f64_budget);       \
  }

}  // namespace attncert
