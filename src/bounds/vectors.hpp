// The same quantities from the vectors, in f64: s as a sum, distances by subtraction, so that nothing is lost where the
// tokens of s cancel or where a_i x_i and s nearly agree. O(d) a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/bounds/certified.hpp"
#include "src/bounds/row.hpp"
#include "src/bounds/vector_pass.hpp"

namespace attncert::bounds {

template <class T>
class VectorForm {
 public:
  // w: scaled weights; tokens are scaled by 2^-exponent as in Gram. weighted_norms[N] = sum over the first N ranks of
  // |w_i| ||x_i||, rounded up or nearly so.
  VectorForm(Tokens<T> tokens, int exponent, std::span<const double> w, std::span<const std::uint32_t> order,
             std::span<const double> weighted_norms);

  void select(std::size_t N);                   // ascending from call to call: s of the first N ranks
  Certified context() const;                    // ||s||
  Certified distance(std::size_t token) const;  // ||a_i x_i - s||
  // e_i = ||a_i x_i - s||^2 - ||s||^2; `squared_norm` of the scaled token, within inner_product_error.
  Certified excess(std::size_t token, double squared_norm) const;
  Certified rest() const;  // d-tilde: the sum over all ranks from N on

 private:
  double apart(std::size_t token) const;
  double absolute_error() const;
  double relative_error() const;

  Tokens<T> tokens_;
  PowerOfTwo scale_;
  std::span<const double> w_;
  std::span<const std::uint32_t> order_;
  std::size_t N_ = 0;
  std::vector<double> s_;
  std::span<const double> weighted_norms_;
  double context_ = 0;
};

extern template class VectorForm<float>;
extern template class VectorForm<double>;

}  // namespace attncert::bounds
