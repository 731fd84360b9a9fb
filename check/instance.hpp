// Lists of exact numbers that are small enough to judge, and tokens of which some are selected.
#pragma once

#include "check/judge.hpp"

namespace attncert::check {

using Vector = std::vector<Rational>;

// Bits of the largest numerator or of the common denominator; requires that they can be judged (instance.cpp has the
// limits).
std::size_t width(const Runs<Rational>& numbers);
Runs<Rational> coordinates(const Runs<Vector>& tokens);  // of each token in turn; of tokens on a line, the tokens

// Item by item; requires that there are some, and that they are not too many.
Vector listed(const Runs<Rational>& numbers, const std::string& name);
Rational sum_of(const Runs<Rational>& numbers, const std::string& name);  // requires that none is negative
Rational temperature(const ExactInstance& exact);                         // T > 0

Rational squared_distance(const Vector& v, const Vector& w);

// L tokens x_i of width d >= 1, weights a_i >= 0 of sum exactly 1, and an index set I of size N, 1 <= N <= L.
struct Selection {
  std::size_t L, d, N;
  Vector a;
  std::vector<const Vector*> x;  // into the runs of the instance, which are not copied
  std::vector<bool> in;          // I: as given, or the top N by weight, ties by lowest index
  Rational mass;                 // A = sum over I of a_i
  Vector s;                      // sum over I of a_i x_i
  std::size_t token_bits, bits;  // the width of the tokens, and of tokens or weights, whichever is larger

  explicit Selection(const ExactInstance& exact);
  void sum_selected();                       // mass and s again, for another I
  Vector squared_gaps(bool selected) const;  // ||a_i x_i - s||^2 of i in I, or of the others

  void require_top() const;  // no unselected weight above a selected one (ties either way)
  // So many operations on vectors of this width take minutes, not days.
  void require_affordable(std::size_t vectors, std::size_t width) const;
};

}  // namespace attncert::check
