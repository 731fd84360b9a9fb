// Cases of features together, where kernels have code of their own for a situation, or for some of the features.
#pragma once

#include <vector>

#include "properties/dumps/case_maker.hpp"

namespace attncert {

std::vector<CaseInputs> combined_cases(CaseMaker& maker);

}  // namespace attncert
