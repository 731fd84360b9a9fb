// Token vectors drawn from a tape, in exact numbers: free ones, and spherical embeddings whose norms are exactly equal
// (rational stereographic points, or integer vectors of one norm), with a stated minimum separation.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "properties/claims/instances/tokens.hpp"
#include "src/core/tape.hpp"

namespace attncert {

// Any tokens: a line, free vectors, repeated or opposite or nearly equal ones, spherical ones; any scale.
std::shared_ptr<const TokenSet> generate_tokens(Choices& choices, std::size_t length, std::size_t dimension);

// At most `length` pairwise distinct tokens on one sphere around 0; fewer when the draw repeats itself (at least 1).
std::shared_ptr<const TokenSet> generate_sphere(Choices& choices, std::size_t length, std::size_t dimension);

// c (e_i + t (1, .., 1)) in R^length: equal norms and one inner product between any two; t < 0 in a quarter of the
// draws.
std::shared_ptr<const TokenSet> generate_equiangular(Choices& choices, std::size_t length);

// length - 1 tokens c (e_i + t (1, .., 1)) in R^(length-1) and one -c u (1, .., 1) of the same norm; length >= 3.
std::shared_ptr<const TokenSet> generate_axial(Choices& choices, std::size_t length);

// The rational point of the unit sphere whose stereographic parameters are t (dimension = t.size() + 1):
// (2 t, |t|^2 - 1) / (|t|^2 + 1); its norm is exactly 1.
std::vector<Rational> stereographic(const std::vector<Rational>& t);

// The rational unit vector within 2^-30 of x / ||x|| (x finite, not 0): its stereographic parameters, from the pole
// that is farther away, are rounded to a grid fine enough; `rounding` receives a bound of the distance.
std::vector<Rational> nearest_unit_vector(const std::vector<double>& x, double& rounding);

}  // namespace attncert
