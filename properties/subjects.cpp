#include "properties/subjects.hpp"

#include <cmath>

namespace attncert {
namespace {

constexpr Law all_laws[] = {Law::sums_to_one,     Law::exponentials_sum_to_one, Law::nonnegative,
                            Law::nonpositive,     Law::shift_invariant,         Law::scale_invariant,
                            Law::permutation_equivariant, Law::monotone,        Law::ties_equal,
                            Law::mask_is_removal};

const Subject list[] = {
    {.normalizer = "softmax",
     .enclosure = [](RowReference& row, std::size_t i, Precision p) { return row.softmax(i, p); },
     .screen = [](RowReference& row, std::size_t i) { return row.softmax_screen(i); },
     .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant,
              Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal},
     .absent = 0,
     .exact_support = false},
    {.normalizer = "log-softmax",
     .enclosure = [](RowReference& row, std::size_t i, Precision p) { return row.log_softmax(i, p); },
     .screen = [](RowReference& row, std::size_t i) { return row.log_softmax_screen(i); },
     .laws = {Law::exponentials_sum_to_one, Law::nonpositive, Law::shift_invariant, Law::scale_invariant,
              Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal},
     .absent = -HUGE_VAL,
     .exact_support = false},
    {.normalizer = "sparsemax",
     .enclosure = [](RowReference& row, std::size_t i, Precision p) { return row.sparsemax(i, p); },
     .screen = [](RowReference& row, std::size_t i) { return row.sparsemax_screen(i); },
     .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant,
              Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal},
     .absent = 0,
     .exact_support = true},
};

}  // namespace

std::span<const Subject> subjects() { return list; }

const Subject* find_subject(std::string_view normalizer) {
  for (const Subject& subject : list)
    if (subject.normalizer == normalizer) return &subject;
  return nullptr;
}

std::vector<const attncert_kernel*> built_in_kernels_of(const Subject& subject) {
  std::vector<const attncert_kernel*> kernels;
  for (const attncert_kernel* kernel : built_in_kernels())
    if (kernel->normalizer == subject.normalizer) kernels.push_back(kernel);
  return kernels;
}

std::string law_names(const Subject& subject) {
  std::string names;
  for (const Law law : all_laws)
    if (subject.laws.has(law)) names += (names.empty() ? "" : " ") + std::string(name(law));
  return names;
}

}  // namespace attncert
