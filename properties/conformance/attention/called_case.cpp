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
namespace {

// What a kernel writes, rows one after another.
class Outputs {
 public:
  attncert_tensor add(const std::string& name, std::vector<std::size_t> shape, attncert_dtype dtype) {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    made_.push_back({name, shape, dtype, std::vector<double>(count * format(dtype).bytes / sizeof(double) + 1)});
    void* const data = made_.back().bytes.data();
    if (shape.size() < 4) return {data, 0, 0, 0};
    return {data, shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3]};
  }

  TensorFile file(const std::string& name) const {
    std::map<std::string, TensorToWrite> tensors;
    for (const Made& made : made_) {
      std::size_t count = 1;
      for (const std::size_t extent : made.shape) count *= extent;
      std::vector<double> numbers(count);
      load_elements(made.dtype, made.bytes.data(), 0, numbers);
      tensors[made.name] = {made.shape, numbers, std::string(stored_as(made.dtype))};
    }
    auto file = TensorFile::of_safetensors(safetensors_text(tensors, {}), name);
    ATTNCERT_ASSERT(file);
    return std::move(*file);
  }

 private:
  struct Made {
    std::string name;
    std::vector<std::size_t> shape;
    attncert_dtype dtype;
    std::vector<double> bytes;  // aligned for every type
  };
  std::vector<Made> made_;
};

}  // namespace

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
  read_case({[&](const std::string& name) { return inputs.find(name); }, inputs.settings()}, {}, store, a, g, lengths);
  Outputs outputs;
  a.o = outputs.add("o", {a.batches, a.heads, a.queries, a.value_size}, kernel.dtype_out);
  a.lse = static_cast<float*>(outputs.add("lse", {a.batches, a.heads, a.queries}, ATTNCERT_F32).data);
  const attncert_attention_status status = kernel.run(&a);
  ATTNCERT_ASSERT(status == ATTNCERT_ATTENTION_OK);
  if (g.d_o.data == nullptr || kernel.run_backward == nullptr) return outputs.file(kernel.name);
  g.dq = outputs.add("dq", {a.batches, a.heads, a.queries, a.head_size}, kernel.dtype);
  const attncert_dtype of_kv = dtype_kv(kernel);
  g.dk = outputs.add("dk", {a.batches, a.kv_heads, a.keys, a.head_size}, of_kv);
  g.dv = outputs.add("dv", {a.batches, a.kv_heads, a.keys, a.value_size}, of_kv);
  if (a.sinks != nullptr) g.dsinks = static_cast<float*>(outputs.add("dsinks", {a.heads}, ATTNCERT_F32).data);
  const attncert_attention_status backward = kernel.run_backward(&a, &g);
  ATTNCERT_ASSERT(backward == ATTNCERT_ATTENTION_OK);
  return outputs.file(kernel.name);
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
