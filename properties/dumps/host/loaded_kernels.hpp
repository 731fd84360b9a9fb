// Loads a library of attention kernels into this process and validates its descriptors.
#pragma once

#include <string>
#include <vector>

#include "attncert/attention.h"
#include "src/core/result.hpp"

namespace attncert::attention_host {

Result<std::vector<attncert_attention_kernel>> load_kernels(const std::string& file);

std::string features_of(const attncert_attention_kernel& kernel);  // "backward" among them where it has that pass

std::string_view stored_as(attncert_dtype dtype);  // "F32", "F16", "BF16"; empty for any other

}  // namespace attncert::attention_host
