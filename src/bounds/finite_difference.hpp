// The difference quotient the paper's Figure 5 measures in place of the Jacobian's norm:
//   g(T, eps) = || softmax((l + eps u) / T) - softmax(l / T) ||_2 / eps,   ||u||_2 = 1,
// with the largest over a set of directions; and the top eigenvector that makes it approach the norm as eps -> 0.
#pragma once

#include <span>
#include <vector>

#include "src/bounds/certified.hpp"

namespace attncert::bounds {

// direction: any nonzero vector; it is divided by its norm (exactly, up to the error returned). eps, temperature > 0.
template <class T>
Certified difference_quotient(std::span<const T> logits, std::span<const double> direction, double eps,
                              double temperature);

// Directions of the paper's experiment and of the claim "observation-*": (1, -1) on the two largest logits (lowest
// indices on ties), and an eigenvector of the largest eigenvalue, p_i / (p_i - lambda_1) up to scale.
std::vector<double> top_two_direction(std::span<const double> logits);
std::vector<double> top_eigenvector(std::span<const double> logits, double temperature);

}  // namespace attncert::bounds
