// The products over the roots of F_n that kernels of devices take for taylor-softmax and its derivative, of every
// order, against Horner's scheme in pairs of long doubles, which the kernels of processors take.
#include "src/normalizers/device/taylor_roots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "src/normalizers/derivatives/taylor_slope.hpp"
#include "src/normalizers/separable/taylor_order.hpp"

namespace attncert {
namespace {

long double product_at(std::size_t order, long double x) {
  const TaylorRoots& roots = taylor_roots(order);
  long double product = 1;
  for (const RootPair& root : roots.pairs) {
    const long double distance = (x - root.real.high) - root.real.low;
    product *= distance * distance + root.imaginary.high * root.imaginary.high;
  }
  return order % 2 == 0 ? product : product * ((x - roots.real.high) - roots.real.low);
}

TEST(TaylorRoots, TheirProductsAreThePolynomialsOfEveryOrder) {
  for (std::size_t order = 2; order <= kLargestTaylorOrder; order += 2) {
    ASSERT_EQ(taylor_roots(order).pairs.size(), order / 2);
    ASSERT_EQ(taylor_roots(order - 1).pairs.size(), order / 2 - 1);
    TaylorSlope right(static_cast<std::uint32_t>(order), 1);
    right.prepare(60, -60);
    for (double x = -60; x <= 60; x += 0.40625) {
      const auto [weight, slope] = right(x);
      const auto n = static_cast<long double>(order);
      EXPECT_NEAR(static_cast<double>(product_at(order, x) / weight), 1, 0x1p-50) << order << " at " << x;
      // Beside its root a product loses what x - r does: 2^-63 |r| over the distance, which is 2^-12 here and more.
      EXPECT_NEAR(static_cast<double>(n * product_at(order - 1, x) / slope), 1, 0x1p-44) << order << " at " << x;
    }
  }
}

}  // namespace
}  // namespace attncert
