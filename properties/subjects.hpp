// Subjects: the one list of normalizers the suite judges, with the truth about each, the laws it obeys, and what stands
// at entries that take no part. Their kernels are those that name the normalizer in their descriptor.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "properties/row_reference.hpp"
#include "reference/laws.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {

struct Subject {
  std::string_view normalizer;
  Interval (*enclosure)(RowReference& row, std::size_t position, Precision precision);  // present entries only
  double (*screen)(RowReference& row, std::size_t position);                            // double arithmetic
  Laws laws;
  double absent;        // the value at masked and -inf entries: exact
  bool exact_support;   // zero exactly where the truth is zero, and nowhere else
};

std::span<const Subject> subjects();
const Subject* find_subject(std::string_view normalizer);                 // null when there is none
std::vector<const attncert_kernel*> built_in_kernels_of(const Subject& subject);
std::string law_names(const Subject& subject);                            // "sums-to-one nonnegative ..."

}  // namespace attncert
