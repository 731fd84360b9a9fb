// How small an error of one part of a claim the search at its default effort notices: the right side of the part is
// made smaller by it, and nothing else is changed. Noticed means that some instance violates the part or leaves it
// undecided, so that the verdict is neither "proved" nor "supported".
#pragma once

#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/certify/statistics.hpp"
#include "tests/properties/claims/certify/shaved.hpp"

namespace attncert::power {

inline constexpr std::size_t steps = 9;
inline Rational perturbation(std::size_t step) {
  static const Rational all[steps] = {ratio(1, 1000000000), ratio(1, 1000000), ratio(1, 10000),
                                      ratio(1, 1000),       ratio(1, 100),     ratio(1, 20),
                                      ratio(1, 10),         ratio(1, 5),       ratio(1, 2)};
  return all[step];
}
inline std::string text(std::size_t step) {  // of `steps`: none of them
  constexpr const char* all[] = {"10^-9", "10^-6", "10^-4", "10^-3", "1%", "5%", "10%", "20%", "50%", "more than 50%"};
  return all[step];
}

// What ten seeds are to agree on: the worst of them.
struct Power {
  std::size_t step = 0;        // the smallest perturbation that every seed notices
  double quotient = HUGE_VAL;  // left over right, the smallest of the seeds' largest; +inf where none was computed
};

inline SearchPlan plan(std::uint64_t seed) {
  SearchPlan plan;
  plan.seed = seed;
  plan.shrink_cases = 0;  // it begins when all is noticed
  return plan;
}

// The instances with which every search begins, the same whatever is shaved.
inline std::vector<Instance> first_instances(const Statement& statement, std::uint64_t seed) {
  std::vector<Instance> all = known_instances(statement);
  for (std::size_t number = 0; number < plan(seed).random_cases; ++number)
    all.push_back(instance_of(statement, random_case(statement, seed, number)));
  std::erase_if(all, [&](const Instance& instance) { return !admissible(statement, instance); });
  return all;
}

inline bool noticed_by(const std::vector<Instance>& instances, const Statement& statement, std::size_t part,
                       std::size_t step) {
  const Statement wrong = shaved(statement, part, 1 - perturbation(step));
  return std::any_of(instances.begin(), instances.end(), [&](const Instance& instance) {
    const Decision decision = judge_part(wrong, part, instance).decision;
    return decision == Decision::violated || decision == Decision::undecided;
  });
}

struct Searched {
  std::vector<double> quotients;  // of each part, the largest
  std::vector<bool> noticed;
};
inline Searched searched(const Statement& statement, std::uint64_t seed) {
  static const std::atomic<bool> never{false};
  const SearchResult found = search(statement, plan(seed), never);
  Tally all = found.known;
  for (const Tally* tally : {&found.random, &found.climbed, &found.long_rows}) all += *tally;
  const std::size_t parts = statement.sided()->parts.size();
  Searched result;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::optional<Tightest>& tightest = parts > 1 ? all.parts[p].tightest : all.tightest;
    result.quotients.push_back(tightest ? tightest->tightness : 0);
    const std::uint64_t wrong =
        parts > 1 ? all.parts[p].violated + all.parts[p].undecided : all.counts.violated + all.counts.undecided;
    result.noticed.push_back(wrong > 0);
  }
  return result;
}

// The statement with every part shaved that `step_of` names a step for. Parts are searched one by one, and their order
// by quotients is the same whatever factor they have: shaved together they are found as they are one by one.
inline std::vector<bool> noticed_together(const Statement& statement, const std::vector<std::size_t>& step_of,
                                          std::uint64_t seed) {
  Statement wrong = statement;
  for (std::size_t p = 0; p < step_of.size(); ++p)
    if (step_of[p] < steps) shave(wrong, p, 1 - perturbation(step_of[p]));
  return searched(wrong, seed).noticed;
}

// By parts, from one seed. What the first instances do not notice is searched for: a search of the statement as it is
// tells where to look, and searches of shaved ones decide.
inline std::vector<Power> measured(const Statement& statement, std::uint64_t seed) {
  const std::size_t parts = statement.sided()->parts.size();
  std::vector<Power> result(parts, Power{steps, HUGE_VAL});
  const std::vector<Instance> first = first_instances(statement, seed);
  bool all = true;
  for (std::size_t p = 0; p < parts; ++p) {
    if (noticed_by(first, statement, p, 0)) result[p].step = 0;
    else all = false;
  }
  if (all) return result;
  const std::vector<double> quotients = searched(statement, seed).quotients;
  std::vector<std::size_t> step_of(parts, steps);
  for (std::size_t p = 0; p < parts; ++p) {
    if (result[p].step == 0) continue;
    result[p].quotient = quotients[p];
    step_of[p] = 0;
    while (step_of[p] < steps && quotients[p] <= approximate(1 - perturbation(step_of[p]))) ++step_of[p];
  }
  // Quotients are lower bounds: to smaller perturbations as long as they are noticed.
  std::vector<std::size_t> smaller(parts, steps);
  for (std::size_t p = 0; p < parts; ++p)
    if (result[p].step != 0 && step_of[p] > 0) smaller[p] = step_of[p] - 1;
  while (std::any_of(smaller.begin(), smaller.end(), [](std::size_t step) { return step < steps; })) {
    const std::vector<bool> noticed = noticed_together(statement, smaller, seed);
    for (std::size_t p = 0; p < parts; ++p) {
      if (smaller[p] == steps) continue;
      if (noticed[p]) step_of[p] = smaller[p];
      smaller[p] = noticed[p] && step_of[p] > 0 ? step_of[p] - 1 : steps;
    }
  }
  const std::vector<bool> noticed = noticed_together(statement, step_of, seed);
  for (std::size_t p = 0; p < parts; ++p)
    if (result[p].step != 0) result[p].step = noticed[p] ? step_of[p] : steps;
  return result;
}

// By laws: the bound of a mean is moved towards it, by a share of the right side.
inline std::vector<Power> measured_laws(const Statement& statement, std::uint64_t seed) {
  static const std::atomic<bool> never{false};
  static std::vector<RandomLaw> (*laws)() = nullptr;
  static std::size_t step = 0;
  laws = std::get<RandomLaws>(statement.kind).laws;
  Statement wrong = statement;
  std::get<RandomLaws>(wrong.kind).laws = [] {
    std::vector<RandomLaw> all = laws();
    for (RandomLaw& law : all)
      law.bound = [bound = law.bound, at_least = law.at_least](Precision precision) {
        const Interval factor(Rational(1 - perturbation(step)), precision);
        return at_least ? bound(precision) / factor : bound(precision) * factor;
      };
    return all;
  };
  const Sampling sampling{seed, 4 * SearchPlan{}.random_cases};
  std::vector<Power> result;
  for (const PartTally& part : check_laws(statement, sampling, never).parts)
    result.push_back({steps, part.tightest->tightness});
  for (step = steps; step-- > 0;) {
    const Tally tally = check_laws(wrong, sampling, never);
    for (std::size_t p = 0; p < tally.parts.size(); ++p)
      if (tally.parts[p].held == 0 && result[p].step == step + 1) result[p].step = step;
  }
  return result;
}

}  // namespace attncert::power
