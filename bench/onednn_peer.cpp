#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

#include "bench/peers.hpp"

namespace attncert::bench {
namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  omp_set_num_threads(1);  // thread CPU time sees the calling thread only
  return cpu;
}

memory::desc layout(const PeerCall& call) {
  return {{static_cast<memory::dim>(call.rows), static_cast<memory::dim>(call.length)},
          memory::data_type::f32,
          memory::format_tag::ab};
}

memory wrapped(const PeerCall& call, const float* data) {
  return {layout(call), engine(), const_cast<float*>(data)};  // an input: oneDNN's handles know no const
}

template <class Primitive, class... Arguments>
std::function<void()> pass(const Primitive& primitive, const Arguments&... arguments) {
  static dnnl::stream stream(engine());
  return [primitive, bound = std::unordered_map<int, memory>{arguments...}] {
    primitive.execute(stream, bound);
    stream.wait();
  };
}

template <class Forward>
typename Forward::primitive_desc forward_of(const PeerCall& call, dnnl::prop_kind kind) {
  return {typename Forward::desc(kind, layout(call), 1), engine()};
}

template <class Forward>
std::function<void()> forward(const PeerCall& call) {
  const Forward primitive(forward_of<Forward>(call, dnnl::prop_kind::forward_inference));
  return pass(primitive, std::pair{DNNL_ARG_SRC, wrapped(call, call.input)},
              std::pair{DNNL_ARG_DST, wrapped(call, call.output)});
}

// oneDNN differentiates from the weights: the logits' place holds them, and what they are changes no time.
template <class Forward, class Backward>
std::function<void()> backward(const PeerCall& call) {
  const typename Backward::primitive_desc description(typename Backward::desc(layout(call), layout(call), 1), engine(),
                                                      forward_of<Forward>(call, dnnl::prop_kind::forward_training));
  return pass(Backward(description), std::pair{DNNL_ARG_DST, wrapped(call, call.input)},
              std::pair{DNNL_ARG_DIFF_DST, wrapped(call, call.upstream)},
              std::pair{DNNL_ARG_DIFF_SRC, wrapped(call, call.output)});
}

}  // namespace

void add_onednn(std::vector<Peer>& list) {
  list.push_back({"oneDNN", "softmax", forward<dnnl::softmax_forward>});
  list.push_back({"oneDNN", "log-softmax", forward<dnnl::logsoftmax_forward>});
  list.push_back({"oneDNN", "softmax-vjp", backward<dnnl::softmax_forward, dnnl::softmax_backward>});
  list.push_back({"oneDNN", "log-softmax-vjp", backward<dnnl::logsoftmax_forward, dnnl::logsoftmax_backward>});
}

}  // namespace attncert::bench
