// For files that Highway compiles once for each instruction set: behind HWY_ONCE, in an unnamed namespace,
// ATTNCERT_DISPATCH(id) makes dispatch_`id`<T>(arguments...), which calls `id`_f32 for T = float and `id`_f64 for
// T = double, of the best instruction set that the processor has.
#pragma once

#include <type_traits>
#include <utility>

#define ATTNCERT_DISPATCH(id)                                                       \
  HWY_EXPORT(id##_f32);                                                             \
  HWY_EXPORT(id##_f64);                                                             \
  template <class T, class... Arguments>                                            \
  decltype(auto) dispatch_##id(Arguments&&... arguments) {                          \
    if constexpr (std::is_same_v<T, float>) {                                       \
      return HWY_DYNAMIC_DISPATCH(id##_f32)(std::forward<Arguments>(arguments)...); \
    } else {                                                                        \
      return HWY_DYNAMIC_DISPATCH(id##_f64)(std::forward<Arguments>(arguments)...); \
    }                                                                               \
  }
