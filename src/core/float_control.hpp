// The floating-point environment as a kernel must leave it: rounding, flush to zero, exception masks; the flags may
// change.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace attncert {

// One number that is equal before and after: MXCSR without its six flags (Intel SDM vol. 1, 10.2.3) and the x87 control
// word; FPCR; elsewhere the rounding mode alone.
inline std::uint64_t float_control() {
#if defined(__x86_64__)
  std::uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return std::uint64_t{x87} << 32 | (_mm_getcsr() & ~std::uint32_t{0x3f});
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#else
  return static_cast<std::uint64_t>(std::fegetround());
#endif
}

inline void default_float_control() { std::fesetenv(FE_DFL_ENV); }

}  // namespace attncert
