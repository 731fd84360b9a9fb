// xi_i^2 and eta_i^2 of docs/specification.md#theorem2 in a form without cancellation: with Q_i = sum over j != i of
// a_j^2, B_i = the same of a_j,
//   xi_i^2 = (delta^2 / 2) Q_i + (M^2 - delta^2 / 2) B_i B,   B = B_i where k != i, B = A where k = i is allowed.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "src/bounds/ball.hpp"
#include "src/bounds/gram.hpp"
#include "src/bounds/row_state.hpp"
#include "src/bounds/separability.hpp"

namespace attncert::bounds {

// Weights and lengths in the scaled units of the row and the matrix.
template <class T>
class RadiusTerms {
 public:
  // `pairs` of at least the row's tokens, in the units of squared_norms; token_error as in separability.hpp.
  RadiusTerms(const RowState<T>& row, std::span<const double> squared_norms, const PairDistances& pairs,
              std::size_t dimension, double token_error = 0);

  Certified mass(std::size_t N) const;     // A
  Certified squares(std::size_t N) const;  // q
  Certified xi_squared(std::size_t rank, std::size_t N, Reading reading) const;
  Certified eta_squared(std::size_t rank, std::size_t N) const;

  Certified squared_radius, half_closest, half_farthest;  // M^2, delta^2 / 2, Delta^2 / 2
  Certified rest, eta_rest;                               // M^2 less each of them

 private:
  struct Sums {  // by N, with the first rank and without it
    std::vector<double> with, without;
  };
  Certified others(std::size_t rank, std::size_t N) const;             // B_i
  Certified squares_of_others(std::size_t rank, std::size_t N) const;  // Q_i

  const RowState<T>& row_;
  Sums mass_, absolute_, squares_;  // of w, |w|, w^2
};

extern template class RadiusTerms<float>;
extern template class RadiusTerms<double>;

}  // namespace attncert::bounds
