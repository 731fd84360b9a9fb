#include "properties/conformance/kills/known_case.hpp"

#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>

#include "properties/conformance/attention/plain_backward.hpp"
#include "properties/conformance/attention/plain_reference.hpp"
#include "properties/dumps/approximate.hpp"
#include "properties/dumps/cases.hpp"
#include "properties/dumps/gradients/approximate_gradients.hpp"
#include "properties/dumps/host/case_arguments.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "src/core/assert.hpp"
#include "src/files/safetensors_text.hpp"

namespace attncert {
namespace {

template <attncert_dtype kType>
attncert_attention_status reference_in(const attncert_attention_arguments* arguments) {
  return plain_reference(*arguments, kType);
}

template <attncert_dtype kType>
attncert_attention_status reference_gradients_in(const attncert_attention_arguments* arguments,
                                                 const attncert_attention_gradients* gradients) {
  return plain_backward(*arguments, *gradients, {.dtype = kType, .unfused = true, .tensors = true, .f32 = true});
}

template <attncert_dtype kType>
void use(attncert_attention_kernel& kernel) {
  kernel.run = reference_in<kType>;
  kernel.run_backward = reference_gradients_in<kType>;
}

attncert_attention_kernel reference_kernel(attncert_dtype dtype) {
  attncert_attention_kernel kernel{};
  kernel.name = "reference";
  kernel.dtype = kernel.dtype_out = dtype;
  (dtype == ATTNCERT_F32 ? use<ATTNCERT_F32> : dtype == ATTNCERT_F16 ? use<ATTNCERT_F16> : use<ATTNCERT_BF16>)(kernel);
  return kernel;
}

// From doubles, whose errors are 2^-29 of a unit of f32: no rule can tell. A gradient that is below 2^-40 of the
// magnitudes that it is a sum of is 0: hundreds of terms of doubles err by less, terms of f32 by far more.
class Exact {
 public:
  Exact(const AttentionDump& dump, std::string_view dtype, KnownCase& known)
      : dump_(dump), shape_(dump.shape()), dtype_(dtype), known_(known) {
    if (dump.has("do")) {
      known.tensors["dq"].exact.resize(shape_.rows() * shape_.size);
      known.tensors["dk"].exact.resize(shape_.batches * shape_.kv_heads * shape_.keys * shape_.size);
      known.tensors["dv"].exact.resize(shape_.batches * shape_.kv_heads * shape_.keys * shape_.value_size);
    }
    known.lse.assign(shape_.rows(), -std::numeric_limits<double>::infinity());
    known.tensors["o"].exact.resize(shape_.rows() * shape_.value_size);
    for (std::size_t group = 0; group < shape_.batches * shape_.kv_heads; ++group) find(group);
    if (!all_finite_) known.tensors.clear();  // no rule knows of NaN
  }

 private:
  void put(const char* tensor, std::size_t row, const std::vector<double>& numbers) {
    std::vector<double>& to = known_.tensors.at(tensor).exact;
    for (std::size_t e = 0; e < numbers.size(); ++e) to[row * numbers.size() + e] = rounded_to(dtype_, numbers[e]);
  }

  static void drop_noise(std::vector<std::vector<double>>& gradients, const std::vector<std::vector<double>>& sizes) {
    for (std::size_t r = 0; r < gradients.size(); ++r)
      for (std::size_t e = 0; e < gradients[r].size(); ++e)
        if (std::abs(gradients[r][e]) < 0x1p-40 * sizes[r][e]) gradients[r][e] = 0;
  }

  // Of the rows that read one KV head.
  void find(std::size_t group) {
    const std::size_t each = shape_.heads / shape_.kv_heads * shape_.queries;
    const Place first = dump_.place(group * each);
    const KeysAndValues shared = dump_.keys_and_values(first.batch, dump_.kv_head(first.head));
    std::vector<DumpedRow> rows;
    std::vector<std::size_t> numbers;
    for (std::size_t n = group * each; n < (group + 1) * each; ++n) {
      DumpedRow row = dump_.row(dump_.place(n), shared);
      const Standing stands = standing(row, {});
      if (stands == Standing::without_key) continue;
      if (stands != Standing::sound)
        for (const char* const tensor : {"dq", "dk", "dv"}) known_.tensors.erase(tensor);
      all_finite_ = all_finite_ && stands != Standing::not_finite;
      const ApproximateRow near = approximate(row.row);
      put("o", n, near.output);
      known_.lse[n] = near.lse;
      numbers.push_back(n);
      rows.push_back(std::move(row));
    }
    if (known_.tensors.contains("dq") && !rows.empty()) find_gradients(group, rows, numbers);
  }

  void find_gradients(std::size_t group, const std::vector<DumpedRow>& rows, const std::vector<std::size_t>& numbers) {
    BackwardPass pass{{}, true};  // D is that of the exact weights
    for (const DumpedRow& row : rows) pass.rows.push_back({row.row, row.output_gradient});
    ApproximateGradients near = approximate_gradients(pass);
    drop_noise(near.dq, near.dq_size), drop_noise(near.dk, near.dk_size), drop_noise(near.dv, near.dv_size);
    for (std::size_t n = 0; n < rows.size(); ++n) put("dq", numbers[n], near.dq[n]);
    for (std::size_t j = 0; j < shape_.keys; ++j) {
      put("dk", group * shape_.keys + j, near.dk[j]);
      put("dv", group * shape_.keys + j, near.dv[j]);
    }
  }

  const AttentionDump& dump_;
  const DumpShape& shape_;
  std::string_view dtype_;
  KnownCase& known_;
  bool all_finite_ = true;
};

KnownCase known_case(const CaseFile& file, bool customary, const attncert_attention_kernel& reference) {
  auto inputs = TensorFile::of_safetensors(file.text, file.name);
  ATTNCERT_ASSERT(inputs);
  KnownCase known{file.name, inputs->settings().at("group"), customary, std::move(*inputs), {}, {}};
  TensorFile outputs = outputs_of(reference, known.inputs);
  std::map<std::string, std::vector<double>> computed;
  for (const char* const tensor : {"o", "dq", "dk", "dv"})
    if (outputs.find(tensor) != nullptr) computed[tensor] = numbers_of(outputs, tensor);
  const AttentionDump dump = dump_of(known.inputs, std::move(outputs), "f32");
  const Exact exact(dump, stored_as(reference.dtype), known);
  for (auto& [name, tensor] : known.tensors) tensor.reference = computed.at(name);
  return known;
}

}  // namespace

AttentionDump dump_of(const TensorFile& inputs, TensorFile outputs, const std::string& rounding) {
  auto dump = AttentionDump::open(inputs, {{"class", rounding}}, std::move(outputs));
  ATTNCERT_ASSERT(dump);
  return std::move(*dump);
}

const std::vector<KnownCase>& known_cases(std::uint64_t seed, const attncert_attention_kernel& kernel, bool customary) {
  static std::mutex lock;
  static std::map<std::tuple<std::uint64_t, attncert_dtype, std::uint32_t, bool, bool>, std::vector<KnownCase>> drawn;
  const bool backward = kernel.run_backward != nullptr;
  const std::lock_guard guard(lock);
  std::vector<KnownCase>& cases = drawn[{seed, kernel.dtype, kernel.head_size, customary, backward}];
  if (!cases.empty()) return cases;
  CaseWishes wishes;
  wishes.seed = seed;
  wishes.dtype = stored_as(kernel.dtype);
  wishes.features = {std::begin(attention_features), std::end(attention_features)};
  wishes.features.erase("propagates-nan");
  if (!backward) wishes.features.erase("backward");
  for (const char* const of_others : {"kv-scales", "window-after"}) wishes.features.erase(of_others);
  if (!customary) wishes.size = wishes.value_size = kernel.head_size;
  const attncert_attention_kernel reference = reference_kernel(kernel.dtype);
  for (const CaseFile& file : customary ? customary_cases(wishes) : attention_cases(wishes))
    cases.push_back(known_case(file, customary, reference));
  return cases;
}

}  // namespace attncert
