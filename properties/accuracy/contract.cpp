#include "properties/accuracy/contract.hpp"

#include <cmath>

#include "properties/accuracy/guarded_call.hpp"

namespace attncert {
namespace {

template <class T, class Predicate>
std::string every(std::span<const T> computed, const char* what, Predicate predicate) {
  for (std::size_t i = 0; i < computed.size(); ++i)
    if (!predicate(computed[i])) return "entry " + std::to_string(i) + " is " + std::to_string(computed[i]) + ", not " + what;
  return "";
}

// The row whose softmax, log-softmax or sparsemax is the uniform one over the infinite entries.
LogitRow uniform_over_infinities(const LogitRow& row) {
  LogitRow uniform{row.logits, 1.0, row.mask};
  for (std::size_t i = 0; i < row.logits.size(); ++i) uniform.logits[i] = row.logits[i] == HUGE_VAL ? 0.0 : -HUGE_VAL;
  return uniform;
}

}  // namespace

template <class T>
std::string contract_violation(const Subject& subject, const LogitRow& row, attncert_status status,
                               std::span<const T> computed, double budget) {
  const RowKind what = kind(row);
  if (what == RowKind::bad_temperature) {
    if (status != ATTNCERT_BAD_TEMPERATURE) return "status " + std::to_string(status) + " for a bad temperature";
    return every(computed, "left alone at a bad temperature", [](T value) { return value == untouched<T>; });
  }
  if (status != ATTNCERT_OK) return "status " + std::to_string(status) + " for a valid call";
  if (what == RowKind::has_nan) return every(computed, "NaN as the whole row must be", [](T value) { return std::isnan(value); });
  if (what == RowKind::nothing_visible)
    return every(computed, "absent in a row with nothing visible",
                 [&](T value) { return static_cast<double>(value) == subject.absent; });
  if (what == RowKind::has_infinity) {
    RowReference uniform(uniform_over_infinities(row));
    const Judgement judgement = judge_row(subject, uniform, computed, budget);
    if (judgement.outside + judgement.undecided != 0)
      return "entry " + std::to_string(judgement.worst_position) + " is not uniform over the +inf entries";
  }
  return "";
}
template std::string contract_violation<float>(const Subject&, const LogitRow&, attncert_status, std::span<const float>,
                                               double);
template std::string contract_violation<double>(const Subject&, const LogitRow&, attncert_status, std::span<const double>,
                                                double);

}  // namespace attncert
