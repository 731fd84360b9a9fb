// The operators below at::softmax, which write to given memory: at::softmax itself would be measured with an
// allocation.
#include "bench/libtorch_peer.hpp"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cstdint>
#include <cstdlib>

namespace attncert::bench {
namespace {

using Operator = void (*)(at::Tensor& out, const at::Tensor& z);

std::function<void()> peer(Operator operation, float* input, float* output, std::size_t rows, std::size_t length) {
  at::set_num_threads(1);  // thread CPU time sees the calling thread only
  const auto as_tensor = [&](float* data) {
    return at::from_blob(data, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(length)}, at::kFloat);
  };
  at::Tensor source = as_tensor(input), target = as_tensor(output);
  return [operation, source, target]() mutable {
    const at::InferenceMode no_gradients;
    operation(target, source);
  };
}

}  // namespace

std::function<void()> libtorch_softmax(float* input, float* output, std::size_t rows, std::size_t length) {
  return peer([](at::Tensor& out, const at::Tensor& z) { at::_softmax_out(out, z, 1, false); }, input, output, rows,
              length);
}

std::function<void()> libtorch_log_softmax(float* input, float* output, std::size_t rows, std::size_t length) {
  return peer([](at::Tensor& out, const at::Tensor& z) { at::_log_softmax_out(out, z, 1, false); }, input, output, rows,
              length);
}

std::string libtorch_note() {
  const char* chosen = std::getenv("ATEN_CPU_CAPABILITY");
  return std::string("ATEN_CPU_CAPABILITY ") + (chosen == nullptr ? "not set: what it finds best" : chosen);
}

}  // namespace attncert::bench
