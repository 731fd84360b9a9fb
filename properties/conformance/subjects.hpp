// Subjects: the one list of normalizers that the suite judges. Their kernels are those that name the normalizer in
// their descriptor.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/normalizers/normalizer.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {

using Subject = Normalizer;

std::span<const Subject* const> subjects();
const Subject* find_subject(std::string_view normalizer);  // null when there is none
// Those of a device behind the others, where there is one.
std::vector<const attncert_kernel*> built_in_kernels_of(const Subject& subject);
std::string law_names(const Subject& subject);  // "sums-to-one nonnegative ..."

}  // namespace attncert
