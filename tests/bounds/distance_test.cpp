// distance_curves: the fixtures of docs/specification.md#fixtures, and the definitions in long double on rows of many
// kinds, on every instruction set: |value - truth| <= error, and the error small enough to be of use.
#include "src/bounds/distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/kernel/kernel.hpp"
#include "tests/bounds/direct.hpp"

namespace attncert {
namespace {

using bounds::Certified, bounds::DistanceCurves, bounds::Gram, bounds::Points, bounds::Tokens, bounds::Weights;
using test::Real;

template <class T>
struct Row {
  std::vector<T> weights, tokens;
  std::size_t dimension;

  Tokens<T> view() const { return {tokens.data(), weights.size(), dimension, dimension}; }
  DistanceCurves curves(const Points& points = {}) const {
    const Gram<T> gram(view());
    DistanceCurves out;
    bounds::distance_curves<T>(weights, gram, points, out);
    return out;
  }
};

// Rounding of the truth itself: long double, sums of some hundred terms.
void expect_holds(Certified found, Real truth, Real magnitude, const std::string& what) {
  const Real allowed = static_cast<Real>(found.error) + 0x1p-55L * (std::fabs(truth) + magnitude);
  EXPECT_LE(std::fabs(static_cast<Real>(found.value) - truth), allowed)
      << what << ": " << found.value << " +- " << found.error << ", exact " << static_cast<double>(truth);
}

template <class T>
void expect_rows_hold(std::size_t length, std::size_t dimension, std::uint64_t seed) {
  for (std::size_t kind = 0; kind < test::row_kinds; ++kind)
    for (const bool divided : {true, false}) {
      const test::Drawn<T> drawn = test::drawn<T>(kind, seed, length, dimension);
      const Row<T> row{drawn.weights, drawn.tokens, dimension};
      const DistanceCurves out = row.curves({.weights = divided ? Weights::divided_by_their_sum : Weights::as_given});
      const test::DirectRow direct = test::direct_row(row.weights, row.tokens, dimension, divided);
      ASSERT_EQ(out.N.size(), length + 1);
      for (std::size_t N = 0; N <= length; N += length > 64 && N > 4 && N + 37 <= length ? 37 : 1) {
        const test::DirectPoint truth = test::direct_point(direct, N);
        const std::string where = "kind " + std::to_string(kind) + " L " + std::to_string(length) + " N " +
                                  std::to_string(N) + (divided ? " " : " as given ");
        const Real size = truth.largest * (truth.mass + 1) * static_cast<Real>(length);
        expect_holds(out.distance[N], truth.distance, truth.unselected, where + "distance");
        expect_holds(out.context[N], truth.context, truth.mass * truth.largest, where + "context");
        expect_holds(out.selected_mass[N], truth.mass, 1, where + "mass");
        expect_holds(out.unselected[N], truth.unselected, 0, where + "unselected");
        expect_holds(out.diameter[N], truth.diameter, 0, where + "diameter");
        expect_holds(out.largest_selected[N], truth.largest, 0, where + "largest");
        expect_holds(out.corrected[N], truth.corrected, size, where + "corrected");
        expect_holds(out.printed[N], truth.printed, size * truth.largest, where + "printed");
        if (length >= 2)
          expect_holds(out.printed_expectation[N], test::printed_expectation(direct, N), size * size,
                       where + "printed E");
        if (length <= 9)
          expect_holds(out.second_moment[N], test::mean_squared_distance(direct, N), 0, where + "second moment");
        // Redone from the vectors where inner products lose too much: exact zeros of d-tilde stay, with an error of
        // their own.
        if (truth.distance > 1e-3L * truth.unselected) {
          EXPECT_LE(out.distance.error[N], 1.01e-5 * out.distance.value[N]) << where;
        }
      }
    }
}

class OnEverySet : public testing::TestWithParam<std::string> {};

TEST_P(OnEverySet, TheErrorCoversTheTruth) {
  const ForcedInstructionSet forced(GetParam());
  for (const std::size_t length : {1, 2, 3, 7, 16, 33})
    for (const std::size_t dimension : {1, 3, 17}) {
      expect_rows_hold<float>(length, dimension, length);
      expect_rows_hold<double>(length, dimension, length);
    }
  expect_rows_hold<float>(300, 5, 1);  // long enough for the series of the root
  expect_rows_hold<double>(300, 5, 1);
}
INSTANTIATE_TEST_SUITE_P(Sets, OnEverySet, testing::ValuesIn(instruction_sets()),
                         [](const auto& name) { return name.param; });

TEST(DistanceCurve, Fixtures) {
  const DistanceCurves equal = Row<double>{{0.75, 0.25}, {0.5, 0.5}, 1}.curves();
  EXPECT_NEAR(equal.distance.value[1], 0.25, 1e-15);
  // d_1 = 0 is known from inner products to half of the digits.
  EXPECT_NEAR(equal.printed.value[1], 0.125, 3e-8);
  EXPECT_NEAR(equal.corrected.value[1], 0.25, 3e-8);
  expect_holds(equal.printed[1], 0.125L, 0, "printed");
  const DistanceCurves apart = Row<float>{{0.75f, 0.25f}, {1, -1}, 1}.curves();
  EXPECT_NEAR(apart.distance.value[1], 1, 1e-6);
  EXPECT_NEAR(apart.corrected.value[1], 1, 1e-6);
  const DistanceCurves half = Row<double>{{0.5, 0.5}, {1, 1}, 1}.curves();
  EXPECT_NEAR(half.second_moment.value[1], 0, 1e-15);
  EXPECT_NEAR(half.printed_expectation.value[1], 0.25, 1e-15);
  const DistanceCurves ones = Row<double>{std::vector<double>(10, 0.1), std::vector<double>(10, 1), 1}.curves();
  for (std::size_t N = 1; N <= 10; ++N)
    EXPECT_NEAR(ones.distance.value[N], static_cast<double>((10 - N) * (N - 1)) / 10, 1e-14) << N;
  // Fixture 13 has y = (1,0), (0,1), (1,1) as given: A = 4, B = 8.
  const DistanceCurves moment = Row<double>{{1, 1, 1}, {1, 0, 0, 1, 1, 1}, 2}.curves({.weights = Weights::as_given});
  EXPECT_NEAR(moment.second_moment.value[2], (3 * 4.0 - 2 * (8 - 4.0) / 2) / 3, 1e-14);
}

TEST(DistanceCurve, PointsTilesAndPrefixesAgreeWithTheWholeCurve) {
  const test::Drawn<float> drawn = test::drawn<float>(1, 5, 200, 6);
  const Row<float> row{drawn.weights, drawn.tokens, 6};
  const DistanceCurves all = row.curves();
  const std::vector<std::size_t> at{0, 3, 3, 77, 200};
  const DistanceCurves some = row.curves({.at = at});
  DistanceCurves tiled;
  bounds::distance_curves<float>(row.weights, row.view(), {}, tiled);
  for (std::size_t point = 0; point < at.size(); ++point) {
    EXPECT_EQ(some.N[point], at[point]);
    EXPECT_NEAR(some.distance.value[point], all.distance.value[at[point]],
                some.distance.error[point] + all.distance.error[at[point]]);
    EXPECT_NEAR(some.diameter.value[point], all.diameter.value[at[point]], some.diameter.error[point]);
    EXPECT_EQ(some.second_moment.value[point], all.second_moment.value[at[point]]);
  }
  for (std::size_t N = 0; N <= 200; ++N)
    EXPECT_NEAR(tiled.distance.value[N], all.distance.value[N], tiled.distance.error[N] + all.distance.error[N]) << N;
  // The first 150 tokens of the same matrix.
  const Gram<float> gram(row.view());
  const std::vector<float> first(row.weights.begin(), row.weights.begin() + 150);
  DistanceCurves prefix;
  bounds::distance_curves<float>(first, gram, {}, prefix);
  const test::DirectRow direct =
      test::direct_row(first, std::vector<float>(row.tokens.begin(), row.tokens.begin() + 900), 6, true);
  for (const std::size_t N : {0, 1, 75, 149, 150})
    expect_holds(prefix.distance[N], test::direct_point(direct, N).distance, 1, "prefix");
}

// Equal weights and tokens: d-tilde = (L-N)(N-1)/L exactly, and |e_i| / S at the series' limit around N = 35.
TEST(DistanceCurve, TheSeriesKeepsItsError) {
  const std::size_t L = 400;
  const DistanceCurves out = Row<double>{std::vector<double>(L, 1), std::vector<double>(L, 1), 1}.curves();
  for (std::size_t N = 1; N <= L; ++N) {
    const Real truth = static_cast<Real>((L - N) * (N - 1)) / static_cast<Real>(L);
    EXPECT_LE(std::fabs(static_cast<Real>(out.distance.value[N]) - truth), static_cast<Real>(out.distance.error[N]))
        << N;
    EXPECT_LE(out.distance.error[N], 4e-9 * out.distance.value[N] + 1e-6) << N;
  }
}

// A tolerance that the series cannot reach is met by roots, not by going back to the vectors for every N.
TEST(DistanceCurve, ASmallToleranceCostsNoVectors) {
  const test::Drawn<double> drawn = test::drawn<double>(1, 3, 300, 6);
  const DistanceCurves out = Row<double>{drawn.weights, drawn.tokens, 6}.curves({.tolerance = 1e-11});
  EXPECT_LE(out.by_vectors, 3u);
  for (std::size_t N = 1; N < 300; ++N) EXPECT_LE(out.distance.error[N], 1e-11 * out.distance.value[N]) << N;
}

// Rows over the first tokens of a set whose later ones are larger by 10^20, and sets with tokens whose squares
// underflow.
TEST(DistanceCurve, FaintTokensOfASet) {
  test::Drawn<double> drawn = test::drawn<double>(1, 4, 40, 3);
  for (std::size_t k = 0; k < 96; ++k) drawn.tokens[k] *= 1e-20;
  const Gram<double> gram(Tokens<double>{drawn.tokens.data(), 40, 3, 3});
  const std::vector<double> weights(drawn.weights.begin(), drawn.weights.begin() + 32);
  DistanceCurves out;
  bounds::distance_curves<double>(weights, gram, {}, out);
  const test::DirectRow direct =
      test::direct_row(weights, std::vector<double>(drawn.tokens.begin(), drawn.tokens.begin() + 96), 3, true);
  for (std::size_t N = 0; N <= 32; ++N) {
    const test::DirectPoint truth = test::direct_point(direct, N);
    expect_holds(out.distance[N], truth.distance, truth.unselected, "faint distance");
    expect_holds(out.diameter[N], truth.diameter, 0, "faint diameter");
  }
  const DistanceCurves tiny = Row<double>{{0, 1}, {1, 1e-200}, 1}.curves();
  expect_holds(tiny.distance[0], 1e-200L, 0, "weighted norm");
  expect_holds(tiny.largest_selected[1], 1e-200L, 0, "norm");
  const DistanceCurves huge = Row<double>{{2, 1, 1}, {1.5e308, -1.5e308, 1e308}, 1}.curves();
  EXPECT_TRUE(std::isnan(huge.diameter.value[1]));
  EXPECT_TRUE(std::isinf(huge.diameter.error[1]));
  EXPECT_EQ(huge.largest_selected.value[0], 0);
  EXPECT_EQ(huge.largest_selected.error[0], 0);
}

TEST(DistanceCurve, SaysUnknownOfTokensThatAreNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> tokens{1, 2, nan, 3};
  const Gram<float> gram(Tokens<float>{tokens.data(), 4, 1, 1});
  DistanceCurves out;
  bounds::distance_curves<float>(std::vector<float>{1, 2, 3, 4}, gram, {}, out);
  for (std::size_t N = 0; N <= 4; ++N) EXPECT_TRUE(std::isnan(out.diameter.value[N]));
  bounds::distance_curves<float>(std::vector<float>{1, 2}, gram, {}, out);  // before it
  EXPECT_NEAR(out.diameter.value[1], 1, 1e-6);
}

TEST(DistanceCurve, ManyRowsByTheFasterWay) {
  const test::Drawn<float> one = test::drawn<float>(1, 1, 40, 4), two = test::drawn<float>(2, 2, 30, 4);
  const Tokens<float> tokens{one.tokens.data(), 40, 4, 4};
  const std::span<const float> rows[] = {one.weights, two.weights};
  const Gram<float> gram(tokens);
  for (const std::size_t most : {bounds::gram_entries, std::size_t{0}}) {
    std::size_t taken = 0;
    const bounds::RowsSeen seen = bounds::distance_curves<float>(
        rows, tokens, {},
        [&](std::size_t row, const DistanceCurves& found) {
          EXPECT_EQ(row, taken++);
          DistanceCurves expected;
          bounds::distance_curves<float>(rows[row], gram, {}, expected);
          ASSERT_EQ(found.N, expected.N);
          for (std::size_t N = 0; N < found.N.size(); ++N)
            EXPECT_NEAR(found.distance.value[N], expected.distance.value[N],
                        found.distance.error[N] + expected.distance.error[N]);
        },
        most);
    EXPECT_EQ(taken, 2u);
    EXPECT_EQ(seen.rows, 2u);
    EXPECT_EQ(seen.with_ties, 0u);
  }
}

// A token that coincides with s up to 10^-2: inner products leave a third of the digits, the vectors all.
TEST(DistanceCurve, IsDoneOverFromTheVectorsWhereDigitsAreLost) {
  const test::Drawn<float> drawn = test::drawn<float>(8, 2, 2, 3);
  const Row<float> row{{1.01f, 1.0f}, drawn.tokens, 3};
  const DistanceCurves out = row.curves();
  EXPECT_EQ(out.by_vectors, 1u);
  const DistanceCurves careless = row.curves({.tolerance = 1});
  EXPECT_EQ(careless.by_vectors, 0u);
  EXPECT_GT(careless.distance.error[1], 1e6 * out.distance.error[1]);
}

TEST(DistanceCurve, CountsTies) {
  EXPECT_EQ((Row<float>{{1, 2, 1, 2, 3}, std::vector<float>(5, 1), 1}.curves().ties), 2u);
  EXPECT_EQ((Row<double>{{0.0, -0.0, 5e-324}, std::vector<double>(3, 1), 1}.curves().ties), 1u);
}

TEST(DistanceCurve, SaysUnknownWhereWeightsBreakTheirPromise) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& weights :
       {std::vector<float>{1, nan}, {0, 0}, {1, -1}, {std::numeric_limits<float>::infinity(), 1}}) {
    const DistanceCurves out = Row<float>{weights, {1, 2}, 1}.curves();
    for (std::size_t point = 0; point < out.N.size(); ++point) {
      EXPECT_TRUE(std::isnan(out.distance.value[point]));
      EXPECT_TRUE(std::isinf(out.printed_expectation.error[point]));
    }
  }
}

}  // namespace
}  // namespace attncert
