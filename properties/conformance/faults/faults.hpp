// Deliberately wrong kernels, as C descriptors: the mistakes that kernels in the field really made, or that published
// acceptance rules let pass. The suite must notice each one, and must pass the right kernels of unusual form beside
// them.
#pragma once

#include <span>
#include <string_view>

#include "attncert/attention.h"
#include "attncert/kernel.h"
#include "properties/conformance/kernel_function.hpp"

namespace attncert {

// A kernel that the suite must notice, or, where it is not `wrong`, one that it must not refuse.
struct Fault {
  std::string_view name, text;  // "fault.zeros"; one line for people
  // The report: "owner/project#number"; or the class of mutants where no report is that plain.
  std::string_view imitates;
  const attncert_kernel* kernel = nullptr;  // of a normalizer; null: `bound` says what it is of
  // A fault that only long rows show names the accuracy case (normal effort) that must notice it; "" = quick effort
  // does.
  std::string_view case_name{};
  // The check that must notice: a law or calling-convention check (properties/conformance/laws) where no single row
  // shows the fault; "" = the accuracy campaign.
  std::string_view check{};
  bool wrong = true;
  std::string_view bound{};  // whose kernels take rows of f32 and f64
  BoundKernel bound_kernel = nullptr;
  bool wide = false;  // only the campaign's wide rows show it, which the tapes of a search do not spell out
  const attncert_attention_kernel* attention = nullptr;  // of attention: the other two are null

  std::string_view subject() const {
    if (attention != nullptr) return "attention";
    return kernel != nullptr ? kernel->normalizer : bound;
  }
};

// Kernels of normalizers: wrong ones, and correct ones of unusual form. all_faults() of properties/conformance/suite
// has those of bounds too.
std::span<const Fault> faults();
std::span<const Fault> unusual_kernels();

}  // namespace attncert
