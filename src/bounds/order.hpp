// Weights in descending order, ties by the lower index: what "the N largest" means everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attncert::bounds {

struct Order {
  std::vector<std::uint32_t> index;  // index[k]: position of the (k+1)-th largest weight
  std::vector<std::uint32_t> rank;   // rank[index[k]] = k
  std::size_t ties = 0;  // k in 1..L-1 with equal weights on both sides of it: top-k sets that are not unique
};

// weights: finite (-0 counts as 0), fewer than 2^32. Sorted as integers: vqsort spoils infinities among floats (Highway
// 1.0.3).
template <class T>
void descending(std::span<const T> weights, Order& out);

extern template void descending<float>(std::span<const float>, Order&);
extern template void descending<double>(std::span<const double>, Order&);

}  // namespace attncert::bounds
