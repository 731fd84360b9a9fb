// Every small mistake in a sentence that the checker sees refuted by an instance is noticed: on instances of the search
// its hypotheses and both its sides are the suite's own, which share no line with it. What is not noticed stands in a
// table, with the reason why it says the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <numeric>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/instances/lengthened.hpp"
#include "tests/check/examples.hpp"
#include "tests/check/genuine.hpp"
#include "tests/check/sentence_lines.hpp"

namespace attncert::examples {
namespace {

using check::Statement;
using check::Statements;

bool is_refuted(const std::string& header) {
  return header.starts_with("refuted ") && header.find(" along ") == std::string::npos;
}

// An instance as the checker reads it, and what the suite says of it.
struct Sample {
  nlohmann::json instance;
  bool admissible;
  std::vector<Interval> sides;  // where it is
};

// What a double holds: exponentials of 10^28 take the checker minutes.
bool is_moderate(const Interval& side) {
  const double size = abs(side).upper();
  return size == 0 || (size > 0x1p-1000 && size < 0x1p1000);
}

// What breaks a hypothesis, or comes to its edge.
std::vector<ExactInstance> spoiled(const ExactInstance& good) {
  std::vector<ExactInstance> all;
  const auto with = [&](const auto& edit) {
    all.push_back(good);
    edit(all.back());
  };
  const auto last = [](std::size_t count, std::size_t length) {
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), length - count);
    return indices;
  };
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, good.length - 1, good.length})
    with([&](ExactInstance& e) {
      if (!e.weights.empty()) e.count = count, e.selected = last(count, e.length);
    });
  with([&](ExactInstance& e) { e.selected = last(e.count, e.length); });
  for (const auto row : {&ExactInstance::weights, &ExactInstance::F, &ExactInstance::dF, &ExactInstance::logits})
    for (const Rational& factor : {ratio(-1, 1), ratio(0, 1), ratio(2, 1)}) {
      with([&](ExactInstance& e) {
        if (!(e.*row).empty()) (e.*row).back().value *= factor;
      });
      with([&](ExactInstance& e) {
        for (auto& run : e.*row) run.value *= factor;
      });
    }
  with([&](ExactInstance& e) {
    if (e.weights.size() < 2) return;
    const Rational moved = e.weights.back().value + ratio(1, 16);  // to one below 0, with the sum kept
    e.weights.back().value -= moved;
    e.weights.front().value += moved * e.weights.back().count / e.weights.front().count;
  });
  for (const Rational& factor : {ratio(0, 1), ratio(2, 1)})
    with([&](ExactInstance& e) {
      if (!e.tokens.empty())
        for (Rational& x : e.tokens.back().value) x *= factor;
    });
  with([&](ExactInstance& e) {
    for (auto& run : e.tokens) run.value = e.tokens.front().value;
  });
  for (const Rational& T : {ratio(0, 1), ratio(-1, 1)})
    with([&](ExactInstance& e) {
      if (e.temperature) e.temperature = T;
    });
  return all;
}

// docs/specification.md#theorem2: r = 0, and xi_1^2 = a_2 (2 a_2 - a_1) < 0 in the literal reading.
std::vector<ExactInstance> edges() {
  ExactInstance still = orthonormal(), triangle = orthonormal();
  still.weights = {{ratio(1, 2), 2}, {Rational(0), 1}};
  still.tokens = {{{1, 0, 0}, 1}, {{-1, 0, 0}, 1}, {{0, 1, 0}, 1}};
  triangle.weights = {{ratio(5, 8), 1}, {ratio(2, 8), 1}, {ratio(1, 8), 1}};
  triangle.tokens = {{{1, -1, 0}, 1}, {{0, 1, -1}, 1}, {{-1, 0, 1}, 1}};
  return {still, triangle};
}

constexpr std::uint64_t seed = 11;
constexpr std::size_t cases = 60, spoiled_cases = 3;

Sample sample_of(const attncert::Statement& statement, const Instance& instance) {
  const Part& part = statement.sided()->parts[0];
  Sample sample{nlohmann::json::parse(to_json(witness(std::string(statement.id), instance.exact())))["instance"],
                admissible(statement, instance),
                {}};
  if (sample.admissible) sample.sides = {part.lhs(instance, Precision{}), part.rhs(instance, Precision{})};
  return sample;
}

std::vector<Sample> samples_of(const attncert::Statement& statement) {
  std::vector<Instance> instances = known_instances(statement);
  for (std::uint64_t number = 0; number < cases; ++number)
    instances.push_back(instance_of(statement, random_case(statement, seed, number)));
  for (std::size_t k = 0, drawn = instances.size(); k < std::min(spoiled_cases, drawn); ++k) {
    for (const ExactInstance& exact : spoiled(instances[k].exact())) instances.push_back(from_exact(exact));
    for (const Lengthening how : lengthenings)
      for (const std::size_t length : {8, 9, 12})
        if (auto longer = lengthened(instances[k], length, how)) instances.push_back(*std::move(longer));
  }
  if (instances.back().tokens)
    for (const ExactInstance& exact : edges()) instances.push_back(from_exact(exact));
  std::vector<Sample> samples;
  for (const Instance& instance : instances)
    if (Sample sample = sample_of(statement, instance);
        std::all_of(sample.sides.begin(), sample.sides.end(), is_moderate))
      samples.push_back(std::move(sample));
  return samples;
}

const std::map<std::string, std::vector<Sample>>& samples() {
  static const std::map<std::string, std::vector<Sample>> all = [] {
    std::map<std::string, std::vector<Sample>> made;
    for (const Statement& refuted : of(check::statements(), "refuted"))
      made.emplace(refuted.claim, samples_of(find_claim(refuted.claim)->statement));
    return made;
  }();
  return all;
}

bool hypotheses_hold(const check::Sentences& sentences, check::Scope& scope) try {
  require_given(sentences, scope);
  return true;
} catch (const check::Rejected&) {
  return false;
}

// As evidence is held against the suite: 2^-39 of both sides together.
bool same(const Rational& mine, const Interval& theirs, const Sample& sample) {
  const Interval room = (abs(sample.sides[0]) + abs(sample.sides[1])) * Interval(0x1p-39, Precision{});
  return less(room, abs(theirs - Interval(mine, Precision{}))) != Truth::yes;
}

std::string noticed_on(const Statement& believed, const Sample& sample) try {
  const check::Sentences sentences(believed);
  check::begin_work();
  check::Scope scope = check::scope_of_instance(sample.instance, sentences.apart);
  if (hypotheses_hold(sentences, scope) != sample.admissible) return "another answer of the hypotheses";
  if (!sample.admissible) return "";
  const check::Relation& says = sentences.says.at(0);
  if (!same(value_of(says.left, scope), sample.sides[0], sample)) return "another left side";
  return same(value_of(says.right, scope), sample.sides[1], sample) ? "" : "another right side";
} catch (const check::Malformed& malformed) {
  return sample.admissible ? malformed.why : "";
}

// "" where nobody notices; else how.
std::string noticed(const std::string& text) try {
  static const Statements genuine = of(check::statements(), "refuted");
  const Statements believed = of(check::read(text), "refuted");
  if (believed.size() != genuine.size()) return "a statement is missing";
  for (std::size_t k = 0; k < believed.size(); ++k) {
    if (believed[k].lines == genuine[k].lines) continue;
    const std::string relation = check::Sentences(believed[k]).says.at(0).how;
    if (relation != sign(find_claim(believed[k].claim)->statement.sided()->parts[0].relation))
      return "another relation";
    for (const Sample& sample : samples().at(believed[k].claim))
      if (const std::string how = noticed_on(believed[k], sample); !how.empty()) return how;
  }
  return "";
} catch (const check::Rejected& rejected) {
  return rejected.why;
} catch (const std::exception& unreadable) {
  return unreadable.what();
}

TEST(RefutedMutants, WhatStandsThereIsWhatTheSuiteRefutes) {
  for (const Statement& refuted : of(check::statements(), "refuted")) {
    std::size_t admissible = 0;
    for (const Sample& sample : samples().at(refuted.claim)) {
      EXPECT_EQ(noticed_on(refuted, sample), "") << refuted.claim << " " << sample.instance;
      admissible += sample.admissible ? 1 : 0;
    }
    EXPECT_GE(admissible, 10u) << refuted.claim;
  }
}

TEST(RefutedMutants, EveryEditIsNoticed) {
  const Equivalents equivalent{
      {"1 <= N and L <= L", "the reader refuses N > L"},
      {"1 <= N and N <= N", "the same"},
      {"N <= L - 1 and delta2 > 0 and |x_i|^2 = M2 and delta2 > 0", "tokens that differ are not all 0"},
      {"N <= L - 1 and M2 >= 0 and |x_i|^2 = M2 and delta2 > 0", "the same"},
      {"e_i = exp((l_i + l_top)/T)", "a factor of all e_i changes no p_i"},
      {"e_i = exp((l_i )/T)", "the same"},
      {"spectral(p, p)/T <= min(sqrt(2), 1/(4 T))", "min(x, y) = min(y, x)"},
      {"sqrt(sum(i: p_i^2 (1 - 2 p_i + P2)))/T <= min(sqrt(2), 1/(4 T))", "the same"},
  };
  EXPECT_GT(expect_noticed(lines_of(is_refuted), {"with", "says", "given"}, true, equivalent, noticed), 500u);
}

}  // namespace
}  // namespace attncert::examples
