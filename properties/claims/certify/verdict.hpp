// Verdict: what the run reached for one statement. It is computed from the statement, the tallies and the checker's
// answer; what was expected is not among its arguments.
#pragma once

#include <optional>
#include <string_view>

#include "properties/claims/claim.hpp"
#include "src/core/tally.hpp"

namespace attncert {

enum class Verdict { proved, supported, refuted, vacuous, undecided, measured };
std::string_view name(Verdict verdict);
Verdict verdict_of(std::string_view name);  // asserts that it is one of the six

// refuted: a counterexample that the checker accepted. undecided: an instance that no precision decided, or a violation
// without an accepted witness. vacuous: no instance met the hypotheses. supported: every one was decided and holds.
// proved: the same, and the checker accepted the certificate or the families; with a refutation beside it, neither is
// believed, and where it refused them, something is undecided: what the claim says is not what is proved.
// `refuted`, `proved`: the checker's answers to counterexamples and to what is to be proved; none when there is none.
Verdict verdict(const Statement& statement, const Counts& counts, std::optional<bool> refuted,
                std::optional<bool> proved = {});

// Whether a verdict is what the catalogue expects.
bool agrees(Expected expected, Verdict reached);

}  // namespace attncert
