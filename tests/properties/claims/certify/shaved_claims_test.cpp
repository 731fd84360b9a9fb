// Testing the tester: a true, attained bound that is made 1% smaller must be refuted by the search, from random starts.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "properties/claims/certify/search.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert {
namespace {

constexpr std::array ids = {"distance-split",
                            "distance-lower",
                            "mean-distance-limit",
                            "distance-cap-fixed-n",
                            "theorem1-upper-norm-of-sum",
                            "expected-distance-sandwich",
                            "separability-sandwich",
                            "separability-equiangular",
                            "top-mass-cap",
                            "softmax-mass-needs-range",
                            "softmax-sharpness-needs-log-length",
                            "softmax-spectral-bounds",
                            "entmax-top-weight-floor",
                            "jacobian-sharp-column",
                            "jacobian-sharp-slope",
                            "jacobian-log-slope",
                            "softmax-convex-bounds",
                            "softmax-tanh-lipschitz",
                            "softmax-half-lipschitz-lp",
                            "general-lipschitz",
                            "weights-diameter",
                            "perturbation-closed-form",
                            "sharpness-needs-gain"};

template <std::size_t which>
Interval shaved_right(const Instance& instance, Precision precision) {
  return fixtures::statement(ids[which]).sided()->rhs(instance, precision) * Interval(ratio(99, 100), precision);
}

using ShavedSide = Interval (*)(const Instance&, Precision);
template <std::size_t... which>
constexpr std::array<ShavedSide, sizeof...(which)> all_shaved(std::index_sequence<which...>) {
  return {shaved_right<which>...};
}

TEST(Search, RefutesEveryAttainedBoundThatWasShavedByOnePercent) {
  constexpr auto sides = all_shaved(std::make_index_sequence<ids.size()>());
  const std::atomic<bool> never{false};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Statement wrong = fixtures::statement(ids[i]);
    wrong.sided()->rhs = sides[i];
    wrong.sided()->slack = nullptr;
    wrong.sided()->attained = nullptr;
    EXPECT_TRUE(search(wrong, {5, 300, 200, 50}, never).counterexample) << ids[i];
  }
}

}  // namespace
}  // namespace attncert
