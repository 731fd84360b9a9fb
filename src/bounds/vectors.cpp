#include "src/bounds/vectors.hpp"

#include <cmath>

#include "src/bounds/ball.hpp"
#include "src/bounds/inner_products.hpp"

namespace attncert::bounds {

template <class T>
VectorForm<T>::VectorForm(Tokens<T> tokens, int exponent, std::span<const double> w,
                          std::span<const std::uint32_t> order, std::span<const double> weighted_norms)
    : tokens_(tokens), scale_(-exponent), w_(w), order_(order), s_(tokens.dimension), weighted_norms_(weighted_norms) {}

template <class T>
void VectorForm<T>::select(std::size_t N) {
  while (N_ < N) {
    WeightedTokens<T> some;
    for (; some.count < tokens_at_once && N_ < N; ++some.count, ++N_) {
      some.x[some.count] = tokens_[order_[N_]];
      some.w[some.count] = w_[order_[N_]];
    }
    add_tokens(s_.data(), some, scale_, s_.size());
  }
  context_ = std::sqrt(squared_length(s_.data(), s_.size()));
}

template <class T>
double VectorForm<T>::apart(std::size_t token) const {
  return std::sqrt(squared_apart(s_.data(), tokens_[token], w_[token], scale_, s_.size()));
}

// What a distance may be off by beside (d + 10) u times itself: s, a sum of N rounded products in each component, by
// (N + 1) u P; the rounding of a_i x_i, whose norm is at most f_i + ||s||. Squares below the smallest normal number
// vanish: 2^-500 a component is above what that changes.
template <class T>
double VectorForm<T>::absolute_error() const {
  return error_above(1.001 * static_cast<double>(N_ + 1) * roundoff * weighted_norms_[N_] + 2 * roundoff * context_ +
                     static_cast<double>(tokens_.dimension) * 0x1p-500);
}
template <class T>
double VectorForm<T>::relative_error() const {
  return static_cast<double>(tokens_.dimension + 10) * roundoff;
}

template <class T>
Certified VectorForm<T>::context() const {
  return {context_, error_above(absolute_error() + relative_error() * context_)};
}

template <class T>
Certified VectorForm<T>::distance(std::size_t token) const {
  const double f = apart(token);
  return {f, error_above(absolute_error() + relative_error() * f)};
}

template <class T>
Certified VectorForm<T>::excess(std::size_t token, double squared_norm) const {
  const double w = w_[token], product = inner_product(s_.data(), tokens_[token], scale_, s_.size());
  const double alpha = std::fabs(w) * std::sqrt(squared_norm), P = weighted_norms_[N_];
  // x . s: the product's own error and that of s; three roundings put them together.
  const double relative = 2 * inner_product_error(s_.size()) + 1.001 * static_cast<double>(N_ + 8) * roundoff;
  return {w * (w * squared_norm - 2 * product),
          error_above(relative * (alpha * alpha + 2 * alpha * P) + static_cast<double>(s_.size() + N_) * 0x1p-1000)};
}

template <class T>
Certified VectorForm<T>::rest() const {
  const std::size_t count = order_.size() - N_;
  if (count == 0) return exact(0);
  double sum = 0;
  for (std::size_t k = N_; k < order_.size(); ++k) sum += apart(order_[k]);
  const auto n = static_cast<double>(count);
  return {sum, error_above(n * absolute_error() + (relative_error() + n * roundoff) * sum)};
}

template class VectorForm<float>;
template class VectorForm<double>;

}  // namespace attncert::bounds
