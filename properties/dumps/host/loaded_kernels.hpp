// Loads a library of attention kernels into this process and validates its descriptors.
#pragma once

#include <string>
#include <vector>

#include "attncert/attention.h"
#include "src/core/result.hpp"

namespace attncert::attention_host {

Result<std::vector<attncert_attention_kernel>> load_kernels(const std::string& file);

std::string features_of(const attncert_attention_kernel& kernel);  // "backward" among them where it has that pass

}  // namespace attncert::attention_host
