// The target `attention`: the tape picks a kernel of src/attention and spells out a call, forward and backward; each
// element of the outputs and gradients is judged by the bound of the kernel's class. ATTNCERT_FUZZ_FAULT=<name of
// properties/conformance/attention> puts that faulty kernel in its place, to see that it is found.
#include <fmt/format.h>

#include <cstdlib>

#include "fuzz/attention_case.hpp"
#include "fuzz/attention_finding.hpp"
#include "fuzz/record.hpp"
#include "fuzz/target.hpp"
#include "properties/conformance/attention/attention_faults.hpp"
#include "properties/conformance/attention/called_case.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/gradients/judged_gradients.hpp"
#include "properties/dumps/host/case_arguments.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "src/attention/attention.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t most_kernels = 16;

const attncert_attention_kernel* kernel_of(std::uint64_t number) {
  if (const char* const wish = std::getenv("ATTNCERT_FUZZ_FAULT"); wish != nullptr && *wish != 0) {
    for (const Fault& fault : attention_faults())
      if (fault.name == wish) return fault.attention;
    violation("attention", std::string("ATTNCERT_FUZZ_FAULT=") + wish, "no such fault; attncert faults lists them");
  }
  return number < attention_kernels().size() ? attention_kernels()[number] : nullptr;
}

struct AttentionExecution {
  std::uint64_t which = 0;
  const attncert_attention_kernel* kernel = nullptr;  // null: none of that number
  CaseInputs in;
};

AttentionExecution execution_of(std::span<const std::uint8_t> input) {
  Choices choices(input);
  AttentionExecution one;
  one.which = choices.below(most_kernels);
  one.kernel = kernel_of(one.which);
  if (one.kernel != nullptr) one.in = attention_case(choices);
  return one;
}

std::string text(const AttentionExecution& one) { return fmt::format("{}, {}", one.kernel->name, text_of(one.in)); }

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const attncert_attention_kernel* const kernel : attention_kernels()) list.push_back(kernel->name);
  return list;
}

std::string words(std::span<const std::uint8_t> input) {
  const AttentionExecution one = execution_of(input);
  return one.kernel == nullptr ? "no kernel of this number" : text(one);
}

const FuzzSubjects fuzz_subjects{names, with_first_choice, words};

// "": nothing is wrong.
std::string judge(const AttentionExecution& one, const auto& verdict, Guide& guide) {
  if (verdict.worst.list().empty()) return "";
  const Element& worst = verdict.worst.list().front();
  guide.fraction(one.which, worst.fraction);
  const auto where = [&] {
    return fmt::format("{} of batch {}, head {}, row {} is {} of its bound, {} for {}", worst.tensor, worst.place.batch,
                       worst.place.head, worst.place.query, figure(worst.fraction), worst.got, worst.exact);
  };
  note_worst(worst.fraction, [&] { return text(one) + ": " + where(); });
  return verdict.failing > 0 ? where() : "";
}

std::string objection(const AttentionExecution& one, Guide& guide) {
  CaseWishes types;
  types.dtype = stored_as(one.kernel->dtype), types.dtype_kv = stored_as(dtype_kv(*one.kernel));
  if (std::string_view(one.kernel->features).find("kv-scales") != std::string_view::npos)
    types.features.insert("kv-scales");
  auto inputs = TensorFile::of_safetensors(case_file(one.in, types, "fuzz", 1).text, "a tape");
  ATTNCERT_ASSERT(inputs);
  if (one.kernel->run_backward == nullptr && !one.in.output_gradient.empty()) return "";
  TensorFile outputs = outputs_of(*one.kernel, *inputs);
  const auto dump = AttentionDump::open(std::move(*inputs), {{"class", one.kernel->rounding}, {"empty-rows", "zeros"}},
                                        std::move(outputs));
  ATTNCERT_ASSERT(dump);
  const DumpVerdict forward = judged(*dump, chosen_rows(*dump, 0, 1), candidates(*dump), 1, {});
  if (std::string wrong = judge(one, forward, guide); !wrong.empty()) return wrong;
  if (forward.against_contract > 0) return "a row without a key is not zeros, with LSE -inf";
  return dump->has_gradients() ? judge(one, judged_gradients(*dump, 0, 1, {}), guide) : "";
}

void run(std::span<const std::uint8_t> input, Guide& guide) {
  static ChosenSubject chosen(fuzz_subjects);
  if (const auto finding = attention_finding(chosen.put(input), guide))
    violation("attention", finding->where, finding->what);
}

}  // namespace

std::optional<AttentionFinding> attention_finding(std::span<const std::uint8_t> input, Guide& guide) {
  const AttentionExecution one = execution_of(input);
  if (one.kernel == nullptr) return std::nullopt;
  std::string wrong = objection(one, guide);
  if (wrong.empty()) return std::nullopt;
  return AttentionFinding{text(one), std::move(wrong)};
}

FuzzTarget fuzz_attention() {
  return {"attention", "an attention kernel, forward and backward: each element is within the bound of its class", run,
          &fuzz_subjects};
}

}  // namespace attncert
