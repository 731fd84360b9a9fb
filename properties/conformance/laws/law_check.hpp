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

// What a case of a law is made of: a tape, and the length of its row where it is not the tape's to choose.
class LawChoices : public Choices {
 public:
  explicit LawChoices(std::span<const std::uint8_t> tape, std::size_t length = 0) : Choices(tape), length_(length) {}
  std::size_t length() const { return length_; }  // 0: the tape's
  void shorten(std::size_t length) { length_ = length; }

 private:
  std::size_t length_;
};

struct LawCheck {
  std::string_view name;
  std::optional<Law> law;  // nullopt: a calling-convention check, made on every kernel
  LawOutcome (*check)(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices);
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
// cases that were not vacuous. length: of every row, where that is not 0; a violation then keeps its tape.
LawTally check_law(const LawCheck& check, const Subject& subject, const attncert_kernel& kernel, std::uint64_t seed,
                   std::uint64_t tapes, std::uint64_t telling = UINT64_MAX, std::size_t length = 0);

// So many entries that the buffers of a row of this kernel do not fit into that cache, with a tail behind whole
// vectors. The size is what the system states, or 1 and 32 MiB; 64 MiB at most: longer rows take many seconds.
enum class Cache : std::uint8_t { second_level, last_level };
std::size_t length_beyond(Cache cache, const Subject& subject, const attncert_kernel& kernel);

}  // namespace attncert
