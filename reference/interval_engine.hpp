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

struct Interval::Representation {
  explicit Representation(mpfr_prec_t bits) {  // the point 0
    mpfi_init2(number, bits);
    mpfi_set_ui(number, 0);
  }
  ~Representation() { mpfi_clear(number); }
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

  mpfi_t number;
};

using Representation = Interval::Representation;

// Makes an Interval of a pair; the pair is the point 0 to begin with.
struct IntervalAccess {
  static Interval zero(mpfr_prec_t bits) { return Interval(std::make_unique<Representation>(bits)); }
};

inline bool is_bounded(const Representation& a) { return !mpfr_inf_p(a.left()) && !mpfr_inf_p(a.right()); }
inline void set_whole_line(Representation& a) {
  mpfr_set_inf(a.left(), -1);
  mpfr_set_inf(a.right(), 1);
}
// More bits, the same value.
inline void raise_precision(Representation& a, mpfr_prec_t bits) {
  if (a.bits() >= bits) return;
  mpfr_prec_round(a.left(), bits, MPFR_RNDD);
  mpfr_prec_round(a.right(), bits, MPFR_RNDU);
}

}  // namespace attncert
