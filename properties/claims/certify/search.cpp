#include "properties/claims/certify/search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/maximise.hpp"
#include "properties/claims/certify/shrink.hpp"
#include "properties/claims/certify/shrink_instance.hpp"

namespace attncert {
namespace {

constexpr std::size_t climbers = 8;  // tapes kept while climbing

// Enough for a first look at twenty coordinates; the best starts get eight times as many (maximise.cpp).
constexpr std::size_t evaluations_of_a_start = 375;

struct Climber {
  Tape tape;
  double tightness;
};

// Keeps the `climbers` tightest tapes, tightest first; an earlier tape wins a tie.
void keep(std::vector<Climber>& best, Tape tape, double tightness) {
  if (std::isinf(tightness) || (best.size() == climbers && tightness <= best.back().tightness)) return;
  const auto place = std::upper_bound(best.begin(), best.end(), tightness,
                                      [](double value, const Climber& climber) { return value > climber.tightness; });
  best.insert(place, {std::move(tape), tightness});
  if (best.size() > climbers) best.pop_back();
}

// One to four bytes changed: a new value, one more, one less, or a copy from elsewhere.
Tape mutated(Tape tape, Choices& choices) {
  if (tape.size() < 2) tape.push_back(0);
  for (std::uint64_t change = 0, changes = 1 + choices.below(4); change < changes; ++change) {
    std::uint8_t& byte = tape[1 + choices.below(tape.size() - 1)];
    const auto how = choices.below(4);
    if (how == 0) byte = static_cast<std::uint8_t>(choices.below(256));
    if (how == 1) ++byte;
    if (how == 2) --byte;
    if (how == 3) byte = tape[1 + choices.below(tape.size() - 1)];
  }
  return tape;
}

struct Best {
  Tape tape;
  InstanceSize size;
};

// The maximiser's part: its tightest instance where no tape came as near, and a violation where no tape violates.
void maximise_from(const StartPool& pool, const Statement& statement, const SearchPlan& plan, bool refuted,
                   const std::atomic<bool>& stop, SearchResult& result) {
  const std::vector<Start> starts = pool.best(plan.maximise_cases / evaluations_of_a_start);
  Maximised found = maximise(statement, starts, plan.maximise_cases, tightest_file(statement.id), stop);
  Tally tapes = result.random;
  tapes += result.climbed;
  if (found.tally.tightest && (!tapes.tightest || found.tally.tightest->tightness > tapes.tightest->tightness))
    result.tightest = std::move(found.tightest);
  else found.tally.tightest.reset();
  result.climbed += found.tally;
  if (refuted || !found.violating || stop) return;
  const Instance shrunk = shrink_instance(statement, *found.violating, plan.shrink_cases);
  result.counterexample = counterexample(statement, shrunk, found.violating->size_text());
  result.counterexample->witness.found.seed = plan.seed;
  result.counterexample->witness.found.replay = "maximiser";
}

}  // namespace

std::string tightest_file(std::string_view id) { return "tightest/" + std::string(id) + ".json"; }

Tape random_case(const Statement& statement, std::uint64_t seed, std::uint64_t number) {
  return random_tape(seed, "random/" + std::string(statement.id), number, tape_length);
}

Instance instance_of(const Statement& statement, const Tape& tape) {
  Choices choices(tape);
  return std::get<Sided>(statement.kind).generate(choices);
}

Counterexample counterexample(const Statement& statement, const Instance& instance, const std::string& shrunk_from) {
  const Ruling ruling = judge(statement, instance);
  ATTNCERT_ASSERT(ruling.decision == Decision::violated);
  Counterexample result{{}, ruling.lhs->text(), ruling.rhs->text()};
  result.witness.claim = statement.id;
  result.witness.relation = "lhs " + std::string(sign(std::get<Sided>(statement.kind).relation)) + " rhs";
  result.witness.instance = instance.exact();
  result.witness.shrunk_from = shrunk_from;
  return result;
}

SearchResult search(const Statement& statement, const SearchPlan& plan, const std::atomic<bool>& stop) {
  SearchResult result;
  std::vector<Climber> best;
  StartPool pool;
  std::optional<Best> smallest;
  const std::string prefix = std::string(statement.id) + ":" + std::to_string(plan.seed) + ":";

  const auto consider = [&](Tape tape, Tally& tally, const std::string& replay) {
    Choices choices(tape);
    const Instance instance = std::get<Sided>(statement.kind).generate(choices);
    tape.resize(std::min(tape.size(), choices.used()));
    const Ruling ruling = judge(statement, instance);
    record(tally, ruling, replay.empty() ? prefix + "tape=" + hex(tape) : replay);
    if (ruling.decision == Decision::violated && (!smallest || size_of(instance) < smallest->size))
      smallest = Best{tape, size_of(instance)};
    const std::optional<double> tightness = ruling.tightness();
    if (!tightness) return;
    pool.offer(instance, *tightness);
    keep(best, std::move(tape), *tightness);
  };

  for (std::size_t number = 0; number < plan.random_cases && !stop; ++number)
    consider(random_case(statement, plan.seed, number), result.random, prefix + std::to_string(number));

  for (std::size_t number = 0; number < plan.climb_cases && !best.empty() && !stop; ++number) {
    const Tape tape = random_tape(plan.seed, "climb/" + std::string(statement.id), number, 64);
    Choices choices(tape);
    const std::size_t parent = choices.below(best.size());
    consider(mutated(best[parent].tape, choices), result.climbed, "");
  }

  maximise_from(pool, statement, plan, smallest.has_value(), stop, result);
  if (smallest && !stop) {
    const std::string from = instance_of(statement, smallest->tape).size_text();
    const Shrunk shrunk = shrink(statement, smallest->tape, plan.shrink_cases);
    result.counterexample = counterexample(statement, shrunk.instance, from);
    result.counterexample->witness.found.seed = plan.seed;
    result.counterexample->witness.found.replay = prefix + "tape=" + hex(shrunk.tape);
  }
  return result;
}

}  // namespace attncert
