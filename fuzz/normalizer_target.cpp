// The target `normalizer` runs a kernel on one row, on one or two instruction sets, and judges the answers
// (normalizer_execution.hpp). Every call is watched for what it writes elsewhere and for the rounding mode that it
// leaves.
// ATTNCERT_FUZZ_FAULT=<name of properties/conformance/faults> puts that faulty kernel in the place of its normalizer's;
// ATTNCERT_FUZZ_LIBRARY=<file> the kernels of that library (library_executions.hpp). Of these `normalizer` asks for
// rows of every length.
#include "fuzz/normalizer_target.hpp"

#include <cstdlib>
#include <string>

#include "fuzz/library_executions.hpp"
#include "fuzz/normalizer_execution.hpp"
#include "properties/conformance/faults/faults.hpp"

namespace attncert {
namespace {

const attncert_kernel* found_fault() {
  const char* wish = std::getenv("ATTNCERT_FUZZ_FAULT");
  if (wish == nullptr || *wish == 0) return nullptr;
  for (const Fault& fault : faults())
    if (fault.name == wish || fault.name == std::string("fault.") + wish) return fault.kernel;
  violation("normalizer", std::string("ATTNCERT_FUZZ_FAULT=") + wish, "no such fault; attncert faults lists them");
}

const attncert_kernel* faulty_kernel() {
  static const attncert_kernel* const found = found_fault();
  return found;
}

std::vector<Variant> variants_of(const NormalizerCase& one) {
  const attncert_kernel* const faulty = faulty_kernel();
  if (faulty != nullptr && faulty->normalizer == one.subject->name && faulty->dtype_in == one.kernel->dtype_in)
    return {{faulty, "", proved_budget(*faulty)}};
  const Budget budget = proved_budget(*one.kernel);
  std::vector<Variant> variants{{one.kernel, one.isa, budget}};
  if (!one.other_isa.empty() && one.other_isa != one.isa) variants.push_back({one.kernel, one.other_isa, budget});
  return variants;
}

Execution executed(NormalizerCase one) {
  Execution execution{std::move(one), {}, std::nullopt};
  execution.variants = variants_of(execution.one);
  make_calls({&execution, 1});
  return execution;
}

void check(std::string_view target, const Execution& execution, Guide& guide) {
  if (const std::string wrong = objection(execution, guide); !wrong.empty())
    violation(target, text(execution.one), wrong);
}

void run(std::span<const std::uint8_t> input, Guide& guide) {
  static ChosenSubject chosen(subjects_of_normalizer);
  run_case("normalizer", draw_normalizer_case(chosen.put(input), lengths_of("normalizer")), guide);
}

}  // namespace

Lengths lengths_of(std::string_view target) {
  if (target == "long") return Lengths::long_ones;
  return searched_library() != nullptr || faulty_kernel() != nullptr ? Lengths::as_asked : Lengths::short_ones;
}

void run_case(std::string_view target, NormalizerCase one, Guide& guide) {
  if (const SearchedLibrary* const searched = searched_library()) {
    for (const attncert_kernel* kernel : searched->kernels_for(one)) {
      Execution execution = asked_of(*kernel, one);
      make_calls(*searched->library, {&execution, 1});
      check(target, execution, guide);
    }
  } else if (one.kernel != nullptr) {
    check(target, executed(std::move(one)), guide);
  }
}

FuzzTarget fuzz_normalizer() {
  return {"normalizer", "a kernel on a row, against the exact values and its contract", run, &subjects_of_normalizer};
}

}  // namespace attncert
