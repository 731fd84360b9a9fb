// The target `attention`: the tape picks a kernel of src/attention and spells out a call, forward and backward; each
// element of the outputs and gradients is judged by the bound of the kernel's class. ATTNCERT_FUZZ_FAULT=<name of
// properties/conformance/attention> puts that faulty kernel in its place, to see that it is found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "fuzz/record.hpp"
#include "fuzz/target.hpp"
#include "properties/conformance/attention/attention_faults.hpp"
#include "properties/conformance/attention/called_case.hpp"
#include "properties/dumps/case_maker.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/gradients/judged_gradients.hpp"
#include "properties/dumps/host/case_arguments.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "src/attention/attention.hpp"
#include "src/core/assert.hpp"
#include "src/core/tape.hpp"

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

// Whole eighths to 8, or 20 bits to 8, times one power of two.
class Entries {
 public:
  explicit Entries(Choices& choices)
      : choices_(choices), fine_(choices.flip()), size_(std::ldexp(1, static_cast<int>(choices.pick(powers)))) {}
  std::vector<double> operator()(std::size_t count) {
    std::vector<double> numbers(count);
    for (double& number : numbers)
      number = size_ * (fine_ ? std::ldexp(static_cast<double>(choices_.between(-(1 << 19), 1 << 19)), -16)
                              : static_cast<double>(choices_.between(-64, 64)) / 8);
    return numbers;
  }

 private:
  static constexpr int powers[] = {0, 1, -2, 2, 4, 6, -6, -20};
  Choices& choices_;
  bool fine_;
  double size_;
};

CaseInputs drawn(Choices& choices) {
  CaseInputs in{};
  in.batches = 1 + choices.below(2);
  in.kv_heads = 1 + choices.below(2);
  in.heads = in.kv_heads * (1 + choices.below(2));
  in.queries = 1 + choices.below(5);
  in.keys = 1 + choices.below(choices.below(4) == 3 ? 150 : 12);
  in.size = 1 + choices.below(9);
  in.value_size = 1 + choices.below(9);
  in.causal = choices.flip();
  if (choices.flip()) in.window = 1 + choices.below(in.keys);
  if (choices.flip()) in.softcap = std::ldexp(1, static_cast<int>(choices.between(-2, 6)));
  const auto some = [&](std::size_t count) { return choices.flip() ? Entries(choices)(count) : std::vector<double>(); };
  in.bias = some(in.queries * in.keys);
  in.sinks = some(in.heads);
  in.slopes = some(in.heads);
  if (choices.flip())
    for (std::size_t b = 0; b < in.batches; ++b) in.lengths.push_back(static_cast<double>(choices.below(in.keys + 1)));
  if (choices.flip())
    for (std::size_t n = 0; n < in.queries * in.keys; ++n) in.mask.push_back(choices.flip() ? 0 : 1);
  in.q = Entries(choices)(in.batches * in.heads * in.queries * in.size);
  in.k = Entries(choices)(in.batches * in.kv_heads * in.keys * in.size);
  in.v = Entries(choices)(in.batches * in.kv_heads * in.keys * in.value_size);
  if (choices.flip()) in.output_gradient = Entries(choices)(in.batches * in.heads * in.queries * in.value_size);
  return in;
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
  if (one.kernel != nullptr) one.in = drawn(choices);
  return one;
}

std::string text(const AttentionExecution& one) {
  const CaseInputs& in = one.in;
  std::string line =
      fmt::format("{}, {} batches, heads {} of keys {}, {} queries, {} keys, sizes {} and {}", one.kernel->name,
                  in.batches, in.heads, in.kv_heads, in.queries, in.keys, in.size, in.value_size);
  const auto add = [&](bool there, const char* what) { line += there ? std::string(", ") + what : ""; };
  add(in.causal, "causal"), add(in.window != 0, "window"), add(in.softcap != 0, "softcap");
  add(!in.bias.empty(), "bias"), add(!in.sinks.empty(), "sinks"), add(!in.slopes.empty(), "slopes");
  add(!in.lengths.empty(), "lengths"), add(!in.mask.empty(), "mask"), add(!in.output_gradient.empty(), "backward");
  return line;
}

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

void judge(const AttentionExecution& one, const auto& verdict, Guide& guide) {
  if (verdict.worst.list().empty()) return;
  const Element& worst = verdict.worst.list().front();
  guide.fraction(one.which, worst.fraction);
  const auto where = [&] {
    return fmt::format("{} of batch {}, head {}, row {} is {} of its bound, {} for {}", worst.tensor, worst.place.batch,
                       worst.place.head, worst.place.query, figure(worst.fraction), worst.got, worst.exact);
  };
  note_worst(worst.fraction, [&] { return text(one) + ": " + where(); });
  if (verdict.failing > 0) violation("attention", text(one), where());
}

void run(std::span<const std::uint8_t> input, Guide& guide) {
  static ChosenSubject chosen(fuzz_subjects);
  const AttentionExecution one = execution_of(chosen.put(input));
  if (one.kernel == nullptr) return;
  CaseWishes types;
  types.dtype = stored_as(one.kernel->dtype), types.dtype_kv = stored_as(dtype_kv(*one.kernel));
  if (std::string_view(one.kernel->features).find("kv-scales") != std::string_view::npos)
    types.features.insert("kv-scales");
  auto inputs = TensorFile::of_safetensors(case_file(one.in, types, "fuzz", 1).text, "a tape");
  ATTNCERT_ASSERT(inputs);
  if (one.kernel->run_backward == nullptr && !one.in.output_gradient.empty()) return;
  TensorFile outputs = outputs_of(*one.kernel, *inputs);
  const auto dump = AttentionDump::open(std::move(*inputs), {{"class", one.kernel->rounding}, {"empty-rows", "zeros"}},
                                        std::move(outputs));
  ATTNCERT_ASSERT(dump);
  const DumpVerdict forward = judged(*dump, chosen_rows(*dump, 0, 1), candidates(*dump), 1, {});
  judge(one, forward, guide);
  if (forward.against_contract > 0)
    violation("attention", text(one), "a row without a key is not zeros, with LSE -inf");
  if (dump->has_gradients()) judge(one, judged_gradients(*dump, 0, 1, {}), guide);
}

}  // namespace

FuzzTarget fuzz_attention() {
  return {"attention", "an attention kernel, forward and backward: each element is within the bound of its class", run,
          &fuzz_subjects};
}

}  // namespace attncert
