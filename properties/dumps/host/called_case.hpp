// One case of attncert cases, put between guard pages and given to a kernel.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attncert/attention.h"
#include "properties/dumps/host/tensor_layout.hpp"
#include "src/core/result.hpp"

namespace attncert::attention_host {

struct Called {
  attncert_attention_status status;
  bool backward_declined;            // the outputs, status OK, are then those of the forward pass
  std::string outputs;               // a safetensors file with o and lse, where the status is OK
  std::vector<std::string> lacking;  // what the kernel is not: "deterministic", where it says so, "batch-invariant" ...
  std::string misconduct;            // "" or what the kernel did beside computing; outputs that are wrong too say more
};

// Calls twice, with outputs that hold other numbers before, once more with other numbers in keys and values that no row
// keeps, then with other numbers at the same addresses, and from several threads; a line on standard output says which,
// before it does. With gaps between rows a call is made without lse; `on_and_on`: at last hundreds of calls, to see
// what grows. Error: the file is no case for the kernel.
Result<Called> called(const attncert_attention_kernel& kernel, const std::filesystem::path& file,
                      const Placement& placement, bool on_and_on);

}  // namespace attncert::attention_host
