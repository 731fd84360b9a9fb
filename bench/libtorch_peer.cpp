// The operators below at::softmax, which write to given memory: at::softmax itself would be measured with an
// allocation. ATEN_CPU_CAPABILITY chooses their instruction set, as everywhere in libtorch.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cstdint>

#include "bench/peers.hpp"

namespace attncert::bench {
namespace {

// Writes the operator's result for z, or for z and upstream g, to `out`.
using Operator = void (*)(at::Tensor& out, const at::Tensor& z, const at::Tensor& g);

template <Operator kOperation>
std::function<void()> pass(const PeerCall& call) {
  at::set_num_threads(1);  // thread CPU time sees the calling thread only
  const auto as_tensor = [&](const float* data) {
    if (data == nullptr) return at::Tensor();
    return at::from_blob(const_cast<float*>(data),  // an input: tensors know no const
                         {static_cast<std::int64_t>(call.rows), static_cast<std::int64_t>(call.length)}, at::kFloat);
  };
  return [z = as_tensor(call.input), g = as_tensor(call.upstream), out = as_tensor(call.output)]() mutable {
    const at::InferenceMode no_gradients;
    kOperation(out, z, g);
  };
}

void softmax(at::Tensor& out, const at::Tensor& z, const at::Tensor&) { at::_softmax_out(out, z, 1, false); }
void log_softmax(at::Tensor& out, const at::Tensor& z, const at::Tensor&) { at::_log_softmax_out(out, z, 1, false); }
// From the weights: the logits' place holds them, and what they are changes no time.
void softmax_vjp(at::Tensor& out, const at::Tensor& w, const at::Tensor& g) {
  at::_softmax_backward_data_out(out, g, w, 1, at::kFloat);
}
void log_softmax_vjp(at::Tensor& out, const at::Tensor& w, const at::Tensor& g) {
  at::_log_softmax_backward_data_out(out, g, w, 1, at::kFloat);
}

}  // namespace

void add_libtorch(std::vector<Peer>& list) {
  list.push_back({"libtorch", "softmax", pass<softmax>});
  list.push_back({"libtorch", "log-softmax", pass<log_softmax>});
  list.push_back({"libtorch", "softmax-vjp", pass<softmax_vjp>});
  list.push_back({"libtorch", "log-softmax-vjp", pass<log_softmax_vjp>});
}

}  // namespace attncert::bench
