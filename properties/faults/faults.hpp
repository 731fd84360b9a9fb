// Deliberately wrong kernels, as C descriptors: the mistakes that kernels in the field really made or that published
// acceptance rules let pass. The suite must notice each one, and must pass the right kernels they were made from.
#pragma once

#include <span>
#include <string_view>

#include "attncert/kernel.h"

namespace attncert {

struct Fault {
  std::string_view name, text;
  const attncert_kernel* kernel;
  // A fault that only long rows show names the accuracy case (normal effort) that must notice it; "" = quick effort does.
  std::string_view case_name;
  // Who has to notice: "" = the accuracy job; else the law or habit (properties/laws), because no single row shows it.
  std::string_view habit;
};

std::span<const Fault> faults();
std::span<const attncert_kernel* const> right_kernels();

}  // namespace attncert
