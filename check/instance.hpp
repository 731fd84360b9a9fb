// An instance with every item addressable by its index, and the hypotheses that several claims share, required exactly.
#pragma once

#include <vector>

#include "check/claims.hpp"

namespace attncert::check {

using Vector = std::vector<Rational>;

struct Instance {
  std::size_t L = 0, d = 0, N = 0;
  // Point into the runs of the ExactInstance, which are not copied; empty when the witness has none.
  std::vector<const Rational*> l, a, F, dF;
  std::vector<const Vector*> x;
  std::vector<bool> selected;  // the index set I; empty when there are neither weights nor indices
};

// Requires that the numbers are of a size that can be judged in seconds (the limits stand in instance.cpp).
void require_manageable(const ExactInstance& exact);
Instance expand(const ExactInstance& exact);

// a_i >= 0 of sum exactly 1; 1 <= N <= L and an index set of that size; L tokens, d >= 1.
void require_selected_tokens(const Instance& instance);
void require_top(const Instance& instance);  // no unselected weight above a selected one (ties either way)
void require_pairs(const Instance& instance, std::size_t pairs);  // that many distances are a matter of seconds

Rational squared_norm(const Vector& v);
Rational squared_distance(const Vector& v, const Vector& w);
Rational selected_mass(const Instance& instance);                             // A = sum over I of a_i
Vector selected_sum(const Instance& instance);                                // s = sum over I of a_i x_i
std::vector<Rational> squared_gaps(const Instance& instance, bool selected);  // ||a_i x_i - s||^2, i in I or not

}  // namespace attncert::check
