#include "properties/conformance/bounds/plain_curves.hpp"

#include <algorithm>
#include <numeric>

namespace attncert {

PlainRow::PlainRow(const BoundRow& given, bool ties_by_higher) : row(given), order(given.weights.size()) {
  Tracked total = row.divided ? 0.0L : 1.0L;
  if (row.divided)
    for (const double weight : row.weights) total += weight;
  for (const double weight : row.weights) a.push_back(row.divided ? Tracked(weight) / total : Tracked(weight));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return row.weights[i] != row.weights[j] ? row.weights[i] > row.weights[j] : ties_by_higher ? i > j : i < j;
  });
  for (std::size_t i = 0; i < length(); ++i) {
    Tracked square;
    for (std::size_t k = 0; k < row.dimension; ++k) square += Tracked(token(i, k)) * token(i, k);
    norms.push_back(sqrt(square));
  }
}

std::size_t PlainRow::ties() const {
  std::size_t count = 0;
  for (std::size_t k = 1; k < length(); ++k) count += row.weights[order[k]] == row.weights[order[k - 1]];
  return count;
}

std::vector<bool> PlainRow::selected(std::size_t N) const {
  std::vector<bool> which(length(), false);
  for (std::size_t k = 0; k < std::min(N, length()); ++k) which[order[k]] = true;
  return which;
}

std::vector<Tracked> PlainRow::sum(const std::vector<bool>& which) const {
  std::vector<Tracked> s(row.dimension);
  for (std::size_t i = 0; i < length(); ++i)
    if (which[i])
      for (std::size_t k = 0; k < row.dimension; ++k) s[k] += a[i] * token(i, k);
  return s;
}

Tracked PlainRow::to(std::size_t i, const std::vector<Tracked>& s) const {
  Tracked square;
  for (std::size_t k = 0; k < row.dimension; ++k) {
    const Tracked difference = a[i] * token(i, k) - s[k];
    square += difference * difference;
  }
  return sqrt(square);
}

Tracked PlainRow::apart(std::size_t i, std::size_t j) const {
  Tracked square;
  for (std::size_t k = 0; k < row.dimension; ++k) {
    const Tracked difference = Tracked(token(i, k)) - token(j, k);
    square += difference * difference;
  }
  return sqrt(square);
}

}  // namespace attncert
