// The target `bound`: the tape picks a subject, a type, an instruction set and a row of properties/bounds, and edits
// numbers of it; what the kernel says is judged against the enclosure of reference/bounds. Outside its stated error is
// a violation, and on a row without edits an error of no use as well.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fuzz/instruction_set.hpp"
#include "fuzz/target.hpp"
#include "properties/bounds/judge.hpp"
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

}  // namespace

void run_bound(std::span<const std::uint8_t> input, Guide& guide) {
  Choices choices(input);
  const std::uint64_t which = choices.below(most_subjects);
  if (which >= std::size(subjects)) return;
  const BoundSubject* subject = find_bound_subject(subjects[which]);
  if (subject == nullptr) return;
  const attncert_dtype dtype = choices.flip() ? ATTNCERT_F32 : ATTNCERT_F64;
  const std::string_view set = draw_instruction_set(choices);
  BoundRow row = subject->row(1, choices.below(rows), dtype, RowSize::small);
  edit(row, choices);
  BoundAnswer answer{said(*subject, row, set), {}};
  judge_bounds(*subject, row, {&answer, 1});
  guide.fraction(which, answer.judgement.worst_fraction);
  if (answer.judgement.outside + answer.judgement.weak != 0)
    violation("bound", subject->name, answer.judgement.witness);
}

}  // namespace attncert
