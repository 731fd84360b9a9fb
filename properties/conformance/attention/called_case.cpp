#include "properties/conformance/attention/called_case.hpp"

#include <cstddef>
#include <cstring>
#include <deque>

#include "src/core/assert.hpp"
#include "src/core/number_in.hpp"
#include "src/files/safetensors_text.hpp"
#include "src/files/stored_numbers.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

// The arguments of a call, and what they point at.
class Arguments {
 public:
  explicit Arguments(const TensorFile& file) : file_(file) {
    const auto &q = file.find("q")->shape, &k = file.find("k")->shape, &v = file.find("v")->shape;
    a_.size = sizeof a_;
    a_.batches = q[0], a_.heads = q[1], a_.queries = q[2], a_.head_size = q[3];
    a_.kv_heads = k[1], a_.keys = k[2], a_.value_size = v[3];
    a_.q = rows("q"), a_.k = rows("k"), a_.v = rows("v"), a_.bias = rows("bias"), a_.mask = rows("mask");
    a_.sinks = static_cast<const float*>(copied("sinks")), a_.slopes = static_cast<const float*>(copied("slopes"));
    if (const auto* lengths = static_cast<const float*>(copied("lengths"))) {
      lengths_.assign(lengths, lengths + a_.batches);
      a_.lengths = lengths_.data();
    }
    a_.scale = setting("scale", 1), a_.softcap = setting("softcap", 0);
    a_.window = static_cast<std::size_t>(setting("window", 0));
    a_.flags = file.settings().contains("causal") ? ATTNCERT_CAUSAL : 0;
    a_.causal_offset = static_cast<std::int64_t>(a_.keys) - static_cast<std::int64_t>(a_.queries);
  }

  attncert_attention_arguments& get() { return a_; }

 private:
  // Null where the file has no such tensor. Tensors of a file are not aligned.
  void* copied(const std::string& name) {
    const Tensor* tensor = file_.find(name);
    if (tensor == nullptr) return nullptr;
    copies_.emplace_back(tensor->bytes.size() / sizeof(double) + 1);
    std::memcpy(copies_.back().data(), tensor->bytes.data(), tensor->bytes.size());
    return copies_.back().data();
  }

  // An axis of extent 1 serves all.
  attncert_tensor rows(const std::string& name) {
    void* const data = copied(name);
    if (data == nullptr) return {};
    const auto& shape = file_.find(name)->shape;
    return {data, shape[0] == 1 ? 0 : shape[1] * shape[2] * shape[3], shape[1] == 1 ? 0 : shape[2] * shape[3],
            shape[2] == 1 ? 0 : shape[3]};
  }

  float setting(const std::string& name, float otherwise) const {
    const auto found = file_.settings().find(name);
    return found == file_.settings().end() ? otherwise : number_in<float>(found->second).value_or(otherwise);
  }

  const TensorFile& file_;
  attncert_attention_arguments a_{};
  std::deque<std::vector<double>> copies_;  // aligned for every type
  std::vector<std::size_t> lengths_;
};

}  // namespace

TensorFile outputs_of(const attncert_attention_kernel& kernel, const TensorFile& inputs) {
  Arguments arguments(inputs);
  attncert_attention_arguments& a = arguments.get();
  const std::size_t rows = a.batches * a.heads * a.queries;
  const Format& type = format(kernel.dtype_out);
  std::vector<double> bytes(rows * a.value_size * type.bytes / sizeof(double) + 1), o(rows * a.value_size);
  std::vector<float> lse(rows);
  a.o = {bytes.data(), a.heads * a.queries * a.value_size, a.queries * a.value_size, a.value_size};
  a.lse = lse.data();
  const attncert_attention_status status = kernel.run(&a);
  ATTNCERT_ASSERT(status == ATTNCERT_ATTENTION_OK);
  load_elements(type.dtype, bytes.data(), 0, o);
  const std::string dtype = type.dtype == ATTNCERT_F32 ? "F32" : type.dtype == ATTNCERT_F16 ? "F16" : "BF16";
  auto file = TensorFile::of_safetensors(
      safetensors_text({{"o", {{a.batches, a.heads, a.queries, a.value_size}, o, dtype}},
                        {"lse", {{a.batches, a.heads, a.queries}, {lse.begin(), lse.end()}, "F32"}}},
                       {}),
      kernel.name);
  ATTNCERT_ASSERT(file);
  return std::move(*file);
}

std::vector<double> numbers_of(const TensorFile& file, const std::string& name) {
  const Tensor& tensor = *file.find(name);
  const auto stored = StoredNumbers::of(tensor, name, file.where());
  ATTNCERT_ASSERT(stored);
  std::size_t count = 1;
  for (const std::size_t extent : tensor.shape) count *= extent;
  std::vector<double> numbers(count);
  for (std::size_t n = 0; n < count; ++n) numbers[n] = (*stored)[n];
  return numbers;
}

}  // namespace attncert
