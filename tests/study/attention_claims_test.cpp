// Claims on captured rows: a screen of the bound kernels says what Interval says of the same instance, or nothing; on
// rows of the trained model, and on rows made of them that violate what those keep: short tokens, sharp heads, ties,
// weights that underflow.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "src/gpt2/capture.hpp"
#include "src/kernel/kernel.hpp"
#include "study/claims/closer_sides.hpp"
#include "study/claims/row_claims.hpp"
#include "study/claims/screens.hpp"

namespace attncert {
namespace {

constexpr TokenScale scales[] = {TokenScale::raw, TokenScale::unit};

const CapturedAttention& attention() {
  static const CapturedAttention captured = [] {
    const std::string data = std::string(ATTNCERT_SOURCE_DIR) + "/data/";
    const auto model = load(data + "tiny-gpt2");
    std::stringstream text;
    text << std::ifstream(data + "sample.txt").rdbuf();
    auto rows = capture(*model, text.str(), {.windows = 1, .queries = {1, 7, 31}}, "sample.txt");
    return *std::move(rows);
  }();
  return captured;
}

CapturedRow with_logits(const CapturedRow& row, float factor) {
  CapturedRow other = row;
  for (float& z : other.logits) z *= factor;
  EXPECT_EQ(run<float>(*find_kernel("softmax", ATTNCERT_F32), other.logits, other.weights, 1, other.logits.size(), 1.0),
            ATTNCERT_OK);
  return other;
}

CapturedRow with_tokens(const CapturedRow& row, float factor) {
  CapturedRow other = row;
  auto tokens = std::make_shared<CapturedTokens>(*row.tokens);
  for (float& x : tokens->values) x *= factor;
  other.tokens = std::move(tokens);
  return other;
}

CapturedRow with_equal_weights(const CapturedRow& row) { return with_logits(row, 0); }

// Rows of two heads in each layer: as captured, with short tokens, sharp, underflowing, uniform.
std::vector<CapturedRow> rows(std::size_t query) {
  std::vector<CapturedRow> all;
  for (const CapturedRow& row : attention().rows) {
    if (row.query != query || row.head > 1) continue;
    all.push_back(row);
    if (row.head != 0) continue;
    all.push_back(with_tokens(row, 0x1p-6F));
    all.push_back(with_logits(row, 6));
    all.push_back(with_logits(row, 60));
    all.push_back(with_equal_weights(row));
  }
  return all;
}

struct Curves {
  bounds::DistanceCurves distance;
  bounds::SeparabilityCurves separability;
};

Curves curves(const CapturedRow& row, TokenScale scale) {
  const std::size_t L = row.weights.size(), d = row.tokens->width;
  std::vector<double> x(row.tokens->values.begin(), row.tokens->values.begin() + static_cast<std::ptrdiff_t>(L * d));
  for (std::size_t i = 0; scale == TokenScale::unit && i < L; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < d; ++k) square += x[i * d + k] * x[i * d + k];
    for (std::size_t k = 0; k < d; ++k) x[i * d + k] /= std::sqrt(square);
  }
  std::vector<std::size_t> N;
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{5}, L / 2, L - 1, L})
    if (n <= L && (N.empty() || n > N.back())) N.push_back(n);
  const std::vector<double> weights(row.weights.begin(), row.weights.end());
  const bounds::Gram<double> gram({x.data(), L, d, d});
  const bounds::Points points{.at = N};
  Curves result;
  bounds::distance_curves<double>(weights, gram, points, result.distance);
  bounds::separability_curves<double>(weights, gram, points, result.separability,
                                      scale == TokenScale::unit ? unit_token_error : 0);
  return result;
}

struct Agreement {
  std::size_t asked = 0, open = 0, contradictions = 0;
  std::map<std::string_view, std::array<std::size_t, 5>> by_interval;  // claim, Decision
  std::string first;

  std::size_t met(std::string_view claim, Decision decision) const {
    const auto counts = by_interval.find(claim);
    return counts == by_interval.end() ? 0 : counts->second[static_cast<std::size_t>(decision)];
  }

  void add(std::string_view claim, const Outcome& outcome, const Instance& instance, const std::string& where) {
    const Ruling ruling = judge(find_claim(claim)->statement, instance);
    ++asked;
    ++by_interval[claim][static_cast<std::size_t>(ruling.decision)];
    if (outcome.what == Decision::undecided) {
      ++open;
      return;
    }
    if (outcome.what == ruling.decision && outcome.hypothesis == ruling.discarded_by) return;
    ++contradictions;
    if (first.empty())
      first = std::string(claim) + " " + where + ": " + std::string(name(outcome.what)) + " against " +
              std::string(name(ruling.decision)) + " " + std::string(ruling.discarded_by);
  }
};

void compare_selections(std::span<const SelectionScreen> screens, const CapturedRow& row, TokenScale scale,
                        Agreement& agreement) {
  const Curves of_row = curves(row, scale);
  const auto tokens = exact_tokens(*row.tokens, row.weights.size(), scale).tokens;
  for (SelectionSides sides : selection_sides(row.weights, scale, false, of_row.distance, of_row.separability)) {
    bool tie = false;
    const Instance instance = captured_selection(row, tokens, sides.count, tie);
    const CloserSides closer = closer_sides(row.weights, *row.tokens, scale, sides.count);
    for (const SelectionScreen& screen : screens) {
      Outcome outcome = screen.ask(sides);
      if (outcome.what == Decision::undecided && screen.second_look) {
        SelectionSides again = sides;
        again.beyond = closer.beyond;
        again.minus_context = closer.minus_context;
        outcome = screen.ask(again);
      }
      agreement.add(screen.claim, outcome, instance, row_name(row) + " N=" + std::to_string(sides.count));
    }
  }
}

TEST(AttentionClaims, ScreensOfSelectionsSayWhatIntervalSays) {
  Agreement agreement;
  for (const std::size_t query : {7, 31})
    for (const CapturedRow& row : rows(query))
      for (const TokenScale scale : scales) compare_selections(selection_screens(), row, scale, agreement);
  EXPECT_EQ(agreement.contradictions, 0u) << agreement.first;
  EXPECT_GT(agreement.asked, 5000u);
  EXPECT_LE(agreement.open, agreement.asked / 50);  // exact ties, of uniform weights mostly
  for (const char* claim : {"theorem1-upper", "theorem2-upper", "theorem2-eighty-percent"}) {  // both answers are met
    EXPECT_GT(agreement.met(claim, Decision::held), 5u) << claim;
    EXPECT_GT(agreement.met(claim, Decision::violated), 5u) << claim;
  }
  for (const SelectionScreen& screen : selection_screens())
    EXPECT_GT(agreement.met(screen.claim, Decision::held) + agreement.met(screen.claim, Decision::discarded), 100u)
        << screen.claim;
}

bool covers(bounds::Certified number, const Interval& exact) {
  return number.value - number.error <= exact.lower() && exact.upper() <= number.value + number.error;
}

// The kernels saw other unit tokens than the instance has: the errors cover that, and without it they do not.
TEST(AttentionClaims, SidesCoverTheInstancesUnitVectors) {
  std::size_t beside = 0, counted = 0;
  for (const CapturedRow& row : rows(31)) {
    const Curves of_row = curves(row, TokenScale::unit);
    const auto tokens = exact_tokens(*row.tokens, row.weights.size(), TokenScale::unit).tokens;
    const auto all = selection_sides(row.weights, TokenScale::unit, false, of_row.distance, of_row.separability);
    for (std::size_t point = 0; point < all.size() && all[point].count < row.weights.size(); ++point) {
      const SelectionSides& sides = all[point];
      bool tie = false;
      const Instance instance = captured_selection(row, tokens, sides.count, tie);
      const auto side = [&](const char* claim, auto which) {
        return (find_claim(claim)->statement.sided()->parts[0].*which)(instance, Precision{128});
      };
      const CloserSides closer = closer_sides(row.weights, *row.tokens, TokenScale::unit, sides.count);
      const Interval distance = side("distance-upper", &Part::lhs);
      const Interval beyond = abs(side("distance-two-sided", &Part::lhs));
      const Interval weighted = side("theorem1-upper-norm-of-weighted-sum", &Part::lhs);
      const std::string where = row_name(row) + " N=" + std::to_string(sides.count);
      EXPECT_TRUE(covers(sides.distance, distance)) << where;
      EXPECT_TRUE(covers(sides.beyond, beyond) && covers(closer.beyond, beyond)) << where;
      EXPECT_TRUE(covers(sides.minus_context, weighted) && covers(closer.minus_context, weighted)) << where;
      EXPECT_TRUE(covers(sides.corrected, side("distance-upper", &Part::rhs))) << where;
      EXPECT_TRUE(covers(sides.printed, side("theorem1-upper", &Part::rhs))) << where;
      EXPECT_TRUE(covers(sides.unselected, side("distance-two-sided", &Part::rhs))) << where;
      EXPECT_TRUE(covers(sides.r, *instance.selection(Precision{128}).r)) << where;
      beside += !covers(of_row.distance.distance[point], distance);
      ++counted;
    }
  }
  EXPECT_GT(beside, counted / 4);
}

std::vector<CapturedRow> logit_rows() {
  std::vector<CapturedRow> all;
  for (const std::size_t query : {1, 7, 31})
    for (const CapturedRow& row : rows(query)) all.push_back(row);
  CapturedRow one = all.front();
  one.logits.resize(1);
  all.push_back(one);
  return all;
}

void compare_logits(std::span<const LogitScreen> screens, const CapturedRow& row, double temperature,
                    Agreement& agreement) {
  const LogitSides sides = logit_sides(row.logits, temperature);
  Instance instance = captured_logits(row);
  instance.temperature = exact(temperature);
  for (const LogitScreen& screen : screens)
    agreement.add(screen.claim, screen.ask(sides), instance, row_name(row) + " T=" + std::to_string(temperature));
}

TEST(AttentionClaims, ScreensOfLogitsSayWhatIntervalSays) {
  Agreement agreement;
  for (const CapturedRow& row : logit_rows())
    for (const double temperature : {1.0, 0.01, 10.0}) compare_logits(logit_screens(), row, temperature, agreement);
  EXPECT_EQ(agreement.contradictions, 0u) << agreement.first;
  EXPECT_LE(agreement.open, agreement.asked / 5);  // of two logits, of equal ones, and one-hot rows
  for (const char* claim : {"softmax-quarter-over-temperature", "softmax-quarter-frobenius"}) {
    EXPECT_GT(agreement.met(claim, Decision::held), 5u) << claim;
    EXPECT_GT(agreement.met(claim, Decision::violated), 5u) << claim;
  }
  for (const LogitScreen& screen : logit_screens()) EXPECT_GT(agreement.met(screen.claim, Decision::held), 50u);
}

// The comparison can fail: a bound without the square, and the largest entry in place of the norm.
TEST(AttentionClaims, WrongScreensAreNoticed) {
  const auto answer = [](double left, double right) {
    return Outcome{left <= right ? Decision::held : Decision::violated};
  };
  static const auto decide = +answer;
  const SelectionScreen without_square[] = {
      {"theorem1-upper", [](const SelectionSides& s) { return decide(s.distance.value, s.corrected.value); }}};
  const SelectionScreen other_reading[] = {{"theorem2-upper", [](const SelectionSides& s) {
                                              return decide(s.printed_lower[0].value, s.printed_upper.value);
                                            }}};
  const LogitScreen entry_for_norm[] = {{"softmax-quarter-over-temperature", [](const LogitSides& s) {
                                           return decide(s.jacobian.entry.value, s.jacobian.quarter.value);
                                         }}};
  Agreement square, reading, norm;
  for (const CapturedRow& row : rows(7)) {
    compare_selections(without_square, row, TokenScale::raw, square);
    compare_selections(other_reading, row, TokenScale::unit, reading);
    compare_logits(entry_for_norm, row, 1, norm);
  }
  EXPECT_GT(square.contradictions, 0u);
  EXPECT_GT(reading.contradictions, 0u);
  EXPECT_GT(norm.contradictions, 0u);
}

// What the screens leave open is judged and counted like the rest: the tallies are those of Interval alone.
TEST(AttentionClaims, TalliesAreThoseOfInterval) {
  RowClaims claims;
  std::map<std::string, ScreenTally> expected;
  for (const CapturedRow& row : rows(7)) {
    const Curves of_row = curves(row, TokenScale::unit);
    const auto tokens = exact_tokens(*row.tokens, row.weights.size(), TokenScale::unit).tokens;
    claims.selections(row, TokenKind::hidden, TokenScale::unit, of_row.distance, of_row.separability, false,
                      [&]() -> const CapturedTokens& { return *row.tokens; });
    for (const std::size_t N : of_row.distance.N) {
      bool tie = false;
      const Instance instance = captured_selection(row, tokens, N, tie);
      for (const SelectionScreen& screen : selection_screens()) {
        Tally tally;
        const Statement& statement = find_claim(screen.claim)->statement;
        record(tally, statement, judge(statement, instance), "");
        expected[std::string(screen.claim)].counts += tally.counts;
      }
    }
  }
  const std::vector<ClaimLine> lines = claims.lines(3);
  ASSERT_EQ(lines.size(), selection_screens().size());
  std::uint64_t by_interval = 0;
  for (const ClaimLine& line : lines) {
    const Counts& counts = expected[line.claim].counts;
    EXPECT_EQ(line.window, 3u);
    EXPECT_EQ(line.x, "hidden unit");
    EXPECT_EQ(line.tried, counts.tried);
    EXPECT_EQ(line.admissible, counts.admissible) << line.claim;
    EXPECT_EQ(line.held, counts.held) << line.claim;
    EXPECT_EQ(line.violated, counts.violated) << line.claim;
    EXPECT_EQ(line.equality, counts.equality) << line.claim;
    EXPECT_EQ(line.undecided, 0u) << line.claim;
    by_interval += line.by_interval;
  }
  EXPECT_GT(by_interval, 0u);
}

// Rows as they are captured, no harder ones: what is left to Interval is next to nothing.
TEST(AttentionClaims, CapturedRowsLeaveNothingOpen) {
  RowClaims claims;
  for (const CapturedRow& row : attention().rows)
    for (const TokenScale scale : scales) {
      const Curves of_row = curves(row, scale);
      claims.selections(row, TokenKind::hidden, scale, of_row.distance, of_row.separability, false,
                        [&]() -> const CapturedTokens& { return *row.tokens; });
    }
  std::uint64_t tried = 0, by_interval = 0;
  for (const ClaimLine& line : claims.lines(0)) {
    tried += line.tried;
    by_interval += line.by_interval;
  }
  EXPECT_GT(tried, 4000u);
  EXPECT_LE(by_interval, tried / 1000);
}

// A token of length 0 lies on no sphere; weights with signs, or without any, are on no simplex: nothing is admissible.
TEST(AttentionClaims, WhatFailsAHypothesisIsCountedUnderIt) {
  const CapturedRow row = rows(7).front();
  const Curves of_row = curves(row, TokenScale::unit);
  RowClaims claims;
  const auto tokens = [&]() -> const CapturedTokens& { return *row.tokens; };
  claims.selections(row, TokenKind::hidden, TokenScale::unit, of_row.distance, of_row.separability, true, tokens);
  for (const ClaimLine& line : claims.lines(0))
    if (line.claim.starts_with("theorem2")) {
      EXPECT_EQ(line.admissible, 0u) << line.claim;
      EXPECT_NE(line.discarded.find("tokens on a sphere around 0"), std::string::npos) << line.discarded;
    }
  for (const float weight : {0.0F, -0.5F}) {
    CapturedRow odd = row;
    std::fill(odd.weights.begin(), odd.weights.end(), weight);
    RowClaims none;
    none.selections(odd, TokenKind::hidden, TokenScale::unit, of_row.distance, of_row.separability, false, tokens);
    ASSERT_FALSE(none.lines(0).empty());
    for (const ClaimLine& line : none.lines(0)) {
      EXPECT_EQ(line.admissible, 0u) << line.claim;
      EXPECT_EQ(line.discarded, "a_i >= 0 and sum a_i = 1: " + std::to_string(of_row.distance.N.size()));
    }
  }
}

}  // namespace
}  // namespace attncert
