#include "properties/conformance/bounds/subject.hpp"

#include "properties/conformance/bounds/rows.hpp"

namespace attncert {

BoundRow draw_bound_row(const BoundSubject& subject, Choices& choices, attncert_dtype dtype, RowSize size) {
  BoundRow row = subject.row(choices, dtype, size);
  bound_subject::draw_special_values(row, choices);
  return row;
}

BoundRow numbered_bound_row(const BoundSubject& subject, std::uint64_t seed, std::uint64_t number, attncert_dtype dtype,
                            RowSize size) {
  const Tape tape = random_tape(seed, "bound", number, bound_subject::tape_length(size));
  Choices choices(tape);
  return draw_bound_row(subject, choices, dtype, size);
}

}  // namespace attncert
