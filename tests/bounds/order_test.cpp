// Order: descending, ties by the lower index, on every instruction set; against std::stable_sort.
#include "src/bounds/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

template <class T>
void expect_stable(const std::vector<T>& weights) {
  bounds::Order order;
  bounds::descending<T>(weights, order);
  std::vector<std::uint32_t> expected(weights.size());
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](auto i, auto j) { return weights[i] > weights[j]; });
  EXPECT_EQ(order.index, expected);
  std::size_t ties = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(order.rank[expected[k]], k);
    if (k > 0) ties += weights[expected[k]] == weights[expected[k - 1]];
  }
  EXPECT_EQ(order.ties, ties);
}

template <class T>
std::vector<T> awkward(std::size_t length, std::uint64_t seed) {
  const T values[] = {T{0},  -T{0},  std::numeric_limits<T>::denorm_min(), -std::numeric_limits<T>::min(),  T{1},
                      T{-1}, T{0.5}, std::numeric_limits<T>::max(),        std::numeric_limits<T>::lowest()};
  std::mt19937_64 random(seed);
  std::vector<T> weights(length);
  for (T& weight : weights)
    weight = random() % 2 == 0 ? values[random() % std::size(values)] : static_cast<T>(random() % 1000) / 7;
  return weights;
}

class OrderOnEverySet : public testing::TestWithParam<std::string> {};
TEST_P(OrderOnEverySet, IsThatOfAStableSort) {
  const ForcedInstructionSet forced(GetParam());
  for (std::size_t length = 0; length < 300; length += length < 20 ? 1 : 61)
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      expect_stable(awkward<float>(length, seed));
      expect_stable(awkward<double>(length, seed));
    }
}
INSTANTIATE_TEST_SUITE_P(Sets, OrderOnEverySet, testing::ValuesIn(instruction_sets()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace attncert
