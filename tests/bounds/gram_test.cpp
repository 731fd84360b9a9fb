// Gram matrices: entries and pair distances against long double, within what they state; also between tokens of very
// different size.
#include "src/bounds/gram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/bounds/direct.hpp"

namespace attncert {
namespace {

using test::Real;

template <class T>
void expect_within_its_error(const test::Drawn<T>& row, std::size_t length) {
  const std::size_t d = row.dimension;
  const bounds::Gram<T> gram(bounds::Tokens<T>{row.tokens.data(), length, d, d});
  const auto x = [&](std::size_t i, std::size_t k) {
    return std::ldexp(static_cast<Real>(row.tokens[i * d + k]), -gram.exponent());
  };
  const auto product = [&](std::size_t i, std::size_t j) {
    Real sum = 0;
    for (std::size_t k = 0; k < d; ++k) sum += x(i, k) * x(j, k);
    return sum;
  };
  Real closest = std::numeric_limits<Real>::infinity(), farthest = 0;
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t j = 0; j < length; ++j) {
      const Real allowed =
          static_cast<Real>(gram.error()) * std::sqrt(product(i, i) * product(j, j)) + static_cast<Real>(gram.floor());
      ASSERT_LE(std::fabs(static_cast<Real>(gram.row(i)[j]) - product(i, j)), allowed) << i << " " << j;
    }
    for (std::size_t j = length; j < gram.stride(); ++j) EXPECT_EQ(gram.row(i)[j], 0);
    for (std::size_t j = 0; j < i; ++j) {
      Real apart = 0;
      for (std::size_t k = 0; k < d; ++k) apart += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
      closest = std::min(closest, apart);
      farthest = std::max(farthest, apart);
    }
    if (i == 0) continue;
    const Real relative = static_cast<Real>(gram.pairs().error);
    EXPECT_LE(std::fabs(static_cast<Real>(gram.pairs().closest[i + 1]) - closest), relative * closest + 0x1p-1000L)
        << i;
    EXPECT_LE(std::fabs(static_cast<Real>(gram.pairs().farthest[i + 1]) - farthest), relative * farthest + 0x1p-1000L)
        << i;
  }
}

TEST(Gram, EntriesAndPairsAreWithinTheirErrors) {
  for (std::size_t kind = 0; kind < test::row_kinds; ++kind)
    for (const std::size_t length : {1, 2, 9, 17, 200}) {
      expect_within_its_error(test::drawn<float>(kind, length, length, 5), length);
      expect_within_its_error(test::drawn<double>(kind, length, length, 5), length);
    }
}

TEST(Gram, TokensOfVeryDifferentSize) {
  test::Drawn<double> row = test::drawn<double>(2, 1, 30, 4);
  for (std::size_t i = 0; i < 30; ++i)
    for (std::size_t k = 0; k < 4; ++k) row.tokens[i * 4 + k] *= std::pow(10.0, static_cast<double>(i) * 4 - 60);
  expect_within_its_error(row, 30);
}

}  // namespace
}  // namespace attncert
