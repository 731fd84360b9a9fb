// Contracts for degenerate rows, as data. What a kernel does where the formula says nothing is a choice; a kernel names
// its choice, every row tells which choices it is consistent with, and the suite says which one the kernel really has.
// docs/contracts.md has the table in words; single entries, ties and rows without range are ordinary rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "properties/conformance/accuracy/guarded_call.hpp"
#include "reference/normalizers/normalizer.hpp"
#include "src/kernel/budget.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

enum class Situation : std::uint8_t { nothing_present, nan_present, infinity, bad_temperature };
inline constexpr std::size_t situation_count = 4;
std::string_view name(Situation situation);

enum class Behaviour : std::uint8_t {
  absent,     // every entry has the absent value: 0, for log-softmax -inf
  nan_row,    // every entry is NaN
  nan_there,  // NaN at the entries that are NaN (or +inf), a number elsewhere
  uniform,    // 1 / L everywhere, masked entries included
  limit,      // the limit as the +inf entries rise together (Normalizer::at_infinity)
  refused,    // an error code, and nothing written
  other       // none of these
};
inline constexpr std::size_t behaviour_count = 7;
std::string_view name(Behaviour behaviour);

struct Contract {
  std::string_view name, source;
  std::array<Behaviour, situation_count> behaviours;  // in the order of Situation
};
std::span<const Contract> contracts();
const Contract* find_contract(std::string_view name);

using Behaviours = std::uint8_t;  // a set: bit b for Behaviour b
// What the outcome of one degenerate row (kind other than ordinary and empty) is consistent with.
struct Observed {
  Situation situation;
  Behaviours behaviours;
};
Observed observe(const Normalizer& normalizer, const LogitRow& row, const Format& format, const GuardedOutcome& outcome,
                 const Budget& budget);

// What a kernel was seen to do over a campaign.
struct ContractTally {
  std::array<Behaviours, situation_count> consistent{0x3F, 0x3F, 0x3F, 0x3F};  // of all but `other`
  std::array<std::uint64_t, situation_count> rows{};
  void add(const Observed& observed);
};

// "" when the row keeps the contract, else what is wrong.
std::string contract_violation(const Contract& contract, const Observed& observed);
// The contracts of the catalogue that everything seen is consistent with, or what was seen instead.
std::string contract_seen(const ContractTally& tally);

}  // namespace attncert
