// Search: the extremal instances that are known of one statement, then instances from numbered random tapes, from tapes
// that climb towards equality and beyond, from the maximiser, which starts at the tightest of them and needs no tape,
// and long rows that repeat the tokens of the tightest. Each part is climbed for by itself.
// Untrusted: it proposes, judge() decides. The same seed gives the same instances on every machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "properties/claims/claim.hpp"
#include "src/core/record.hpp"

namespace attncert {

struct SearchPlan {
  std::uint64_t seed = 1;
  std::size_t random_cases = 3000;    // numbered tapes
  std::size_t climb_cases = 2000;     // mutations of the tightest ones
  std::size_t shrink_cases = 6000;    // judged while shrinking
  std::size_t maximise_cases = 3000;  // evaluated by the maximiser
};

struct SearchResult {
  Tally known, random, climbed, long_rows;      // climbed: by tapes and by the maximiser
  std::vector<Counterexample> counterexamples;  // one for each part that is violated
  std::vector<std::vector<Tape>> tapes;         // by parts: the tightest ones
  // What no tape or number repeats and the tallies name, by its file in the run's folder: the maximiser's instance of a
  // part and long rows, where they came nearer to equality than every other.
  std::map<std::string, Instance> tightest;
};

inline constexpr std::size_t tape_length = 768;  // bytes; the largest instance reads fewer, or zeros at its end
Tape random_case(const Statement& statement, std::uint64_t seed, std::uint64_t number);

// Keeps one counterexample of each part, the smallest.
void keep_smaller(std::vector<Counterexample>& kept, Counterexample candidate);
// Whether the instance would be kept as a counterexample of the part.
bool is_smaller(const std::vector<Counterexample>& kept, const Statement& statement, std::size_t part,
                const Instance& instance);

// Stops early, with what it has, when `stop` becomes true.
SearchResult search(const Statement& statement, const SearchPlan& plan, const std::atomic<bool>& stop);

std::vector<Instance> known_instances(const Statement& statement);  // none where the statement names none

// The whole instance of a tape.
Instance instance_of(const Statement& statement, const Tape& tape);

// The name of a claim's evidence: its id, with the number of a part of several.
std::string evidence_name(const Statement& statement, std::string_view part);

// A counterexample for the report: the shrunk instance with both sides of the part that it violates.
Counterexample counterexample(const Statement& statement, std::size_t part, const Instance& instance,
                              const std::string& shrunk_from);

}  // namespace attncert
