// Keys of a case that no query keeps.
#pragma once

#include <vector>

#include "properties/dumps/case_maker.hpp"

namespace attncert {

// Of each batch, which keys every query's row removes: by its length, the causal diagonal, the window or the mask.
std::vector<std::vector<std::size_t>> removed_keys(const CaseInputs& in);

// Their keys and values hold NaN then.
void put_nan_in_removed_keys(CaseInputs& in);

}  // namespace attncert
