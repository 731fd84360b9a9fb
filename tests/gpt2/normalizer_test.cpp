// Any registered normalizer in the place of softmax: its weights are the enclosed truth of the logits that it was given
// inside the pass, and a name, a temperature or parameters that will not do are one line.
#include "src/gpt2/normalizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <optional>

#include "src/gpt2/forward.hpp"
#include "tests/gpt2/judged_row.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

constexpr attncert_parameters defaults = ATTNCERT_DEFAULT_PARAMETERS;

attncert_parameters with(void (*change)(attncert_parameters&)) {
  attncert_parameters parameters = defaults;
  change(parameters);
  return parameters;
}

struct Case {
  const char* name;
  double temperature = 1;
  attncert_parameters parameters = defaults;
};

// One normalizer of each family, and every parameter that a normalizer of weights reads away from its default.
const std::vector<Case> cases{{"softmax", 0.7},
                              {"sparsemax"},
                              {"entmax-1.5", 2},
                              {"entmax", 1, with([](auto& p) { p.alpha_numerator = 5, p.alpha_denominator = 4; })},
                              {"ssmax", 1, with([](auto& p) { p.scale = 0.43; })},
                              {"top-k-softmax", 1, with([](auto& p) { p.k = 3; })},
                              {"taylor-softmax", 1, with([](auto& p) { p.order = 4; })},
                              {"sigmoid", 1, with([](auto& p) { p.bias = -3; })},
                              {"softmax1"},
                              {"relu-normalized"},
                              {"sa-softmax-v1"}};

Window run_case(const Case& one) {
  const auto normalizer = normalizer_named(one.name, one.temperature, &one.parameters);
  if (!normalizer) throw std::runtime_error(normalizer.error().message);
  return run_window(tiny(), std::span(sample_tokens()).first(70), *normalizer, {0, 5, 63, 69});
}

TEST(RowNormalizer, named_ones_give_their_own_weights_inside_the_pass) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Window window = run_case(one);
    ASSERT_EQ(window.rows.size(), 4U * 4 * 4);
    for (const auto& [which, row] : window.rows) {
      const JudgedRow verdict = judged_row(one.name, one.temperature, one.parameters, row.logits, row.weights);
      EXPECT_EQ(verdict.weights, row.logits.size());
      EXPECT_EQ(verdict.outside + verdict.undecided, 0U);
    }
  }
}

TEST(RowNormalizer, parameters_are_copied_and_null_means_the_defaults) {
  std::optional<RowNormalizer> three;
  {
    attncert_parameters parameters = defaults;
    parameters.k = 3;
    three = *normalizer_named("top-k-softmax", 1, &parameters);
    parameters.k = 1;
  }
  const RowNormalizer eight = *normalizer_named("top-k-softmax", 1, nullptr);
  std::vector<float> logits(20), weights(20);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i);
  (*three)(logits, weights);
  EXPECT_EQ(std::count(weights.begin(), weights.end(), 0.0F), 17);
  eight(logits, weights);
  EXPECT_EQ(std::count(weights.begin(), weights.end(), 0.0F), 12);
}

// Fields beyond the caller's size have their defaults, whatever lies there.
TEST(RowNormalizer, parameters_of_an_older_caller) {
  attncert_parameters older = defaults;
  older.size = offsetof(attncert_parameters, k);
  older.k = 1;
  std::vector<float> logits(20, 1.0F), weights(20);
  (*normalizer_named("top-k-softmax", 1, &older))(logits, weights);
  EXPECT_EQ(std::count(weights.begin(), weights.end(), 0.0F), 12);
}

// Rows long enough, and calls enough, that scratch held in common would be written by both at once. Entmax keeps its
// candidates there.
TEST(RowNormalizer, two_threads_may_share_one) {
  const RowNormalizer shared = *normalizer_named("entmax", 1, nullptr);
  const auto wrong_calls = [&shared](float period) {
    std::vector<float> logits(3000), alone(3000), weights(3000);
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = std::sin(static_cast<float>(i) * period);
    shared(logits, alone);
    std::size_t wrong = 0;
    for (int call = 0; call < 1000; ++call) {
      shared(logits, weights);
      if (weights != alone) ++wrong;
    }
    return wrong;
  };
  auto other = std::async(std::launch::async, wrong_calls, 0.37F);
  EXPECT_EQ(wrong_calls(1.1F), 0U);
  EXPECT_EQ(other.get(), 0U);
}

void expect_refused(const char* name, double temperature, const attncert_parameters* parameters,
                    const std::string& message) {
  const auto refused = normalizer_named(name, temperature, parameters);
  ASSERT_FALSE(refused) << name;
  EXPECT_EQ(refused.error().message.find(message), 0U) << refused.error().message;
}

TEST(RowNormalizer, what_gives_no_weights_is_refused) {
  for (const char* name : {"softermax", "", "log-softmax", "softmax-vjp", "sparsemax-vjp", "softmax.f32"})
    expect_refused(name, 1, nullptr, std::string("normalizer ") + name + ": none that gives attention weights");
}

TEST(RowNormalizer, what_is_out_of_range_is_refused) {
  for (const double temperature : {0.0, -1.0, std::nan(""), HUGE_VAL})
    expect_refused("softmax", temperature, nullptr, "normalizer softmax: temperature");
  const auto alpha_one = with([](auto& p) { p.alpha_numerator = p.alpha_denominator = 7; });
  expect_refused("entmax", 1, &alpha_one, "normalizer entmax: a parameter is out of range");
  const auto none = with([](auto& p) { p.k = 0; });
  expect_refused("top-k-softmax", 1, &none, "normalizer top-k-softmax: a parameter is out of range");
}

}  // namespace
}  // namespace attncert
