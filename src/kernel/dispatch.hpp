// For files that Highway compiles once for each instruction set. ATTNCERT_FORMS(id), inside its namespace, names the
// f32 and f64 forms `id`_f32 and `id`_f64 of a function template `id`<T>. ATTNCERT_DISPATCH(id), behind HWY_ONCE in an
// unnamed namespace, makes dispatch_`id`<T>(arguments...), which calls the form for T of the best instruction set that
// the processor has.
#pragma once

#include <type_traits>
#include <utility>

// References, because HWY_EXPORT takes the address of what it is given by name.
#define ATTNCERT_FORMS(id)                     \
  static constexpr auto& id##_f32 = id<float>; \
  static constexpr auto& id##_f64 = id<double>;

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
