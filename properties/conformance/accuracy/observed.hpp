// Which situations a row is in (contract.hpp), what a kernel's answer to it is consistent with, whether that is what
// the kernel declares, and what all its rows together say it really has.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "properties/conformance/accuracy/contract.hpp"
#include "properties/conformance/accuracy/guarded_call.hpp"
#include "reference/normalizers/normalizer.hpp"
#include "src/kernel/budget.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

using Situations = std::uint8_t;  // a set: bit s for Situation s
constexpr Situations bit(Situation situation) {
  return static_cast<Situations>(1u << static_cast<unsigned>(situation));
}
Situations situations_of(const LogitRow& row);

struct Observed {
  Situations situations;
  Behaviours behaviours;
};
// `formula` means that nothing speaks against it: the numbers of ordinary rows are judged as such.
Observed observe(const Normalizer& normalizer, const LogitRow& row, const Format& format, const GuardedOutcome& outcome,
                 const Budget& budget);

// What a row in these situations may show: what the contract has for any of them, the formula only where no other word
// has a say. So a row of one situation may show one thing.
Behaviours expected(const Contract& contract, Situations situations);
// Whether the row is ordinary, and ordinary for a kernel that declares this too: only then the mathematics judges it.
bool by_formula(std::string_view declared, const LogitRow& row);
// "" when the row keeps the contract, else what is wrong.
std::string contract_violation(const Contract& contract, const Observed& observed);

// What a kernel was seen to do over a campaign. Rows in two situations do not say to which of them their answer belongs
// and are left out.
struct ContractTally {
  ContractTally() { consistent.fill(static_cast<Behaviours>(2 * bit(Behaviour::other) - 1)); }
  std::array<Behaviours, choice_count> consistent{};
  std::array<std::uint64_t, choice_count> rows{};
  void add(const Observed& observed);
};
// The contract that everything seen is consistent with, as a kernel would declare it.
std::string contract_seen(const ContractTally& tally);

}  // namespace attncert
