// Deliberately wrong kernels, as C descriptors: the mistakes that kernels in the field really made, or that published
// acceptance rules let pass. The suite must notice each one, and must pass the right kernels of unusual form beside
// them.
#pragma once

#include <span>
#include <string_view>

#include "attncert/kernel.h"

namespace attncert {

struct Fault {
  std::string_view name, text;  // "fault.zeros"; one line for people
  std::string_view
      imitates;  // the report: "owner/project#number"; or the class of mutants where no report is that plain
  const attncert_kernel* kernel = nullptr;
  // A fault that only long rows show names the accuracy case (normal effort) that must notice it; "" = quick effort
  // does.
  std::string_view case_name{};
  // The check that must notice: a law or calling-convention check (properties/conformance/laws) where no single row
  // shows the fault; "" = the accuracy job.
  std::string_view check{};
};

std::span<const Fault> faults();

// Faults that take the process with them or that only a process of their own shows: crashes, endless loops, reads and
// writes far outside the buffers, changed inputs. Never run them in the process of a test.
std::span<const Fault> isolated_faults();

struct RightKernel {
  std::string_view name, text;
  const attncert_kernel* kernel = nullptr;
};
// Correct kernels of unusual form: none may be refused.
std::span<const RightKernel> unusual_kernels();
std::span<const attncert_kernel* const> right_kernels();  // the same, bare

}  // namespace attncert
