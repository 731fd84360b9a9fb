#include "properties/conformance/laws/law_check.hpp"

#include <unistd.h>

#include "properties/conformance/inputs/row_facts.hpp"
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert {

// The calling-convention checks, which are made on every kernel: one a row, as laws are in reference/laws.hpp.
#define ATTNCERT_CALL_CHECKS(CHECK)               \
  CHECK(rows_independent, "rows-independent")     \
  CHECK(layout_independent, "layout-independent") \
  CHECK(repeatable, "repeatable")                 \
  CHECK(environment_kept, "environment-kept")     \
  CHECK(refuses_bad_calls, "refuses-bad-calls")

#define ATTNCERT_CHECK(check, text) LawOutcome check(const Subject&, const attncert_kernel&, LawChoices&);
namespace laws {  // one file each
ATTNCERT_LAWS(ATTNCERT_CHECK)
ATTNCERT_CALL_CHECKS(ATTNCERT_CHECK)
}  // namespace laws

namespace {

using Kind = LawOutcome::Kind;

constexpr std::size_t tape_length = 160;  // bytes: more than the longest check reads

#define ATTNCERT_LAW_CHECK(law, text) {text, Law::law, laws::law},
#define ATTNCERT_CALL_CHECK(check, text) {text, std::nullopt, laws::check},
constexpr LawCheck checks[] = {ATTNCERT_LAWS(ATTNCERT_LAW_CHECK) ATTNCERT_CALL_CHECKS(ATTNCERT_CALL_CHECK)};

LawOutcome outcome(const LawCheck& check, const Subject& subject, const attncert_kernel& kernel, const Tape& tape,
                   std::size_t length = 0) {
  LawChoices choices(tape, length);
  try {
    return check.check(subject, kernel, choices);
  } catch (const laws::OutOfTheFormula&) {
    return laws::vacuous;
  } catch (const laws::NoAnswer& none) {
    return {Kind::unanswered, "status " + std::to_string(none.status) + " for a valid call"};
  }
}

std::string said(const LawCheck& check, const attncert_kernel& kernel, const char* verb, const LawOutcome& found,
                 const Tape& tape) {
  return std::string(kernel.name) + " " + verb + " " + std::string(check.name) + ": " + found.reason + "; tape " +
         hex(tape);
}

// Shortens the tape, then zeroes and halves its bytes, as long as the law stays violated.
Tape simpler(const LawCheck& check, const Subject& subject, const attncert_kernel& kernel, Tape tape) {
  const auto still = [&](const Tape& t) { return outcome(check, subject, kernel, t).kind == Kind::violated; };
  for (std::size_t cut = tape.size() / 2; cut >= 1; cut /= 2)
    while (tape.size() > cut && still(Tape(tape.begin(), tape.end() - static_cast<std::ptrdiff_t>(cut))))
      tape.resize(tape.size() - cut);
  for (std::size_t i = 1; i < tape.size(); ++i)
    for (const std::uint8_t divisor : {std::uint8_t{0}, std::uint8_t{2}}) {
      Tape lower = tape;
      lower[i] = divisor == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(lower[i] / divisor);
      if (lower[i] != tape[i] && still(lower)) tape = lower;
    }
  return tape;
}

}  // namespace

std::span<const LawCheck> law_checks() { return checks; }

std::size_t length_beyond(Cache cache, const Subject& subject, const attncert_kernel& kernel) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20, most = 32 * mebibyte, tail = 37;
  const bool second = cache == Cache::second_level;
  long stated = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  stated = sysconf(second ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#endif
  const std::size_t usual = second ? mebibyte : most;
  const std::size_t size = stated > 0 ? std::min(static_cast<std::size_t>(stated), most) : usual;
  const std::size_t in = format(kernel.dtype_in).bytes, out = format(kernel.dtype_out).bytes;
  return size / (in + out + (subject.derivative ? in : 0)) / vector_entries * vector_entries + vector_entries + tail;
}

bool applies(const LawCheck& check, const Subject& subject) { return !check.law || subject.laws.has(*check.law); }

LawTally check_law(const LawCheck& check, const Subject& subject, const attncert_kernel& kernel, std::uint64_t seed,
                   std::uint64_t tapes, std::uint64_t telling, std::size_t length) {
  LawTally tally;
  for (std::uint64_t n = 0; n < tapes && tally.tried - tally.vacuous < telling; ++n) {
    const Tape tape = random_tape(seed, check.name, n, tape_length);
    const LawOutcome found = outcome(check, subject, kernel, tape, length);
    ++tally.tried;
    tally.vacuous += found.kind == Kind::vacuous;
    if (found.kind == Kind::undecided && tally.undecided++ == 0)
      tally.first_undecided = said(check, kernel, "leaves undecided", found, tape);
    if (found.kind == Kind::unanswered) {
      ++tally.unanswered;
      tally.first_unanswered = said(check, kernel, "gives no answer for", found, tape);
      return tally;
    }
    if (found.kind != Kind::violated) continue;
    ++tally.violated;
    if (length != 0) {
      tally.first = said(check, kernel, "violates", found, tape) + " at L = " + std::to_string(length);
      return tally;
    }
    const Tape small = simpler(check, subject, kernel, tape);
    tally.first = said(check, kernel, "violates", outcome(check, subject, kernel, small), small);
    return tally;
  }
  return tally;
}

}  // namespace attncert
