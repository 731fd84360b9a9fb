// A law as a check: a tape spells out a case, a kernel is run on it, and the outcome is kept, violated, vacuous (the case
// says nothing), undecided (it would say something, and no precision tells what) or unanswered (a valid call was refused).
// Laws of a normalizer are checked on the kernels whose normalizer declares them, habits on every kernel.
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
  std::optional<Law> law;  // nullopt: a habit that any kernel has to have
  LawOutcome (*check)(const Subject& subject, const attncert_kernel& kernel, Choices& choices);
};
std::span<const LawCheck> law_checks();
bool applies(const LawCheck& check, const Subject& subject);

struct LawTally {
  std::uint64_t tried = 0, vacuous = 0, undecided = 0, unanswered = 0, violated = 0;
  std::string first;            // the first violation and its tape, shortened and lowered while it still violates
  std::string first_undecided;  // as it came
  std::string first_unanswered;
};
// Tapes number 0 .. tapes-1 of the seed, or until the first violation or missing answer, or `telling` cases that said something.
LawTally check_law(const LawCheck& check, const Subject& subject, const attncert_kernel& kernel, std::uint64_t seed,
                   std::uint64_t tapes, std::uint64_t telling = UINT64_MAX);

}  // namespace attncert
