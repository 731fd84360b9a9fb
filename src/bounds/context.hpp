// What a pass knows of s: ||s||^2 from rank to rank with a running error, added up from inner products and set right
// from the vectors where the tokens of s cancel; and the proved error of the rest of the pass (docs/bounds.md, "The
// pass").
#pragma once

#include <algorithm>
#include <cstddef>

#include "src/bounds/ball.hpp"
#include "src/bounds/gram_rows.hpp"
#include "src/bounds/inner_products.hpp"
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

// After N ranks, with P = sum over I of |a_j| ||x_j|| and alpha_i = |a_i| ||x_i||:
//   |c_i - x_i . s| <= product ||x_i|| P + floor,   |e_i - exact| <= excess (alpha_i^2 + 2 alpha_i P) + floor.
struct PassError {
  double product = 0, excess = 0, floor = 0;
};
template <class T>
PassError pass_error(const GramFacts<T>& source, std::size_t N) {
  constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  const auto n = static_cast<double>(N);
  PassError error;
  // The entries' own error; within a block 8 products and 8 sums in T (one rounding each where multiply-add is fused);
  // blocks in f64.
  error.product = source.error + 1.001 * 9 * u + n * roundoff;
  // e: its first value rounded to T (in f64: five roundings), then a product and a sum.
  error.excess = error.product + inner_product_error(source.tokens.dimension) + 1.001 * (sizeof(T) == 4 ? 3 : 8) * u;
  // A normal number of T, since arithmetic on others is slow.
  error.floor = std::max((n + 2) * (n + 2) * 32 * source.floor, sizeof(T) == 4 ? 0x1p-120 : 0x1p-1000);
  return error;
}

// The error of the rounded S + e_i over the unselected tokens. S is rounded to T once more.
template <class T>
double square_error(const RowState<T>& row, const GramFacts<T>& source, std::size_t N, Certified S) {
  constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  const PassError error = pass_error(source, N);
  const double P = row.weighted_norms[N] * norms_above, alpha = row.rest_largest[N] * norms_above;
  return error_above(error.excess * (alpha * alpha + 2 * alpha * P) + error.floor + S.error + u * S.value);
}

template <class T>
class Context {
 public:
  Context(const RowState<T>& row, const GramFacts<T>& source, double tolerance)
      : row_(row), source_(source), tolerance_(tolerance), vectors_(form()) {}

  VectorForm<T> form() const {
    return VectorForm<T>(source_.tokens, source_.exponent, row_.w, row_.order.index, row_.weighted_norms);
  }

  // Before the block that begins with this rank: from the vectors, if the sum so far has lost too much. A quarter of
  // the tolerance: the block adds to the error, and the terms of a curve have errors of their own.
  void refresh(std::size_t rank) {
    if (rank == 0 || S_.error <= tolerance_ / 4 * S_.value) return;
    vectors_.select(rank);
    const Certified s = vectors_.context(), by_vectors = s * s;
    if (by_vectors.error < S_.error) S_ = by_vectors;
  }

  // One more rank, `product` = x . s as the pass has it: ||s + w x||^2 = ||s||^2 + 2 w x . s + w^2 ||x||^2.
  Certified add(std::size_t rank, double product) {
    const std::size_t token = row_.order.index[rank];
    const double w = row_.w[token], norm = source_.squared_norms[token];
    const double P = row_.weighted_norms[rank] * norms_above, alpha = std::fabs(w) * row_.norm[token] * norms_above;
    const PassError error = pass_error(source_, rank + 1);
    S_.value = std::max(0.0, S_.value + w * (2 * product + w * norm));
    // Four roundings of numbers up to alpha^2 + 2 alpha P, one of S itself.
    S_.error = error_above(S_.error + 2 * alpha * P * error.product +
                           alpha * alpha * inner_product_error(source_.tokens.dimension) +
                           4 * roundoff * (alpha * alpha + 2 * alpha * P) + roundoff * S_.value + error.floor);
    const double whole = P + alpha;
    if (S_.value > 0) cancellation_ = std::max(cancellation_, whole * whole / S_.value);
    return S_;
  }

  Certified squared() const { return S_; }
  double cancellation() const { return cancellation_; }  // the largest P^2 / ||s||^2 seen, at least 1

 private:
  const RowState<T>& row_;
  const GramFacts<T>& source_;
  double tolerance_;
  VectorForm<T> vectors_;
  Certified S_{0, 0};
  double cancellation_ = 1;
};

}  // namespace attncert::bounds
