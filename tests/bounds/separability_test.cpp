// separability_curves: the fixtures of docs/specification.md#fixtures, and the definitions in long double on rows of
// many kinds, on every instruction set.
#include "src/bounds/separability.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "src/kernel/kernel.hpp"
#include "tests/bounds/direct.hpp"

namespace attncert {
namespace {

using bounds::Certified, bounds::Count, bounds::Gram, bounds::SeparabilityCurves, bounds::Tokens;
using test::Real;

template <class T>
SeparabilityCurves curves(const std::vector<T>& weights, const std::vector<T>& tokens, std::size_t dimension) {
  const Gram<T> gram(Tokens<T>{tokens.data(), weights.size(), dimension, dimension});
  SeparabilityCurves out;
  bounds::separability_curves<T>(weights, gram, {}, out);
  return out;
}

void expect_holds(Certified found, Real truth, const std::string& what) {
  if (std::isinf(found.error)) return;  // unknown: where r may be 0
  const Real allowed = static_cast<Real>(found.error) + 0x1p-54L * (1 + std::fabs(truth));
  EXPECT_LE(std::fabs(static_cast<Real>(found.value) - truth), allowed)
      << what << ": " << found.value << " +- " << found.error << ", exact " << static_cast<double>(truth);
}

// long double cannot tell exact ties from near ones: a count on the edge is not held against it.
void expect_holds(Count found, std::size_t truth, bool on_the_edge, const std::string& what) {
  EXPECT_LE(found.least, found.most) << what;
  if (on_the_edge) return;
  EXPECT_LE(found.least, truth) << what;
  EXPECT_GE(found.most, truth) << what;
}

template <class T>
void expect_rows_hold(std::size_t length, std::size_t dimension, std::uint64_t seed, std::size_t& open,
                      std::size_t& counted) {
  for (std::size_t kind = 0; kind < test::row_kinds; ++kind) {
    const test::Drawn<T> row = test::drawn<T>(kind, seed, length, dimension);
    const SeparabilityCurves out = curves(row.weights, row.tokens, dimension);
    const test::DirectRow direct = test::direct_row(row.weights, row.tokens, dimension, true);
    const bool ties = kind == 4 || kind == 5 || kind == 6 || kind == 7 || kind == 9;
    for (std::size_t N = 1; N<length; N += length> 48 ? 29 : 1) {
      const test::DirectPoint truth = test::direct_separability(direct, N);
      const std::string where = "kind " + std::to_string(kind) + " L " + std::to_string(length) + " d " +
                                std::to_string(dimension) + " N " + std::to_string(N) + " ";
      expect_holds(out.r[N], truth.r, where + "r");
      expect_holds(out.separable[N], truth.separable, ties, where + "N_s");
      expect_holds(out.surely[N], truth.surely, ties, where + "surely");
      expect_holds(out.possibly[N], truth.possibly, ties, where + "possibly");
      for (std::size_t reading = 0; reading < 2; ++reading) {
        expect_holds(out.printed_upper[reading][N], truth.upper[reading], where + "upper");
        if (truth.r > 1e-9L * truth.largest)
          expect_holds(out.printed_lower[reading][N], truth.lower[reading], where + "lower");
      }
      if (truth.r > 1e-9L * truth.largest)
        expect_holds(out.corrected_lower[N], truth.corrected_lower, where + "corrected");
      if (!ties && kind != 8) {
        ++counted;
        open += out.separable[N].least != out.separable[N].most;
      }
    }
  }
}

class OnEverySetSeparability : public testing::TestWithParam<std::string> {};

TEST_P(OnEverySetSeparability, TheErrorCoversTheTruth) {
  const ForcedInstructionSet forced(GetParam());
  std::size_t open = 0, counted = 0;
  for (const std::size_t length : {2, 3, 8, 21})
    for (const std::size_t dimension : {1, 3, 30}) {
      expect_rows_hold<float>(length, dimension, length, open, counted);
      expect_rows_hold<double>(length, dimension, length, open, counted);
    }
  expect_rows_hold<float>(60, 5, 1, open, counted);
  EXPECT_GT(counted, 500u);
  EXPECT_LE(open, counted / 100);  // N_s is decided but for exact ties
}
INSTANTIATE_TEST_SUITE_P(Sets, OnEverySetSeparability, testing::ValuesIn(instruction_sets()),
                         [](const auto& name) { return name.param; });

// Over the first tokens of a set whose later ones are larger by 10^20: far below what f32 squares can hold.
TEST(SeparabilityCurve, FaintTokensOfASet) {
  for (const double faint : {1e-20, 2.5e-13}) {
    test::Drawn<float> drawn = test::drawn<float>(1, 4, 40, 8);
    for (std::size_t k = 0; k < 256; ++k) drawn.tokens[k] *= static_cast<float>(faint);
    const Gram<float> gram(Tokens<float>{drawn.tokens.data(), 40, 8, 8});
    const std::vector<float> weights(drawn.weights.begin(), drawn.weights.begin() + 32);
    SeparabilityCurves out;
    bounds::separability_curves<float>(weights, gram, {}, out);
    const test::DirectRow direct =
        test::direct_row(weights, std::vector<float>(drawn.tokens.begin(), drawn.tokens.begin() + 256), 8, true);
    for (std::size_t N = 1; N < 32; ++N) {
      const test::DirectPoint truth = test::direct_separability(direct, N);
      for (std::size_t reading = 0; reading < 2; ++reading) {
        expect_holds(out.printed_upper[reading][N], truth.upper[reading], "upper");
        expect_holds(out.printed_lower[reading][N], truth.lower[reading], "lower");
      }
      expect_holds(out.corrected_lower[N], truth.corrected_lower, "corrected");
    }
  }
}

// Tokens that are known to a relative 2^-24: the curves of the given ones, with that as token_error, hold of the ones
// meant.
TEST(SeparabilityCurve, ATokenErrorCoversTheTokensMeant) {
  const double by = 0x1p-24;
  std::size_t beyond = 0, decided = 0, counted = 0;
  for (const std::size_t kind : {0, 1, 2, 3, 8, 10, 11})
    for (const std::size_t dimension : {3, 30}) {
      const test::Drawn<double> meant = test::drawn<double>(kind, 5, 24, dimension);
      std::vector<double> given = meant.tokens;
      for (std::size_t i = 0; i < 24; ++i) {  // each moves by 0.9 2^-24 of its length along one axis
        double square = 0;
        for (std::size_t k = 0; k < dimension; ++k) square += given[i * dimension + k] * given[i * dimension + k];
        given[i * dimension + i % dimension] += (i % 2 == 0 ? 0.9 : -0.9) * by * std::sqrt(square);
      }
      const Gram<double> gram(Tokens<double>{given.data(), 24, dimension, dimension});
      SeparabilityCurves out, without;
      bounds::separability_curves<double>(meant.weights, gram, {}, out, by);
      bounds::separability_curves<double>(meant.weights, gram, {}, without);
      const test::DirectRow direct = test::direct_row(meant.weights, meant.tokens, dimension, true);
      const auto apart = [&](std::size_t i, std::size_t j, Real of_second) {
        Real square = 0;
        for (std::size_t k = 0; k < dimension; ++k)
          square += (direct.x[i][k] - of_second * direct.x[j][k]) * (direct.x[i][k] - of_second * direct.x[j][k]);
        return std::sqrt(square);
      };
      Real radius = 0, closest = apart(0, 1, 1), farthest = 0;
      for (std::size_t i = 0; i < 24; ++i) {
        radius = std::max(radius, apart(i, i, 0));
        for (std::size_t j = 0; j < i; ++j) {
          closest = std::min(closest, apart(i, j, 1));
          farthest = std::max(farthest, apart(i, j, 1));
        }
      }
      expect_holds(out.radius, radius, "radius");
      expect_holds(out.closest, closest, "closest");
      expect_holds(out.farthest, farthest, "farthest");
      for (std::size_t N = 1; N < 24; ++N) {
        const test::DirectPoint truth = test::direct_separability(direct, N);
        const std::string where = "kind " + std::to_string(kind) + " N " + std::to_string(N) + " ";
        expect_holds(out.r[N], truth.r, where + "r");
        expect_holds(out.separable[N], truth.separable, false, where + "N_s");
        expect_holds(out.surely[N], truth.surely, false, where + "surely");
        expect_holds(out.possibly[N], truth.possibly, false, where + "possibly");
        for (std::size_t reading = 0; reading < 2; ++reading) {
          expect_holds(out.printed_upper[reading][N], truth.upper[reading], where + "upper");
          expect_holds(out.printed_lower[reading][N], truth.lower[reading], where + "lower");
        }
        expect_holds(out.corrected_lower[N], truth.corrected_lower, where + "corrected");
        beyond += std::fabs(static_cast<Real>(without.r.value[N]) - truth.r) > static_cast<Real>(without.r.error[N]);
        decided += out.separable[N].least == out.separable[N].most;
        ++counted;
      }
    }
  EXPECT_GT(beyond, counted / 2);  // without it they do not
  EXPECT_GT(decided, counted / 2);
}

TEST(SeparabilityCurve, WithoutAMatrixItIsTheSame) {
  const test::Drawn<double> row = test::drawn<double>(1, 6, 203, 5);  // an odd length: columns are padded beyond it
  const SeparabilityCurves with = curves(row.weights, row.tokens, 5);
  SeparabilityCurves without;
  bounds::separability_curves<double>(row.weights, Tokens<double>{row.tokens.data(), 203, 5, 5}, {}, without);
  EXPECT_EQ(without.closest.value, with.closest.value);
  EXPECT_EQ(without.farthest.value, with.farthest.value);
  for (std::size_t N = 1; N < 203; ++N) {
    EXPECT_NEAR(without.r.value[N], with.r.value[N], without.r.error[N] + with.r.error[N]);
    EXPECT_EQ(without.separable[N].least, with.separable[N].least);
    EXPECT_EQ(without.surely[N].most, with.surely[N].most);
  }
}

// docs/specification.md#theorem2: the tetrahedron, where the literal reading fails. f = 16/25, r = 9 sqrt3 / 25, xi_B =
// 8 sqrt2 / 25, xi_A = 16/25.
TEST(SeparabilityCurve, Tetrahedron) {
  const std::vector<double> weights{8, 8, 8, 1}, tokens{1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
  const SeparabilityCurves out = curves(weights, tokens, 3);
  EXPECT_NEAR(out.r.value[3], 9 * std::sqrt(3) / 25, 1e-14);
  EXPECT_EQ(out.separable[3].most, 0u);
  EXPECT_NEAR(out.printed_lower[1].value[3], 0.274225261397576859793397311198, 1e-13);
  EXPECT_NEAR(out.radius.value, std::sqrt(3), 1e-15);
  EXPECT_NEAR(out.closest.value, std::sqrt(8), 1e-14);
  const Gram<double> gram(Tokens<double>{tokens.data(), 4, 3, 3});
  bounds::Radii radii;
  bounds::radii<double>(weights, gram, 3, bounds::Weights::divided_by_their_sum, radii);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(radii.order[i], i);
    EXPECT_NEAR(radii.xi[0].value[i], 16.0 / 25, 1e-14);
    EXPECT_NEAR(radii.xi[1].value[i], 8 * std::sqrt(2) / 25, 1e-14);
    EXPECT_NEAR(radii.eta.value[i], 16.0 / 25, 1e-14);
  }
}

// Section 7: the kite has r = 3/25, f = 7/20 and N_s = 0; an antipodal pair N_s / N = 1 above e^(-1/16).
TEST(SeparabilityCurve, KiteAndPair) {
  const SeparabilityCurves kite = curves<double>({7, 7, 6}, {0.6, 0.8, 0.6, -0.8, 1, 0}, 2);
  EXPECT_NEAR(kite.r.value[2], 0.12, 1e-15);
  EXPECT_EQ(kite.separable[2].most, 0u);
  const SeparabilityCurves pair = curves<float>({0.75f, 0.25f}, {1, -1}, 1);
  EXPECT_NEAR(pair.r.value[1], 1, 1e-6);
  EXPECT_EQ(pair.separable[1].least, 1u);
  EXPECT_NEAR(pair.printed_upper[0].value[1], 0.939413062813475786119710824622, 1e-6);
  EXPECT_TRUE(std::isinf(pair.r.value[2]));
  EXPECT_EQ(pair.separable[2].least, 2u);
}

}  // namespace
}  // namespace attncert
