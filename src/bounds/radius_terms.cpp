#include "src/bounds/radius_terms.hpp"

#include <algorithm>
#include <cmath>

#include "src/bounds/inner_products.hpp"

namespace attncert::bounds {

template <class T>
RadiusTerms<T>::RadiusTerms(const RowState<T>& row, std::span<const double> squared_norms, const PairDistances& pairs,
                            std::size_t dimension, double token_error)
    : row_(row) {
  const std::size_t length = row.length;
  for (auto* values :
       {&mass_.with, &mass_.without, &absolute_.with, &absolute_.without, &squares_.with, &squares_.without})
    values->assign(length + 1, 0);
  for (std::size_t k = 0; k < length; ++k) {
    const double a = row.w[row.order.index[k]], later = k == 0 ? 0 : a;
    mass_.with[k + 1] = mass_.with[k] + a;
    mass_.without[k + 1] = mass_.without[k] + later;
    absolute_.with[k + 1] = absolute_.with[k] + std::fabs(a);
    absolute_.without[k + 1] = absolute_.without[k] + std::fabs(later);
    squares_.with[k + 1] = squares_.with[k] + a * a;
    squares_.without[k + 1] = squares_.without[k] + later * later;
  }
  double largest = 0;
  for (std::size_t i = 0; i < length; ++i) largest = std::max(largest, squared_norms[i]);
  squared_radius = {largest, error_above((inner_product_error(dimension) + 2.001 * token_error) * largest)};
  // Tokens that move by t M at most move a distance D by 2 t M, and D^2 / 2 by 2 t M (D + t M).
  const double moved = 2.001 * token_error * std::sqrt(largest);
  const auto half = [&](double squared) {
    const double value =
        std::isfinite(squared) ? squared / 2 : 0;  // a single token has no other: any separation serves
    return Certified{value,
                     error_above(pairs.error * value + moved * (std::sqrt(2 * value) + 0.5 * moved) + 0x1p-1020)};
  };
  half_closest = half(pairs.closest[length]);
  half_farthest = half(pairs.farthest[length]);
  rest = squared_radius - half_closest;
  eta_rest = squared_radius - half_farthest;
}

template <class T>
Certified RadiusTerms<T>::mass(std::size_t N) const {
  return {mass_.with[N], error_above(row_.relative * absolute_.with[N])};
}
template <class T>
Certified RadiusTerms<T>::squares(std::size_t N) const {
  return {squares_.with[N], error_above(row_.relative * squares_.with[N])};
}

// The largest weight may be nearly all of the sum: what is left without it is a sum of its own.
template <class T>
Certified RadiusTerms<T>::others(std::size_t rank, std::size_t N) const {
  if (rank == 0) return {mass_.without[N], error_above(row_.relative * absolute_.without[N])};
  return mass(N) - exact(row_.w[row_.order.index[rank]]);
}
template <class T>
Certified RadiusTerms<T>::squares_of_others(std::size_t rank, std::size_t N) const {
  if (rank == 0) return {squares_.without[N], error_above(row_.relative * squares_.without[N])};
  const Certified a = exact(row_.w[row_.order.index[rank]]);
  return squares(N) - a * a;
}

template <class T>
Certified RadiusTerms<T>::xi_squared(std::size_t rank, std::size_t N, Reading reading) const {
  const Certified left = others(rank, N);
  return half_closest * squares_of_others(rank, N) + rest * left * (reading == Reading::distinct ? left : mass(N));
}
template <class T>
Certified RadiusTerms<T>::eta_squared(std::size_t rank, std::size_t N) const {
  const Certified left = others(rank, N);
  return half_farthest * squares_of_others(rank, N) + eta_rest * left * left;
}

template class RadiusTerms<float>;
template class RadiusTerms<double>;

}  // namespace attncert::bounds
