// The survey's own lines against the independent float64 program: what `attncert gpt2` writes, column by column.
#include "study/measures/survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "tests/gpt2/table.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

SurveyPlan plan_of_the_files() {
  SurveyPlan plan;
  plan.queries = {31, 63, 127, 255, 511, 767, 1023};
  plan.measures.kinds = {token_kinds.begin(), token_kinds.end()};
  plan.measures.counts = {1, 2, 5, 10, 20, 50, 61, 100, 200, 512, 1000};
  plan.measures.temperatures = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
  return plan;
}

const WindowLines& surveyed() {
  static const WindowLines lines = [] {
    const auto result = survey_window(tiny(), std::span(sample_tokens()).first(1024), 0, plan_of_the_files(),
                                      built_in_softmax(), {}, "sample");
    EXPECT_TRUE(result) << result.error().message;
    return *result;
  }();
  return lines;
}

using Place = std::tuple<std::size_t, std::size_t, std::size_t, std::string, std::string, std::size_t>;

Place place(const SelectionLine& line) {
  return {line.row.layer, line.row.head, line.row.query, name(line.x), name(line.scale), line.N};
}

// docs/specification.md#captured: relative 1e-4, absolute 1e-6 below 1e-2; lower bounds 1 - q as in theorem_test.cpp.
double tolerance(const std::string& column, double wanted) {
  if (column.starts_with("lower")) return 1e-5 * (1 - wanted);
  return std::max(1e-4 * std::abs(wanted), 1e-6);
}

std::size_t support_of(const SelectionLine& line) {
  for (const HeadLine& head : surveyed().heads)
    if (head.row == line.row) return head.support;
  return 0;
}

double smallest_selected(const SelectionLine& line) {
  std::vector<float> weights = window0().row(line.row.layer, line.row.head, line.row.query).weights;
  std::nth_element(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(line.N - 1), weights.end(),
                   std::greater<>());
  return static_cast<double>(weights[line.N - 1]);
}

void compare(const std::string& file) {
  std::map<Place, const SelectionLine*> lines;
  for (const SelectionLine& line : surveyed().selections) lines[place(line)] = &line;
  const Table expected(file);
  std::size_t by_vanished_weights = 0, counted = 0;
  for (std::size_t i = 0; i < expected.rows(); ++i) {
    SCOPED_TRACE(file + " line " + std::to_string(i + 2));
    const auto found = lines.find({expected.count(i, "layer"), expected.count(i, "head"), expected.count(i, "L") - 1,
                                   expected.text(i, "x"), expected.text(i, "norm"), expected.count(i, "N")});
    ASSERT_NE(found, lines.end());
    const SelectionLine& line = *found->second;
    std::map<std::string, double> got{{"abar", line.mass},
                                      {"s_norm", line.context},
                                      {"dtilde", line.distance},
                                      {"E_paper_sq", line.expectation_printed},
                                      {"E_exact_sq", line.second_moment},
                                      {"r", line.r}};
    // Weights below 2^-149 are all 0 in f32: which of those tokens are selected, the file's program still knows and we
    // do not.
    if (line.N <= support_of(line)) {
      got.insert({{"bound_printed", line.printed},
                  {"bound_norm1", line.corrected},
                  {"lower", line.printed_lower},
                  {"upper", line.printed_upper},
                  {"lower_asprinted", line.printed_lower_literal}});
      // In f64 a distance to s is known to 1e-12 of it (theorem_test.cpp): where a selected token's a_i x_i is shorter
      // than that, the file's program has a tie and its rounding decides, while the kernel tells the two apart.
      if (smallest_selected(line) * line.radius > 1e-12 * line.r) {
        EXPECT_GE(expected.number(i, "Ns") + 1, static_cast<double>(line.separable_least));
        EXPECT_LE(expected.number(i, "Ns"), static_cast<double>(line.separable_most) + 1);
        ++counted;
      }
    } else {
      ++by_vanished_weights;
    }
    for (const auto& [column, value] : got) {
      const double wanted = expected.number(i, column);
      EXPECT_LE(std::abs(value - wanted), tolerance(column, wanted)) << column << ": " << value << " for " << wanted;
    }
    EXPECT_LE(line.error, 1e-5);
  }
  testing::Test::RecordProperty("lines with vanished weights", std::to_string(by_vanished_weights));
  EXPECT_LT(by_vanished_weights, expected.rows() / 8);
  EXPECT_GT(counted, expected.rows() * 2 / 3);
}

TEST(Survey, SelectionsAgainstN) { compare("window0_topn_vs_N.csv"); }
TEST(Survey, SelectionsAgainstL) { compare("window0_topn5_vs_L.csv"); }

// Tolerances as derived in jacobian_test.cpp; its file's program loses norms below 2^-52 / T.
TEST(Survey, Jacobians) {
  const Table expected("window0_jacobian.csv");
  std::map<std::tuple<double, std::size_t, std::size_t>, const JacobianLine*> lines;
  for (const JacobianLine& line : surveyed().jacobian)
    if (line.row.query == 1023) lines[{line.temperature, line.row.layer, line.row.head}] = &line;
  ASSERT_EQ(lines.size(), expected.rows());
  for (std::size_t i = 0; i < expected.rows(); ++i) {
    SCOPED_TRACE("line " + std::to_string(i + 2));
    const double T = expected.number(i, "T");
    const JacobianLine& line = *lines.at({T, expected.count(i, "layer"), expected.count(i, "head")});
    const double allowed = std::expm1(2 * 4e-5 / T) + 1e-6, exact = expected.number(i, "exact");
    EXPECT_NEAR(line.spectral, exact, allowed * exact + 0x1p-52 / T);
    EXPECT_NEAR(line.half, expected.number(i, "bound_half"), 1e-6 * line.half);
    EXPECT_LE(line.lower, line.spectral * (1 + 1e-12));
    EXPECT_GE(line.upper, line.spectral * (1 - 1e-12));
    EXPECT_LE(line.error, 1e-9);
    const char* steps[] = {"0.001", "0.01", "0.1"};
    for (std::size_t k = 0; k < 3; ++k) {
      const double rounding = 0x1p-50 / difference_steps[k],
                   pair = expected.number(i, std::string("fd_pair_") + steps[k]);
      EXPECT_NEAR(line.pair[k], pair, allowed * pair + rounding) << steps[k];
      const double eigen = expected.number(i, std::string("fd_eig_") + steps[k]);
      if (exact * T > 0x1p-40) {
        EXPECT_NEAR(line.eigenvector[k], eigen, allowed * eigen + rounding) << steps[k];
      }
      EXPECT_LE(line.random[k], line.half * (1 + 1e-9));
      EXPECT_GT(line.random[k], 0);
    }
  }
}

TEST(Survey, HeadsAreThoseOfTheirWeights) {
  const auto& row = window0().row(2, 1, 1023);
  double total = 0, entropy = 0, largest = 0;
  for (const float w : row.weights) total += static_cast<double>(w);
  for (const float w : row.weights) {
    const double p = static_cast<double>(w) / total;
    if (p > 0) entropy -= p * std::log(p);
    largest = std::max(largest, p);
  }
  for (const HeadLine& line : surveyed().heads)
    if (line.row == RowKey{0, 2, 1, 1023}) {
      EXPECT_NEAR(line.entropy, entropy, 1e-12);
      EXPECT_NEAR(line.n_eff, std::exp(entropy), 1e-10);
      EXPECT_NEAR(line.largest, largest, 1e-14);
      EXPECT_NEAR(line.sink, static_cast<double>(row.weights[0]) / total, 1e-14);
      return;
    }
  FAIL() << "the row is missing";
}

TEST(Survey, AlternativesKeepWhatTheyPromise) {
  const auto& lines = surveyed().alternatives;
  ASSERT_EQ(lines.size(), 4 * 16u);
  std::size_t fitted = 0;
  for (std::size_t i = 0; i < lines.size(); i += 4) {
    EXPECT_EQ(lines[i].normalizer, "softmax");
    EXPECT_LE(lines[i + 1].support, lines[i + 2].support);  // a smaller alpha, a larger support
    EXPECT_LE(lines[i + 2].support, lines[i].support);
    for (std::size_t k = i; k < i + 4; ++k) EXPECT_NEAR(static_cast<double>(lines[k].N), lines[k].n_eff, 0.5 + 1e-9);
    // The row at L/8 = 128 is query 127.
    for (const HeadLine& head : surveyed().heads)
      if (head.row == RowKey{0, lines[i].row.layer, lines[i].row.head, 127})
        fitted += std::abs(lines[i + 3].entropy - head.entropy) < 1e-3 ? 1 : 0;
  }
  EXPECT_GE(fitted, 14u);  // of 16: s stays within a factor of 8
}

TEST(Survey, GeometryIsTheDistanceToS) {
  const auto& lines = surveyed().geometry;
  ASSERT_EQ(lines.size(), 16 * 1024u);
  for (const SelectionLine& line : surveyed().selections) {
    if (line.row.query != 1023 || line.N != 5 || line.x != TokenKind::hidden || line.scale != TokenScale::unit)
      continue;
    double distance = 0, nearest = INFINITY;
    std::size_t selected = 0;
    for (const GeometryLine& point : lines) {
      if (point.row != line.row) continue;
      selected += point.selected;
      if (point.selected == 1) continue;
      distance += point.distance;
      nearest = std::min(nearest, point.distance);
    }
    EXPECT_EQ(selected, 5u);
    EXPECT_NEAR(distance, line.distance, 1e-6 * line.distance);
    EXPECT_NEAR(nearest, line.r, 1e-6 * line.r);
  }
}

TEST(SurveyPlan, FourteenQueriesByTheLogarithm) {
  const auto queries = default_queries(1024);
  ASSERT_EQ(queries.size(), 14u);
  EXPECT_EQ(queries.front(), 7u);
  EXPECT_EQ(queries.back(), 1023u);
  for (std::size_t k = 1; k < queries.size(); ++k)
    EXPECT_NEAR(std::log2(static_cast<double>(queries[k] + 1) / static_cast<double>(queries[k - 1] + 1)), 7.0 / 13,
                0.09);
  EXPECT_EQ(default_queries(1), std::vector<std::size_t>{0});
  EXPECT_EQ(default_queries(9).back(), 8u);
}

TEST(SurveyPlan, CountsStayBelowTheLength) {
  EXPECT_EQ(selection_counts(1, true), std::vector<std::size_t>{1});
  EXPECT_EQ(selection_counts(2, true), std::vector<std::size_t>{1});
  EXPECT_EQ(selection_counts(16, false), (std::vector<std::size_t>{1, 2, 4, 5, 8}));
  const auto longest = selection_counts(1024, true);
  EXPECT_EQ(longest.back(), 1014u);
  EXPECT_TRUE(std::binary_search(longest.begin(), longest.end(), 62u));  // 6%
}

}  // namespace
}  // namespace attncert
