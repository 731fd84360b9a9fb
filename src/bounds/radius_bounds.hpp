// The bounds on N_s / N that are made of xi_i, eta_i and r: one certified term at a time, or by the vector loop where
// it is proved to serve.
#pragma once

#include <cstddef>

#include "src/bounds/certified.hpp"
#include "src/bounds/radius_terms.hpp"
#include "src/bounds/row_state.hpp"
#include "src/bounds/separability.hpp"

namespace attncert::bounds {

// rate: 1 / (16 M^2), in the units of the row. Into the entries of a point with N selected tokens and r > 0, but for r
// and N_s themselves.
template <class T>
void set_radius_bounds(const RowState<T>& row, const RadiusTerms<T>& radii, Certified rate, std::size_t point,
                       std::size_t N, Certified r, SeparabilityCurves& out);

}  // namespace attncert::bounds
