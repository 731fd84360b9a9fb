// What the plain kernels of both curves start from: weights divided, sorted, and the tokens as vectors.
#pragma once

#include <vector>

#include "properties/conformance/bounds/tracked.hpp"

namespace attncert {

struct PlainRow {
  const BoundRow& row;
  std::vector<Tracked> a;          // divided where the row says so
  std::vector<std::size_t> order;  // descending, ties by the lower index (or, wrongly, the higher)
  std::vector<Tracked> norms;

  PlainRow(const BoundRow& given, bool ties_by_higher);
  std::size_t length() const { return row.weights.size(); }
  std::size_t ties() const;
  long double token(std::size_t i, std::size_t k) const { return row.tokens[i * row.dimension + k]; }
  std::vector<bool> selected(std::size_t N) const;
  std::vector<Tracked> sum(const std::vector<bool>& which) const;  // of a_i x_i
  Tracked to(std::size_t i, const std::vector<Tracked>& s) const;  // ||a_i x_i - s||
  Tracked apart(std::size_t i, std::size_t j) const;               // ||x_i - x_j||
};

}  // namespace attncert
