// The attention kernels that a shared library describes (attncert/attention.h), for attncert judge --library.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "properties/dumps/cases.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

struct DescribedKernel {
  std::string name, rounding;  // rounding: of its class, or empty
  bool lse_base_2 = false;
  CaseWishes wishes;  // the seed apart
};

// Asked of a process of its own, the program `host`. Error: "<library>: ...", of a descriptor that no cases can be made
// for, or whose class is none, before any kernel runs.
Result<std::vector<DescribedKernel>> kernels_of_library(const std::filesystem::path& host, const std::string& library);

}  // namespace attncert::cli
