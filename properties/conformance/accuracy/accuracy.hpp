// The accuracy job: rows -> outputs of a kernel on an instruction set -> enclosure of the truth -> error in ulp and as
// a fraction of the kernel's stated budget, with the worst witness. The truth about a row is enclosed once and serves
// every kernel and instruction set.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/accuracy/cases.hpp"
#include "src/core/kernel_result.hpp"

namespace attncert {

struct AccuracyPlan {
  std::uint64_t seed = 1;
  Effort effort = Effort::normal;
  std::vector<std::string> normalizers, isas;   // empty = all; isas as instruction_sets() names them
  std::vector<attncert_dtype> dtypes;           // of the input; empty = all
  std::vector<const attncert_kernel*> kernels;  // kernels of one's own instead of the built-in ones
  std::string only_case;                        // one case's name: repeat a finding
  unsigned jobs = 0;                            // threads that judge; 0 = one per core. Changes no figure.
  bool stop_at_first = false;                   // end a kernel's campaign once it is caught
  std::function<void(std::string_view case_name)> before_call;  // told which case the next calls belong to
};

using AccuracyRow = KernelResult;

using AccuracyProgress = std::function<void(std::string_view case_name, std::size_t done, std::size_t of)>;

// Rows ordered by (normalizer, kernel, isa) as the lists of subjects, kernels and instruction sets are.
std::vector<AccuracyRow> run_accuracy(const AccuracyPlan& plan, const AccuracyProgress& progress = {});

}  // namespace attncert
