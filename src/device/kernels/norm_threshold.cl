// The threshold of 1.5-entmax, delta below the largest logit, by Newton's steps on the norm of the w_i = max(delta -
// d_i, 0), d_i = max z - z_i, which is convex, from delta = 2 T, where it is too large: from above they stay above.
// With F = sum w^2, G = sum w the step is (F - 4 T^2) / (G (1 + sqrt(4 T^2 / F))), rounded down; the last one is less
// than a unit of delta, or F is no larger than 4 T^2. d, w and delta are integers (fixed.cl), F and G their sums in
// any order.
#ifndef ATTNCERT_NORM_THRESHOLD
#define ATTNCERT_NORM_THRESHOLD
#include "src/device/kernels/candidates.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/row.cl"
#include "src/device/kernels/squares.cl"

// Of the candidates of a thread below delta.
typedef struct {
  Fixed sum, squares;
} Masses;
DEVICE Masses masses_below(Fixed delta, Fixed highest, int exponent, GLOBAL const Element* row,
                           GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  Masses masses;
  masses.sum = fixed_zero(), masses.squares = fixed_zero();
  for (u32 i = mine.begin; i < mine.end; i += GROUP * VEC)
    for (u32 c = 0u; c < VEC; ++c) {
      const float z = candidate_at(row, mask, i + c, length, top);
      if (z >= top.bar) {
        const Fixed d = below_top(highest, z, exponent);
        if (less(d, delta)) {
          const Fixed w = difference_of(delta, d);
          masses.sum = sum_of(masses.sum, w), masses.squares = sum_of(masses.squares, square_of(w));
        }
      }
    }
  masses.sum = carried(masses.sum), masses.squares = carried(masses.squares);
  return masses;
}

DEVICE Fixed norm_threshold(LOCAL_PTR u64* all, LOCAL_PTR u64* few, Fixed highest, Temperature temperature,
                            GLOBAL const Element* row, GLOBAL const uchar* mask, u32 length, Top top, Stretch mine) {
  const Fixed whole = fixed_temperature(temperature), wanted = wanted_squares(temperature);
  Fixed delta = carried(sum_of(whole, whole));
  bool farther;
  do {
    const Masses part = masses_below(delta, highest, temperature.exponent, row, mask, length, top, mine);
    const Fixed sum = group_sum_of(all, few, part.sum), squares = group_sum_of(all, few, part.squares);
    const Fixed step = newton_step(sum, squares, wanted);
    delta = difference_of(delta, step);
    farther = less(fixed_zero(), step);
  } while (farther);
  return delta;
}

#endif  // ATTNCERT_NORM_THRESHOLD
