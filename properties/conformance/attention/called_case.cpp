#include "properties/conformance/attention/called_case.hpp"

#include <cstddef>
#include <cstring>
#include <deque>

#include "properties/dumps/host/case_arguments.hpp"
#include "src/core/assert.hpp"
#include "src/files/safetensors_text.hpp"
#include "src/files/stored_numbers.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
TensorFile outputs_of(const attncert_attention_kernel& kernel, const TensorFile& inputs) {
  std::deque<std::vector<double>> copies;  // aligned for every type, which tensors of a file are not
  const auto store = [&](const std::string&, const Tensor& tensor) -> void* {
    copies.emplace_back(tensor.bytes.size() / sizeof(double) + 1);
    std::memcpy(copies.back().data(), tensor.bytes.data(), tensor.bytes.size());
    return copies.back().data();
  };
  attncert_attention_arguments a{};
  attncert_attention_gradients g{};
  std::vector<std::size_t> lengths;
  read_case({[&](const std::string& name) { return inputs.find(name); }, inputs.settings()}, 0, store, a, g, lengths);
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
