// Cases that read NaN and infinity, for kernels that promise what becomes of them (standing.hpp).
#pragma once

#include <vector>

#include "properties/dumps/case_maker.hpp"

namespace attncert {

std::vector<CaseInputs> not_finite_cases(CaseMaker& maker);

}  // namespace attncert
