#include "properties/accuracy/judge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/ulp.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
UlpError error_of(T computed, const Interval& truth) {
  // A truth beyond the largest float has no finite neighbour on its far side: the infinity is its correct rounding.
  if (std::isinf(computed)) {
    const Interval largest(double{std::numeric_limits<T>::max()}, truth.precision());
    if ((computed < 0 ? less(truth, -largest) : less(largest, truth)) == Truth::yes) return {0, 0.5};
  }
  return ulp_error(computed, truth);
}

// Zero where the truth is zero and nowhere else; a positive truth below the smallest subnormal may round to zero.
template <class T>
bool support_differs(T computed, const Interval& truth) {
  if (truth.is_point() && truth.upper() == 0) return computed != 0;
  return computed == 0 && truth.lower() >= static_cast<double>(std::numeric_limits<T>::denorm_min());
}

// How far a value lies from the screen, relative to it; NaN is as far as can be.
template <class T>
double suspicion_of(T computed, double screen) {
  const double value = static_cast<double>(computed);
  if (value == screen) return 0;
  const double distance = std::abs(value - screen) / std::max(std::abs(screen), double{std::numeric_limits<T>::min()});
  return std::isnan(distance) ? infinity : distance;
}

void record(Judgement& judgement, std::size_t position, double value, const UlpError& error, const Interval& truth) {
  if (error.upper <= judgement.worst_ulp && !judgement.worst_truth.empty()) return;
  judgement.worst_ulp = error.upper;
  judgement.worst_position = position;
  judgement.worst_value = value;
  judgement.worst_truth = truth.is_finite() ? truth.text() : "(not finite)";
}

void wrong_absent(Judgement& judgement, std::size_t position, double value, double expected) {
  ++judgement.outside;
  judgement.worst_ulp = infinity;
  judgement.worst_position = position;
  judgement.worst_value = value;
  judgement.worst_truth = expected == 0 ? "0 (takes no part)" : "-inf (takes no part)";
}

}  // namespace

template <class T>
void judge_entry(Judgement& judgement, const Subject& subject, RowReference& row, std::size_t position, T computed,
                 double budget) {
  ++judgement.elements;
  if (!row.present(position)) {
    if (!(static_cast<double>(computed) == subject.absent))
      wrong_absent(judgement, position, static_cast<double>(computed), subject.absent);
    return;
  }
  for (Precision precision = first_precision<T>;; precision = precision.doubled()) {
    const Interval truth = subject.enclosure(row, position, precision);
    UlpError error = truth.is_finite() ? error_of(computed, truth) : UlpError{0, infinity};
    if (subject.exact_support && support_differs(computed, truth)) error = {infinity, infinity};
    const bool decided = error.upper <= budget || error.lower > budget;
    if (!decided && precision.doubled() <= last_precision) continue;
    record(judgement, position, static_cast<double>(computed), error, truth);
    if (!decided) ++judgement.undecided;
    else if (error.lower > budget) ++judgement.outside;
    return;
  }
}

template <class T>
Judgement judge_row(const Subject& subject, RowReference& row, std::span<const T> computed, double budget) {
  Judgement judgement;
  for (std::size_t i = 0; i < computed.size(); ++i) judge_entry(judgement, subject, row, i, computed[i], budget);
  return judgement;
}

template <class T>
Judgement judge_row(const Subject& subject, RowReference& row, std::span<const T> computed, double budget,
                    std::span<const std::size_t> positions) {
  Judgement judgement;
  for (const std::size_t i : positions) judge_entry(judgement, subject, row, i, computed[i], budget);
  return judgement;
}

std::vector<double> screens(const Subject& subject, RowReference& row) {
  std::vector<double> values(row.row().logits.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = subject.screen(row, i);
  return values;
}

template <class T>
std::vector<std::size_t> chosen_positions(std::span<const double> screens, RowReference& row, std::span<const T> computed,
                                          std::size_t about) {
  const std::size_t length = computed.size(), share = about / 4;
  std::vector<std::size_t> chosen(length);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (length <= about) return chosen;
  std::vector<double> suspicion(length);
  for (std::size_t i = 0; i < length; ++i) suspicion[i] = suspicion_of(computed[i], screens[i]);
  const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(share);
  std::partial_sort(chosen.begin(), end, chosen.end(), [&](std::size_t a, std::size_t b) {
    return suspicion[a] != suspicion[b] ? suspicion[a] > suspicion[b] : a < b;
  });
  chosen.resize(share);
  const auto& largest = row.largest_positions(share / 4);
  chosen.insert(chosen.end(), largest.begin(), largest.end());
  for (std::size_t k = 0; k < share; ++k)  // share <= length / 4: every index is inside
    for (const std::size_t position : {k / 2, length - 1 - k, k * (length - 1) / share}) chosen.push_back(position);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

#define ATTNCERT_JUDGE(T)                                                                                               \
  template void judge_entry<T>(Judgement&, const Subject&, RowReference&, std::size_t, T, double);                      \
  template Judgement judge_row<T>(const Subject&, RowReference&, std::span<const T>, double);                           \
  template Judgement judge_row<T>(const Subject&, RowReference&, std::span<const T>, double, std::span<const std::size_t>); \
  template std::vector<std::size_t> chosen_positions<T>(std::span<const double>, RowReference&, std::span<const T>, std::size_t);
ATTNCERT_JUDGE(float)
ATTNCERT_JUDGE(double)
#undef ATTNCERT_JUDGE

}  // namespace attncert
