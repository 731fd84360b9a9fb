// Covers: the reduction of each proved claim agrees with the claim's own sides on random instances, and the branch and
// bound covers what holds, cuts where it must, and covers nothing false.
#include "properties/claims/certify/cover.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "reference/normalizers/softmax.hpp"

namespace attncert {
namespace {

const Statement& statement_of(const char* id) { return find_claim(id)->statement; }

CoverPiece piece(const char* id, const std::string& name) {
  for (const CoverPiece& candidate : statement_of(id).sided()->cover->pieces())
    if (candidate.name == name) return candidate;
  ADD_FAILURE() << id << " has no piece " << name;
  return {};
}

Rational slack_at(const CoverPiece& piece, const std::vector<Rational>& x) {
  std::vector<PolynomialQuotient> variables;
  for (std::size_t k = 0; k < piece.coordinates; ++k)
    variables.emplace_back(Polynomial::variable(piece.coordinates, k), Polynomial(piece.coordinates, 1));
  const PolynomialQuotient slack = piece.slack(variables);
  return slack.numerator.at(x) / slack.denominator.at(x);
}

// 300 instances of a statement that meet its hypotheses.
template <class Visit>
void each_instance(const Statement& statement, Visit visit) {
  int seen = 0;
  for (std::uint64_t number = 0; seen < 300 && number < 3000; ++number) {
    const Instance instance = instance_of(statement, random_case(statement, 5, number));
    if (judge(statement, instance).decision == Decision::discarded) continue;
    ++seen;
    visit(instance);
  }
  EXPECT_EQ(seen, 300);
}

// Where `value` lies between `least` and 1, as a share; anywhere when least = 1.
Rational share(const Rational& least, const Rational& value) {
  return least == 1 ? Rational(0) : Rational((value - least) / (1 - least));
}

struct Values {  // of F, scaled to a maximum of 1, largest first
  std::vector<Rational> F;
  Rational sum = 0;
  explicit Values(const Instance& instance) : F(instance.F) {
    std::sort(F.begin(), F.end(), std::greater<>());
    const Rational largest = F.front();
    for (Rational& value : F) sum += value /= largest;
  }
  Rational mean(std::size_t first, std::size_t last) const {
    Rational total = 0;
    for (std::size_t i = first; i < last; ++i) total += F[i];
    return total / (last - first);
  }
};

TEST(Reduction, OneWeightAgainstTheOthers) {
  for (const char* id : {"weights-order-sharp", "lemma1-bounded-logits"}) {
    const CoverPiece above = piece(id, "above"), below = piece(id, "below");
    each_instance(statement_of(id), [&](const Instance& instance) {
      const std::size_t L = instance.length;
      if (L < 2) return;
      const Values v(instance);
      const Rational m = v.F.back(), R = 1 / m, n(L - 1), a = 1 / v.sum, least = m / v.sum;
      const bool sharp = std::string(id) == "weights-order-sharp";
      const Rational most = sharp ? Rational(R / (R + n)) : Rational(R / (n + 1));
      const Rational bottom = sharp ? Rational(1 / (1 + n * R)) : Rational(1 / (R * (n + 1)));
      EXPECT_EQ(slack_at(above, {m, share(m, 1), share(m, v.mean(1, L)), 1 / n}), most - a);
      EXPECT_EQ(slack_at(below, {m, share(m, m), share(m, v.mean(0, L - 1)), 1 / n}), least - bottom);
    });
  }
}

TEST(Reduction, TopMass) {
  const CoverPiece mass = piece("top-mass-cap", "mass");
  each_instance(statement_of("top-mass-cap"), [&](const Instance& instance) {
    const Values v(instance);
    const std::size_t L = instance.length;
    for (std::size_t n = 1; n < L; ++n) {
      const Rational N(n), m = v.F.back(), R = 1 / m, cap = N * R / (N * R + L - n);
      EXPECT_EQ(slack_at(mass, {m, share(m, v.mean(0, n)), share(m, v.mean(n, L)), N / L}),
                cap - N * v.mean(0, n) / v.sum);
    }
  });
}

// exp of both sides: the odds of the largest weight over the uniform ones, and exp(range/T). Rows of two levels at T =
// 1 have one exponential, which any rational stands for.
TEST(Reduction, Odds) {
  for (const char* id : {"softmax-mass-needs-range", "softmax-sharpness-needs-log-length"}) {
    const CoverPiece odds = piece(id, "odds");
    for (int low = 1; low <= 4; ++low)
      for (unsigned long high = 0; high <= 3; ++high) {  // 1 + high tokens at the top, `low` at the bottom
        const Rational q = ratio(2, 7), others(high + low), p1 = 1 / (1 + high + low * q);
        EXPECT_EQ(slack_at(odds, {q, share(q, (high + low * q) / others)}), 1 / q - p1 * others / (1 - p1));
      }
  }
}

TEST(Reduction, EntriesAndColumns) {
  for (const Rational& p : {ratio(0, 1), ratio(1, 3), ratio(1, 2), ratio(9, 10)}) {
    EXPECT_EQ(slack_at(piece("softmax-largest-entry", "diagonal"), {p}), ratio(1, 4) - p * (1 - p));
    EXPECT_EQ(slack_at(piece("softmax-half-over-temperature", "column"), {p}), ratio(1, 2) - 2 * p * (1 - p));
    for (const Rational& q : {ratio(0, 1), ratio(1, 7), Rational(1 - p)}) {
      if (p + q > 1) continue;
      EXPECT_EQ(slack_at(piece("softmax-largest-entry", "off-diagonal"), {p, q / (1 - p)}), ratio(1, 4) - p * q);
    }
  }
}

// The weights of the ordered simplex are weights in order, and every such row is reached.
TEST(Reduction, OrderedWeights) {
  for (const std::vector<long>& parts : {std::vector<long>{5, 2, 2, 1}, {1, 1, 1, 1}, {7, 3, 0, 0}, {9, 4, 3, 1, 1}}) {
    const std::size_t L = parts.size();
    Rational sum = 0, left = 1;
    for (const long part : parts) sum += part;
    std::vector<Rational> x;
    for (std::size_t k = 0; k + 1 < L; ++k) {
      const Rational piece = (parts[k] - parts[k + 1]) * Rational(k + 1) / sum;
      x.push_back(left == 0 ? Rational(0) : Rational(piece / left));
      left -= piece;
    }
    x.push_back(ratio(1, 3));  // where z lies
    // by hand: det(z I - diag p + p p^T)/z at z = U + 1/3
    const Rational p1 = parts[0] / sum, p2 = parts[1] / sum, z = p1 * (1 - p1 + p2) + ratio(1, 3);
    Rational determinant = 0;
    for (std::size_t i = 0; i < L; ++i) {
      Rational term = parts[i] / sum;
      for (std::size_t j = 0; j < L; ++j)
        if (j != i) term *= z - parts[j] / sum;
      determinant += term;
    }
    EXPECT_EQ(slack_at(piece("softmax-spectral-bounds", "ceiling L=" + std::to_string(L)), x), determinant);
  }
}

// Summed over the tokens of two rows the piece is 2 - ||a - a'||^2.
TEST(Reduction, Diameter) {
  const CoverPiece token = piece("weights-diameter", "token");
  each_instance(statement_of("weights-diameter"), [&](const Instance& instance) {
    Rational sum = 0, square = 0;
    for (std::size_t i = 0; i < instance.length; ++i) {
      const Rational &a = instance.weights[i], &b = instance.other_weights[i];
      sum += slack_at(token, {a, b});
      square += (a - b) * (a - b);
    }
    EXPECT_EQ(sum, 2 - square);
  });
}

using Point = std::span<const PolynomialQuotient>;

CoverResult cover_of(CoverPiece (*make)(), std::size_t most_boxes = 2000) {
  static CoverPiece (*current)();
  current = make;
  Statement statement;
  statement.id = "test";
  statement.kind = Sided{.cover = Cover{"a domain", {}, [] { return std::vector<CoverPiece>{current()}; }}};
  return cover(statement, most_boxes);
}

TEST(Cover, CutsWhereAMinimumIsInside) {
  // (x - 1/2)^2 + (y - 1/2)^2 touches 0 at the middle of the square
  const CoverResult result = cover_of([]() -> CoverPiece {
    return {.name = "bowl", .coordinates = 2, .slack = [](Point x) {
              return (x[0] - ratio(1, 2)) * (x[0] - ratio(1, 2)) + (x[1] - ratio(1, 2)) * (x[1] - ratio(1, 2));
            }};
  });
  ASSERT_TRUE(result.certificate) << result.why_not;
  EXPECT_EQ(result.leaves, 4u);
  EXPECT_EQ(result.certificate->pieces[0].cuts.size(), 7u);
}

TEST(Cover, FalseByALittleIsNotCovered) {
  const CoverResult result = cover_of([]() -> CoverPiece {
    return {.name = "bowl", .coordinates = 1, .slack = [](Point x) {
              return (x[0] - ratio(1, 3)) * (x[0] - ratio(1, 3)) - Rational(1, 1000000);
            }};
  });
  EXPECT_FALSE(result.certificate);
  EXPECT_NE(result.why_not.find("it does not hold"), std::string::npos) << result.why_not;
}

TEST(Cover, WhatIsNeverDecidedEnds) {
  // touches 0 at 1/3, which no halving reaches
  const CoverResult result = cover_of(
      []() -> CoverPiece {
        return {.name = "bowl", .coordinates = 1, .slack = [](Point x) {
                  return (x[0] - ratio(1, 3)) * (x[0] - ratio(1, 3));
                }};
      },
      100);
  EXPECT_EQ(result.why_not, "bowl: not covered by 100 boxes");
}

TEST(Cover, ADenominatorOfBothSignsIsRefused) {
  const CoverResult result = cover_of([]() -> CoverPiece {
    return {.name = "pole", .coordinates = 1, .slack = [](Point x) { return 1 / (x[0] - ratio(1, 2)); }};
  });
  EXPECT_FALSE(result.certificate);
}

TEST(Cover, AnIdentityThatIsNoneIsRefused) {
  const CoverResult result = cover_of([]() -> CoverPiece {
    return {.name = "no", .coordinates = 1, .slack = [](Point x) { return x[0] * x[0] - x[0]; }, .identity = true};
  });
  EXPECT_EQ(result.why_not, "no: not an identity");
}

TEST(Cover, EveryClaimExpectedProvedIsCoveredAndNoOther) {
  for (const Claim& claim : claims()) {
    const bool has_cover = claim.statement.sided() != nullptr && claim.statement.sided()->cover;
    EXPECT_EQ(claim.expected == Expected::proved, has_cover) << claim.statement.id;
  }
}

}  // namespace
}  // namespace attncert
