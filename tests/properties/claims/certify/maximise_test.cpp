// The maximiser reaches the extremes of docs/specification.md#extremes from unstructured random starts, and nothing
// passes 1.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "properties/claims/certify/coordinates.hpp"
#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/maximise.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/certify/shrink.hpp"
#include "properties/claims/certify/shrink_instance.hpp"
#include "properties/claims/instances/embeddings.hpp"
#include "properties/claims/instances/weights.hpp"
#include "tests/properties/claims/certify/shaved.hpp"

namespace attncert {
namespace {

const std::atomic<bool> never_stop{false};

// Gaussian numbers, nothing else: no ties, no zeros, no parallel tokens.
class Gaussian {
 public:
  explicit Gaussian(std::uint64_t seed) : tape_(random_tape(seed, "maximise-test", 0, 1 << 16)), choices_(tape_) {}
  double operator()() {
    const double radius = std::sqrt(-2 * std::log(choices_.unit() + 0x1p-33));
    return radius * std::cos(2 * std::numbers::pi * choices_.unit());
  }
  Rational number() { return exact(std::nearbyint((*this)() * 0x1p20) * 0x1p-20); }
  Rational positive() { return exact(std::nearbyint(std::exp((*this)()) * 0x1p20) * 0x1p-20 + 0x1p-20); }
  std::size_t below(std::size_t n) { return choices_.below(n); }

 private:
  Tape tape_;
  Choices choices_;
};

constexpr std::size_t evaluations = 2000;

enum class Kind { selection, sphere, logits, separable };

Instance start(Kind kind, Gaussian& gaussian, std::size_t length) {
  Instance instance;
  instance.length = length;
  const auto fill = [&](std::vector<Rational>& values, bool positive) {
    for (std::size_t i = 0; i < length; ++i) values.push_back(positive ? gaussian.positive() : gaussian.number());
  };
  if (kind == Kind::logits) {
    fill(instance.logits, false);
    instance.temperature = gaussian.positive();
  } else if (kind == Kind::separable) {
    fill(instance.F, true);
    fill(instance.dF, false);
  } else {
    const std::size_t dimension = 2 + gaussian.below(2);
    fill(instance.weights, true);
    instance.weights = normalized(std::move(instance.weights));
    std::vector<Rational> values;
    for (std::size_t i = 0; i < length; ++i) {
      std::vector<Rational> token;
      const std::size_t free = kind == Kind::sphere ? dimension - 1 : dimension;
      for (std::size_t k = 0; k < free; ++k) token.push_back(gaussian.number());
      if (kind == Kind::sphere) token = stereographic(token);
      values.insert(values.end(), token.begin(), token.end());
    }
    instance.tokens = std::make_shared<TokenSet>(length, dimension, std::move(values));
    instance.select_top(1 + gaussian.below(std::max<std::size_t>(1, length - 1)));
  }
  return instance;
}

constexpr double far = 0.9;  // a start that is as good as there shows nothing

// The part's tightest of 40 starts of length `length` that are not near; where all are (a bound that two tokens always
// attain), the tightest of all.
std::vector<Start> starts(const Statement& statement, std::size_t part, Kind kind, std::uint64_t seed,
                          std::size_t length) {
  Gaussian gaussian(seed);
  StartPool distant, all;
  for (int k = 0; k < 40; ++k) {
    const Instance instance = start(kind, gaussian, length);
    const Ruling ruling = judge(statement, instance);
    const std::optional<double> tightness = ruling.parts.empty() ? std::nullopt : ruling.parts[part].tightness();
    if (!tightness) continue;
    all.offer(instance, *tightness);
    if (*tightness < far) distant.offer(instance, *tightness);
  }
  const std::vector<Start> chosen = distant.best(8);
  return chosen.empty() ? all.best(8) : chosen;
}

struct Extreme {
  const char* id;
  Kind kind;
};

class FromRandomStarts : public testing::TestWithParam<Extreme> {};

TEST_P(FromRandomStarts, ReachesNinetyNineHundredthsAndNeverOne) {
  const Statement& statement = find_claim(GetParam().id)->statement;
  const std::vector<Part>& parts = statement.sided()->parts;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const std::size_t shortest = parts[p].name == "c0, c1" ? 3 : 2;  // c0 is 0 for one token of two
      const auto from = starts(statement, p, GetParam().kind, seed, std::max(shortest, 2 + seed % 5));
      const Maximised found = maximise(statement, p, from, evaluations, "here", never_stop);
      ASSERT_TRUE(found.tightest) << parts[p].name << " seed " << seed;
      EXPECT_GE(found.tightness, 0.99) << parts[p].name << " seed " << seed;
      EXPECT_LE(found.tightness, 1) << parts[p].name << " seed " << seed;
      EXPECT_EQ(found.tally.counts.violated, 0u);
      EXPECT_EQ(found.tally.counts.undecided, 0u);
    }
}
INSTANTIATE_TEST_SUITE_P(
    Attained, FromRandomStarts,
    testing::Values(Extreme{"distance-upper", Kind::selection}, Extreme{"distance-two-sided", Kind::selection},
                    Extreme{"distance-split", Kind::selection}, Extreme{"distance-lower", Kind::selection},
                    Extreme{"distance-cap-fixed-n", Kind::selection}, Extreme{"mean-distance-limit", Kind::selection},
                    Extreme{"expected-distance-sandwich", Kind::selection},
                    Extreme{"weights-order-sharp", Kind::separable}, Extreme{"jacobian-sharp-column", Kind::separable},
                    Extreme{"jacobian-sharp-slope", Kind::separable}, Extreme{"jacobian-log-slope", Kind::separable},
                    Extreme{"top-mass-cap", Kind::selection}, Extreme{"softmax-half-over-temperature", Kind::logits},
                    Extreme{"softmax-largest-entry", Kind::logits}, Extreme{"softmax-spectral-bounds", Kind::logits}),
    [](const auto& extreme) {
      std::string name = extreme.param.id;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// What lies beyond 1, or below it, in docs/specification.md#extremes: the extreme is a number of its own.
struct Extremum {
  const char* id;
  Kind kind;
  std::size_t length;
  double extreme;  // docs/specification.md#extremes
};
class Extremes : public testing::TestWithParam<Extremum> {};

TEST_P(Extremes, AreReachedAndNotPassed) {
  const auto& [id, kind, length, extreme] = GetParam();
  const Statement& statement = find_claim(id)->statement;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Maximised found =
        maximise(statement, 0, starts(statement, 0, kind, seed, length), 3 * evaluations, "here", never_stop);
    ASSERT_TRUE(found.tally.tightest);
    EXPECT_GE(found.tally.tightest->tightness, 0.99 * extreme) << id << " seed " << seed;
    EXPECT_LE(found.tally.tightest->tightness, extreme * (1 + 1e-12)) << id << " seed " << seed;
    EXPECT_EQ(found.violating.has_value(), extreme > 1) << id;
  }
}
INSTANTIATE_TEST_SUITE_P(Section14, Extremes,
                         testing::Values(Extremum{"lemma2-first-term", Kind::separable, 2, std::sqrt(2.0) - 1},
                                         Extremum{"lemma2-first-term", Kind::separable, 4, std::sqrt(1 / 3.0)},
                                         Extremum{"theorem2-upper", Kind::sphere, 2, std::exp(1 / 16.0)},
                                         Extremum{"theorem2-lower", Kind::sphere, 3, 1}));

// No start violates: the maximiser has to get there, and what it finds is made short.
TEST(Maximiser, FindsAViolationThatNoStartIsAndItShrinks) {
  const Statement wrong = shaved(find_claim("distance-upper")->statement, 0, ratio(99, 100));
  const std::vector<Start> from = starts(wrong, 0, Kind::selection, 3, 5);
  ASSERT_FALSE(from.empty());
  const Maximised found = maximise(wrong, 0, from, evaluations, "here", never_stop);
  ASSERT_TRUE(found.violating);
  const Instance shrunk = shrink_instance(wrong, 0, *found.violating, 3000);
  EXPECT_EQ(judge(wrong, shrunk).decision, Decision::violated);
  EXPECT_EQ(shrunk.length, 2u) << shrunk.size_text();
  EXPECT_EQ(shrunk.dimension(), 1u) << shrunk.size_text();
  EXPECT_LE(shrunk.bits(), 40u) << shrunk.size_text();
}

// A point in a box has one parameter for every token: token and parameter leave together. Of a rule's parameters none
// leaves.
TEST(Shrink, DropsTheParameterOfADroppedToken) {
  const Statement wrong = shaved(find_claim("softmax-convex-bounds")->statement, 0, ratio(1, 2));
  Instance box;
  box.length = 5;
  box.temperature = Rational(1);
  box.logits = {0, 1, 2, 3, 4};
  box.other_logits = {0, 2, 2, 4, 4};
  box.parameters = {0, ratio(1, 3), 0, ratio(1, 3), 0};
  const Instance shrunk = shrink_instance(wrong, 0, box, 3000);
  EXPECT_EQ(judge(wrong, shrunk).decision, Decision::violated);
  EXPECT_LT(shrunk.length, 5u) << shrunk.size_text();
  EXPECT_EQ(shrunk.parameters.size(), shrunk.length);
}

TEST(Shrink, KeepsTheParametersOfARule) {
  const Statement wrong = shaved(find_claim("lipschitz-sigmoid")->statement, 0, 0);
  for (std::uint64_t i = 0; i < 2000; ++i) {  // as many tokens as parameters
    const Instance instance = instance_of(wrong, random_case(wrong, 1, i));
    if (instance.length != instance.parameters.size()) continue;
    if (judge(wrong, instance).decision != Decision::violated) continue;
    const Instance shrunk = shrink_instance(wrong, 0, instance, 300);
    EXPECT_LT(shrunk.length, instance.length);
    EXPECT_EQ(shrunk.parameters.size(), instance.parameters.size());
    return;
  }
  FAIL() << "no such instance";
}

TEST(Maximiser, TheSameStartsGiveTheSameResult) {
  const Statement& statement = find_claim("mean-distance-limit")->statement;
  const auto from = starts(statement, 0, Kind::selection, 5, 4);
  const Maximised one = maximise(statement, 0, from, 500, "here", never_stop),
                  other = maximise(statement, 0, from, 500, "here", never_stop);
  ASSERT_TRUE(one.tightest && other.tightest);
  EXPECT_EQ(one.tally.tightest->tightness, other.tally.tightest->tightness);
  EXPECT_EQ(one.tightest->weights, other.tightest->weights);
}

TEST(Coordinates, KeepExactHypothesesTrue) {
  const Statement& statement = find_claim("theorem2-upper")->statement;
  Gaussian gaussian(11);
  const Instance base = start(Kind::sphere, gaussian, 4);
  const Coordinates coordinates(statement, base);
  ASSERT_EQ(coordinates.dimension(), 4 + 4 * base.dimension());  // weights, and tokens along their sphere
  std::vector<double> point = coordinates.origin();
  for (double& x : point) x += gaussian();
  const Instance moved = coordinates.at(point);
  EXPECT_TRUE(admissible(statement, moved));
  EXPECT_EQ(moved.tokens->squared_norm(3), base.tokens->squared_norm(3));
  EXPECT_NE(moved.tokens->squared_distance(0, 3), base.tokens->squared_distance(0, 3));
}

// Equal inner products break when tokens move one by one: only the weights may.
TEST(Coordinates, LeaveAloneWhatAHypothesisTies) {
  const Statement& statement = find_claim("separability-equiangular")->statement;
  for (std::uint64_t number = 0, seen = 0; seen < 5; ++number) {
    const Tape tape = random_tape(1, "coordinates-test", number, 256);
    Choices choices(tape);
    const Instance base = statement.sided()->generate(choices);
    if (base.length < 4 || !admissible(statement, base)) continue;
    ++seen;
    EXPECT_EQ(Coordinates(statement, base).dimension(), base.length);
  }
}

}  // namespace
}  // namespace attncert
