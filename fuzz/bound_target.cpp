// The target `bound`: the tape picks a subject, a type, an instruction set and a row of properties/conformance/bounds, and edits
// numbers of it; what the kernel says is judged against the enclosure of reference/bounds. Outside its stated error is
// a violation, and on a row without edits an error of no use as well.
#include <algorithm>
#include <cmath>
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

// By name, so that a new subject changes the meaning of no old input.
constexpr std::string_view subjects[] = {"distance",      "separability",    "softmax-jacobian",
                                         "operator-norm", "head-statistics", "difference-quotient"};
constexpr std::uint64_t most_subjects = 16, rows = std::uint64_t{1} << 32;

double edited(double value, const std::vector<double>& others, Choices& choices) {
  switch (choices.below(6)) {
    case 0:
      return 0;
    case 1:
      return others[choices.below(others.size())];  // a tie
    case 2:
      return std::nextafter(value, 0);
    case 3:
      return std::nextafter(value, 2 * value);
    case 4:
      return std::ldexp(value, static_cast<int>(choices.between(-24, 24)));
    default:
      return value * choices.unit();
  }
}

// Three at most. Weights stay what they were meant as, nonnegative or signed; of a normalizer's logits a tie may have
// no Jacobian.
void edit(BoundRow& row, Choices& choices) {
  for (std::uint64_t edits = choices.below(4); edits > 0; --edits) {
    std::vector<double>* const lists[] = {&row.weights, &row.tokens, &row.logits, &row.slopes};
    std::vector<double>& list = *lists[choices.below(std::size(lists))];
    const bool fixed = &list == &row.weights ? !row.meant.empty() : !row.normalizer.empty();
    if (list.empty() || fixed) continue;
    double& value = list[choices.below(list.size())];
    const double old = value;
    value = static_cast<double>(static_cast<float>(edited(value, list, choices)));  // of both types
    const bool none_left = std::all_of(row.weights.begin(), row.weights.end(), [](double w) { return w == 0; });
    if (!std::isfinite(value) || (none_left && !row.weights.empty())) value = old;
    row.ordinary = false;
  }
}

std::vector<Said> said(const BoundSubject& subject, const BoundRow& row, std::string_view set) {
  if (set.empty()) return subject.kernel(row);
  const ForcedInstructionSet forced(set);
  return subject.kernel(row);
}

struct BoundCase {
  std::uint64_t which = 0;
  const BoundSubject* subject = nullptr;  // null: none of that number
  std::string_view set;
  BoundRow row;
};

BoundCase draw_bound_case(std::span<const std::uint8_t> input) {
  Choices choices(input);
  BoundCase one;
  one.which = choices.below(most_subjects);
  one.subject = one.which < std::size(subjects) ? find_bound_subject(subjects[one.which]) : nullptr;
  if (one.subject == nullptr) return one;
  const attncert_dtype dtype = choices.flip() ? ATTNCERT_F32 : ATTNCERT_F64;
  one.set = draw_instruction_set(choices);
  one.row = one.subject->row(1, choices.below(rows), dtype, RowSize::small);
  edit(one.row, choices);
  return one;
}

std::string text(const BoundCase& one) {
  return std::string(one.subject->name) + ", " + one.row.name + (one.row.dtype == ATTNCERT_F32 ? ", f32" : ", f64") +
         (one.row.ordinary ? "" : ", edited") + (one.set.empty() ? "" : ", " + std::string(one.set));
}

std::vector<std::string_view> names() { return {std::begin(subjects), std::end(subjects)}; }

Tape put(std::span<const std::uint8_t> input, std::size_t which) {
  Tape tape(input.begin(), input.end());
  tape.resize(std::max<std::size_t>(tape.size(), 2));
  tape[1] = static_cast<std::uint8_t>(which);  // the first choice, behind the version
  return tape;
}

std::string words(std::span<const std::uint8_t> input) {
  const BoundCase one = draw_bound_case(input);
  return one.subject == nullptr ? "no subject of this number" : text(one);
}

}  // namespace

const FuzzSubjects subjects_of_bound{names, put, words};

void run_bound(std::span<const std::uint8_t> input, Guide& guide) {
  static ChosenSubject chosen(subjects_of_bound);
  const BoundCase one = draw_bound_case(chosen.put(input));
  if (one.subject == nullptr) return;
  BoundAnswer answer{said(*one.subject, one.row, one.set), {}};
  judge_bounds(*one.subject, one.row, {&answer, 1});
  const BoundJudgement& judgement = answer.judgement;
  // All of it and no more: the exact value is 0 and the stated error is the whole value, as it must be.
  if (judgement.worst_fraction != 1) {
    guide.fraction(one.which, judgement.worst_fraction);
    note_worst(judgement.worst_fraction, [&] {
      return figure(judgement.worst_fraction) + " of its stated error: " + text(one) + ": " + judgement.witness;
    });
  }
  if (judgement.outside + judgement.weak != 0) violation("bound", one.subject->name, judgement.witness);
}

}  // namespace attncert
