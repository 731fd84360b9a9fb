// One row of one kernel's output against the truth: the error of each entry in ulp, enclosed, and compared with the
// budget. An entry whose enclosed error straddles the budget is asked again at twice the precision, up to a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "properties/subjects.hpp"

namespace attncert {

// Precision that the first question is asked at: an ulp of f32 is 2^-24 of a value, of f64 2^-53; logits a few hundred
// away from the largest lose another 10 bits in the exponent.
template <class T>
constexpr Precision first_precision{sizeof(T) == 4 ? 64 : 128};
inline constexpr Precision last_precision{1024};

struct Judgement {
  std::uint64_t elements = 0, outside = 0, undecided = 0;
  double worst_ulp = 0;          // certain upper bound; +inf for a wrong special value
  std::size_t worst_position = 0;
  double worst_value = 0;        // what the kernel said there
  std::string worst_truth;       // decimal enclosure of the exact value there
};

// Judges the entry at `position` of an ordinary row and adds it to `judgement`.
template <class T>
void judge_entry(Judgement& judgement, const Subject& subject, RowReference& row, std::size_t position, T computed,
                 double budget);

// All entries, or those at `positions`, which are ascending.
template <class T>
Judgement judge_row(const Subject& subject, RowReference& row, std::span<const T> computed, double budget);
template <class T>
Judgement judge_row(const Subject& subject, RowReference& row, std::span<const T> computed, double budget,
                    std::span<const std::size_t> positions);

// Positions worth judging of a long row: both ends (lanes and tails), the largest and smallest logits, an even spread,
// and the entries where the outcome is farthest from `screens`, plain double arithmetic. All of them when there are few.
std::vector<double> screens(const Subject& subject, RowReference& row);
template <class T>
std::vector<std::size_t> chosen_positions(std::span<const double> screens, RowReference& row, std::span<const T> computed,
                                          std::size_t about);

extern template void judge_entry<float>(Judgement&, const Subject&, RowReference&, std::size_t, float, double);
extern template void judge_entry<double>(Judgement&, const Subject&, RowReference&, std::size_t, double, double);
extern template Judgement judge_row<float>(const Subject&, RowReference&, std::span<const float>, double);
extern template Judgement judge_row<double>(const Subject&, RowReference&, std::span<const double>, double);
extern template Judgement judge_row<float>(const Subject&, RowReference&, std::span<const float>, double,
                                           std::span<const std::size_t>);
extern template Judgement judge_row<double>(const Subject&, RowReference&, std::span<const double>, double,
                                            std::span<const std::size_t>);
extern template std::vector<std::size_t> chosen_positions<float>(std::span<const double>, RowReference&, std::span<const float>,
                                                                 std::size_t);
extern template std::vector<std::size_t> chosen_positions<double>(std::span<const double>, RowReference&, std::span<const double>,
                                                                  std::size_t);

}  // namespace attncert
