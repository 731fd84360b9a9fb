// ||s||^2 of a row as certified numbers: from the inner products that a pass has added up, or, where the tokens of s cancel, from the
// vectors.
#pragma once

#include <algorithm>
#include <cstddef>

#include "src/bounds/ball.hpp"
#include "src/bounds/gram_rows.hpp"
#include "src/bounds/rank_walk.hpp"
#include "src/bounds/row_state.hpp"
#include "src/bounds/vectors.hpp"

namespace attncert::bounds {

// Above what sums of L < 2^22 norms in f64 lose.
inline constexpr double norms_above = 1 + 0x1p-30;

// What a scaled weight is multiplied by to be a_i.
template <class T>
Certified weight_unit(const RowState<T>& row, Weights meaning) {
  if (meaning == Weights::as_given) return exact(1) * PowerOfTwo(row.weight_exponent);
  return exact(1) / Certified{row.sum, error_above(row.relative * row.absolute_sum)};
}

template <class T>
class Context {
 public:
  Context(const RowState<T>& row, const GramRows<T>& source, double tolerance)
      : row_(row), source_(source), tolerance_(tolerance), vectors_(form()) {}

  VectorForm<T> form() const {
    return VectorForm<T>(source_.tokens, source_.exponent, row_.w, row_.order.index, row_.weighted_norms);
  }

  // Of the N largest, N ascending from call to call; `value`: what the pass has.
  Certified squared(double value, std::size_t N) {
    const PassError error = pass_error(source_, N);
    const double P = row_.weighted_norms[N] * norms_above;
    const Certified by_products{std::max(0.0, value), error_above(error.context * P * P + error.floor)};
    if (by_products.value > 0) cancellation_ = std::max(cancellation_, P * P / by_products.value);
    // Half: what is left of the tolerance is for the terms of the sum.
    if (by_products.error <= tolerance_ / 2 * by_products.value) return by_products;
    vectors_.select(N);
    const Certified s = vectors_.context(), by_vectors = s * s;
    return by_vectors.error < by_products.error ? by_vectors : by_products;
  }

  double cancellation() const { return cancellation_; }  // the largest P^2 / ||s||^2 seen, at least 1

 private:
  const RowState<T>& row_;
  const GramRows<T>& source_;
  double tolerance_;
  VectorForm<T> vectors_;
  double cancellation_ = 1;
};

}  // namespace attncert::bounds
