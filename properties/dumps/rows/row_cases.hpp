// Cases to run a normalizer's kernel on: the ordinary rows of the accuracy campaign, a file each, and batches of rows,
// which a kernel is to find so many elements apart as their file's row-stride says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/conformance/accuracy/cases.hpp"
#include "properties/dumps/cases.hpp"

namespace attncert {

// dtype: F64, F32, F16 or BF16; normalizer: as find_subject knows it.
std::vector<CaseFile> row_cases(const std::string& normalizer, const std::string& dtype, std::uint64_t seed,
                                Effort effort);

}  // namespace attncert
