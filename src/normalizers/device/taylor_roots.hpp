// The roots of F_n(x) = sum of x^k / k! to k = n, by which n! F_n is a product that loses no digits (taylor.cl).
#pragma once

#include <cstddef>
#include <vector>

#include "src/normalizers/long_pair.hpp"

namespace attncert {

// real +- i imaginary, imaginary > 0.
struct RootPair {
  LongPair real, imaginary;
};

struct TaylorRoots {
  std::vector<RootPair> pairs;
  LongPair real{0, 0};  // of odd order: the one that stands alone
};

// Within 2^-72, of orders from 1 to kLargestTaylorOrder; found once for each order.
const TaylorRoots& taylor_roots(std::size_t order);

}  // namespace attncert
