// A law as a check. A tape gives a case, and a kernel is run on it. The outcome is kept, violated, vacuous (the law
// says nothing about the case), undecided (no precision tells) or unanswered (a valid call was refused). Laws of a
// normalizer are checked on the kernels whose normalizer declares them. Calling-convention checks (same bits in any
// layout, batch and repetition, environment kept, bad calls refused) are made on every kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "properties/conformance/subjects.hpp"
#include "src/core/tape.hpp"

namespace attncert {

struct LawOutcome {
  enum class Kind : std::uint8_t { kept, violated, vacuous, undecided, unanswered } kind = Kind::kept;
  std::string reason;  // of violated, undecided and unanswered
};

struct LawCheck {
  std::string_view name;
  std::optional<Law> law;  // nullopt: a calling-convention check, made on every kernel
  LawOutcome (*check)(const Subject& subject, const attncert_kernel& kernel, Choices& choices);
};
std::span<const LawCheck> law_checks();
bool applies(const LawCheck& check, const Subject& subject);

struct LawTally {
  std::uint64_t tried = 0, vacuous = 0, undecided = 0, unanswered = 0, violated = 0;
  std::string first;            // the first violation and its tape, shortened as far as it still violates
  std::string first_undecided;  // its tape is not shortened
  std::string first_unanswered;
};
// Runs tapes 0 .. tapes-1 of the seed. Stops at the first violation, at the first missing answer, or after `telling`
// cases that were not vacuous.
LawTally check_law(const LawCheck& check, const Subject& subject, const attncert_kernel& kernel, std::uint64_t seed,
                   std::uint64_t tapes, std::uint64_t telling = UINT64_MAX);

}  // namespace attncert
