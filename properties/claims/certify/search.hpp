// Search: instances of one statement from numbered random tapes, then from tapes that climb towards equality and
// beyond, then from the maximiser, which starts at the tightest of them and needs no tape.
// Untrusted: it proposes, judge() decides. The same seed gives the same instances on every machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
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
  Tally random, climbed;  // climbed: by tapes and by the maximiser
  std::optional<Counterexample> counterexample;
  std::optional<Instance> tightest;  // of the maximiser, when it came nearer to equality than every tape
};

inline constexpr std::size_t tape_length = 768;  // bytes; the largest instance reads fewer, or zeros at its end
Tape random_case(const Statement& statement, std::uint64_t seed, std::uint64_t number);

// Stops early, with what it has, when `stop` becomes true.
SearchResult search(const Statement& statement, const SearchPlan& plan, const std::atomic<bool>& stop);

// The whole instance of a tape.
Instance instance_of(const Statement& statement, const Tape& tape);

// What the report names the maximiser's tightest instance: its file in the run's folder.
std::string tightest_file(std::string_view id);

// A counterexample for the report: the shrunk instance with both sides.
Counterexample counterexample(const Statement& statement, const Instance& instance, const std::string& shrunk_from);

}  // namespace attncert
