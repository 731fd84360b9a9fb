// The campaign of the judging machine (subject.hpp): rows -> answers of every variant, a kernel on an instruction set
// -> enclosure of the truth -> error in ulp and as a fraction of what is allowed, with the worst witness. The truth
// about a row is enclosed once and serves all variants.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/accuracy/subject.hpp"
#include "properties/conformance/inputs/coverage.hpp"
#include "src/core/kernel_result.hpp"
#include "src/device/device.hpp"

namespace attncert {

struct AccuracyPlan {
  std::uint64_t seed = 1;
  Effort effort = Effort::normal;
  std::vector<std::string> subjects, isas;      // empty = all; isas as instruction_sets() names them
  std::vector<std::string> names;               // of kernels; empty = all
  std::vector<attncert_dtype> dtypes;           // of the input; empty = all
  std::vector<const attncert_kernel*> kernels;  // kernels of one's own instead of the built-in ones
  std::string only_case;                        // one case's name: repeat a finding
  std::shared_ptr<SharedRows> rows;             // of one seed and effort, where several campaigns are to draw each once
  unsigned jobs = 0;                            // threads that judge; 0 = one per core. Changes no figure.
  std::function<void(std::string_view case_name)> before_call;  // told which case the next calls belong to
  const device::Device* judge = nullptr;  // one with f64: judges rows first; the processor, what it leaves
  // Set where it failed, and then it is asked no more: one for all campaigns whose plans are copies of this one.
  std::shared_ptr<std::atomic<bool>> judge_lost = std::make_shared<std::atomic<bool>>(false);
  std::function<void(const Error&)> judge_failed;  // told once of them that it did: the processor judges the rest
  const std::atomic<bool>* stop = nullptr;  // once it is set, what is judged comes to an early end and says nothing

  bool stopped() const { return stop != nullptr && *stop; }
};

struct AccuracyRow : KernelResult {
  InputCoverage inputs = {};              // the rows that it answered, by their classes
  std::uint64_t device_elements = 0;      // of double_double_elements, those that a device judged
  std::uint64_t device_contradicted = 0;  // rows of which the processor, asked too, said something else
  std::string judge = {};                 // that device's name; "" where it judged nothing
};

using AccuracyProgress = std::function<void(std::string_view case_name, std::size_t done, std::size_t of)>;

// The command that runs the row's kernel again, up to its type, instruction set and case.
std::string repeat_of(const AccuracyPlan& plan, const AccuracyRow& row);

// The rows that run_accuracy(plan) has, in its order, before anything is judged: what each is of.
std::vector<AccuracyRow> planned_rows(JudgedSubjects subjects, const AccuracyPlan& plan);

// Judges the `subjects` that the plan names. Rows are ordered by (subject, kernel, isa) as the lists of subjects,
// kernels and instruction sets are.
std::vector<AccuracyRow> run_accuracy(JudgedSubjects subjects, const AccuracyPlan& plan,
                                      const AccuracyProgress& progress = {});

}  // namespace attncert
