// From a kernel file to its lines in the list of built-in kernels. The file states in a struct what is its own (sigmoid.cpp is
// a plain example), its base what it shares with others, and entry<> makes the descriptor: every kernel checks what it is
// given in the same order, arguments, scratch, parameters.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "attncert/kernel.h"
#include "src/kernel/budget.hpp"
#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"

namespace attncert {

// The base of a kernel's struct, which hides what is otherwise with it, and adds
//   normalizer    the mathematics; a name in "-vjp" takes an upstream, any other refuses one
//   run(batch)    for Batch<float> and Batch<double>: all rows, and there are some
struct PlainEntry {
  template <class T>
  static constexpr double limit = FormatLimits<T>::temperature_limit;  // as in make_scale
  template <class T>
  static constexpr ScratchNeeded* scratch = nullptr;
  static constexpr bool accepts(const attncert_parameters&) { return true; }
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
  if (batch.rows > 0) Kernel::run(batch);
  return ATTNCERT_OK;
}

template <class Kernel, class T>
constexpr BuiltIn entry(Budget budget, const char* name = kernel_name<Kernel, T>.data()) {
  return built_in(name, Kernel::normalizer, dtype_of<T>, run_kernel<Kernel, T>, Kernel::template scratch<T>, budget);
}

}  // namespace attncert
