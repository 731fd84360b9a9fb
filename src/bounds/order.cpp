#include "src/bounds/order.hpp"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace attncert::bounds {
namespace {

// A monotone map from finite floats to unsigned integers of their size: two's complement order for the positive,
// reversed for the negative. Adding 0 makes -0 a 0.
template <class T, class Bits>
Bits ordered(T value) {
  const Bits bits = std::bit_cast<Bits>(value + T{0});
  constexpr Bits sign = Bits{1} << (std::numeric_limits<Bits>::digits - 1);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

constexpr std::uint32_t last_index = std::numeric_limits<std::uint32_t>::max();

// Keys hold the index, counted downwards, below the weight: a descending sort then puts the lower index first.
void sorted_indices(std::span<const float> weights, std::vector<std::uint32_t>& index) {
  static thread_local std::vector<std::uint64_t> keys;
  static thread_local const hwy::Sorter sorter;
  keys.resize(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    keys[i] =
        std::uint64_t{ordered<float, std::uint32_t>(weights[i])} << 32 | (last_index - static_cast<std::uint32_t>(i));
  sorter(keys.data(), keys.size(), hwy::SortDescending());
  for (std::size_t k = 0; k < keys.size(); ++k) index[k] = last_index - static_cast<std::uint32_t>(keys[k]);
}

// vqsort of Highway 1.0.3 aborts on 128-bit keys where it has no vectors.
bool has_vectors() { return (hwy::SupportedTargets() & ~(HWY_SCALAR | HWY_EMU128)) != 0; }

void sorted_indices(std::span<const double> weights, std::vector<std::uint32_t>& index) {
  static thread_local std::vector<hwy::uint128_t> keys;
  static thread_local const hwy::Sorter sorter;
  keys.resize(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    keys[i].hi = ordered<double, std::uint64_t>(weights[i]);
    keys[i].lo = last_index - i;
  }
  if (has_vectors()) sorter(keys.data(), keys.size(), hwy::SortDescending());
  else
    std::sort(keys.begin(), keys.end(), [](const hwy::uint128_t& a, const hwy::uint128_t& b) {
      return a.hi != b.hi ? a.hi > b.hi : a.lo > b.lo;
    });
  for (std::size_t k = 0; k < keys.size(); ++k) index[k] = last_index - static_cast<std::uint32_t>(keys[k].lo);
}

}  // namespace

template <class T>
void descending(std::span<const T> weights, Order& out) {
  const std::size_t length = weights.size();
  out.index.resize(length);
  out.rank.resize(length);
  sorted_indices(weights, out.index);
  out.ties = 0;
  for (std::size_t k = 0; k < length; ++k) {
    out.rank[out.index[k]] = static_cast<std::uint32_t>(k);
    if (k > 0 && weights[out.index[k]] == weights[out.index[k - 1]]) ++out.ties;
  }
}

template void descending<float>(std::span<const float>, Order&);
template void descending<double>(std::span<const double>, Order&);

}  // namespace attncert::bounds
