// The engine of Interval: MPFI's pair of MPFR numbers.
// Private to reference/: every operation is an MPFI or MPFR call on the pair, with the precision of the pair itself.
// Kept by every operation: lower <= upper, no NaN, lower < +inf, upper > -inf. So sums never meet inf - inf; MPFI's
// product takes 0 times an infinite end as 0 (the tests try every pair of ends).
#pragma once

#include <mpfi.h>

#include <algorithm>
#include <memory>

#include "reference/interval.hpp"
#include "reference/number_memory.hpp"

namespace attncert {

// Significands of up to 128 bits lie in the object itself, which saves two of three blocks of memory.
struct Interval::Representation {
  explicit Representation(mpfr_prec_t bits) {  // the point 0
    if (bits <= held_bits) {
      mpfr_custom_init_set(left(), MPFR_ZERO_KIND, 0, bits, limbs);
      mpfr_custom_init_set(right(), MPFR_ZERO_KIND, 0, bits, limbs + held_limbs);
    } else {
      mpfi_init2(number, bits);
      mpfi_set_ui(number, 0);
    }
  }
  ~Representation() {
    if (bits() > held_bits) mpfi_clear(number);
  }
  Representation(const Representation&) = delete;
  Representation& operator=(const Representation&) = delete;

  static void* operator new(std::size_t bytes) { return allocate_number(bytes); }
  static void operator delete(void* block, std::size_t bytes) { free_number(block, bytes); }

  mpfi_ptr pair() { return number; }
  mpfi_srcptr pair() const { return number; }
  mpfr_ptr left() { return &number->left; }
  mpfr_ptr right() { return &number->right; }
  mpfr_srcptr left() const { return &number->left; }
  mpfr_srcptr right() const { return &number->right; }
  mpfr_prec_t bits() const { return mpfr_get_prec(left()); }

  static constexpr mpfr_prec_t held_bits = 128;
  static constexpr std::size_t held_limbs = held_bits / GMP_NUMB_BITS;
  mpfi_t number;
  mp_limb_t limbs[2 * held_limbs];
};

using Representation = Interval::Representation;

// Makes an Interval of a pair; the pair is the point 0 to begin with.
struct IntervalAccess {
  static Interval zero(mpfr_prec_t bits) { return Interval(std::make_unique<Representation>(bits)); }
  // More bits, the same value. MPFR could not: it must not move significands that it has not allocated.
  static void raise_precision(Interval& a, mpfr_prec_t bits) {
    if (a.engine().bits() >= bits) return;
    Interval raised = zero(bits);
    mpfi_set(raised.engine().pair(), a.engine().pair());
    a = std::move(raised);
  }
};

inline bool is_bounded(const Representation& a) { return !mpfr_inf_p(a.left()) && !mpfr_inf_p(a.right()); }
inline void set_whole_line(Representation& a) {
  mpfr_set_inf(a.left(), -1);
  mpfr_set_inf(a.right(), 1);
}

}  // namespace attncert
