// What a run measured for the empirical statements of the catalogue: numbers of captured attention, which neither pass nor fail.
#pragma once

#include <string_view>
#include <vector>

#include "src/core/attention.hpp"
#include "src/core/finding.hpp"

namespace attncert::cli {

// `attention`: null where no rows were captured. `claim`: the id of a measured statement.
std::vector<Finding> measured_findings(const CapturedAttention* attention, std::string_view claim);

}  // namespace attncert::cli
