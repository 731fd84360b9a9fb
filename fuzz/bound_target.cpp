// The target `bound`: the tape picks a subject, a type, an instruction set and a row of properties/conformance/bounds,
// by its number or spelled out; what the kernel reports is judged against the enclosure of reference/bounds. Outside
// its stated error is a violation, and on an ordinary row a useless error as well.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/instruction_set.hpp"
#include "fuzz/record.hpp"
#include "fuzz/target.hpp"
#include "properties/conformance/bounds/judge.hpp"
#include "src/core/tape.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t most_subjects = 16;
// A row is the one of that number of seed 1, but the last: its choices follow on the tape.
constexpr std::uint64_t row_numbers = std::uint64_t{1} << 32, spelled_out = row_numbers - 1;

std::vector<Reported> reported_by(const BoundSubject& subject, const BoundRow& row, std::string_view set) {
  if (set.empty()) return subject.kernel(row);
  const ForcedInstructionSet forced(set);
  return subject.kernel(row);
}

struct BoundCase {
  std::uint64_t which = 0;
  const BoundSubject* subject = nullptr;  // null: none of that number
  std::string_view set;
  std::uint64_t number = 0;
  BoundRow row;
};

BoundCase draw_bound_case(std::span<const std::uint8_t> input) {
  Choices choices(input);
  BoundCase one;
  one.which = choices.below(most_subjects);
  one.subject = one.which < bound_subjects().size() ? bound_subjects()[one.which] : nullptr;
  if (one.subject == nullptr) return one;
  const attncert_dtype dtype = choices.flip() ? ATTNCERT_F32 : ATTNCERT_F64;
  one.set = draw_instruction_set(choices);
  one.number = choices.below(row_numbers);
  one.row = one.number == spelled_out ? draw_bound_row(*one.subject, choices, dtype, RowSize::small)
                                      : numbered_bound_row(*one.subject, 1, one.number, dtype, RowSize::small);
  return one;
}

std::string text(const BoundCase& one) {
  const BoundRow& row = one.row;
  std::string line = std::string(one.subject->name) + ", " +
                     (one.number == spelled_out ? "a row" : "row:" + std::to_string(one.number)) + " of length " +
                     std::to_string(std::max(row.weights.size(), row.logits.size()));
  if (row.dimension != 0) line += " and dimension " + std::to_string(row.dimension);
  if (!row.normalizer.empty()) line += " of " + row.normalizer;
  return line + (row.dtype == ATTNCERT_F32 ? ", f32" : ", f64") + (row.ordinary ? "" : ", not ordinary") +
         (one.set.empty() ? "" : ", " + std::string(one.set));
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const BoundSubject* subject : bound_subjects()) list.push_back(subject->name);
  return list;
}

std::string words(std::span<const std::uint8_t> input) {
  const BoundCase one = draw_bound_case(input);
  return one.subject == nullptr ? "no subject of this number" : text(one);
}

const FuzzSubjects fuzz_subjects{names, with_first_choice, words};

void run(std::span<const std::uint8_t> input, Guide& guide) {
  static ChosenSubject chosen(fuzz_subjects);
  const BoundCase one = draw_bound_case(chosen.put(input));
  if (one.subject == nullptr) return;
  BoundAnswer answer{reported_by(*one.subject, one.row, one.set)};
  judge_bounds(*one.subject, one.row, {&answer, 1});
  const Judgement& judgement = answer.judgement;
  // All of it and no more: the exact value is 0 and the stated error is the whole value, as it must be.
  if (judgement.worst_fraction != 1) {
    guide.fraction(one.which, judgement.worst_fraction);
    note_worst(judgement.worst_fraction, [&] {
      return figure(judgement.worst_fraction) + " of its stated error: " + text(one) + ": " + judgement.worst_named;
    });
  }
  if (judgement.outside + judgement.useless != 0) violation("bound", one.subject->name, judgement.worst_named);
}

}  // namespace

FuzzTarget fuzz_bound() {
  return {"bound", "a bound kernel on a row: the exact value is within its stated error", run, &fuzz_subjects};
}

}  // namespace attncert
