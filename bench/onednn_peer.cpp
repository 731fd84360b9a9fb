#include "bench/onednn_peer.hpp"

#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

namespace attncert::bench {
namespace {

template <class Primitive>
std::function<void()> peer(float* input, float* output, std::size_t rows, std::size_t length) {
  using dnnl::memory;
  omp_set_num_threads(1);  // thread CPU time sees the calling thread only
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  static dnnl::stream stream(engine);
  const memory::desc layout({static_cast<memory::dim>(rows), static_cast<memory::dim>(length)}, memory::data_type::f32,
                            memory::format_tag::ab);
  const typename Primitive::desc description(dnnl::prop_kind::forward_inference, layout, 1);
  const Primitive primitive(typename Primitive::primitive_desc(description, engine));
  const memory source(layout, engine, input), target(layout, engine, output);
  return [primitive, source, target] {
    primitive.execute(stream, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, target}});
    stream.wait();
  };
}

}  // namespace

std::function<void()> onednn_softmax(float* input, float* output, std::size_t rows, std::size_t length) {
  return peer<dnnl::softmax_forward>(input, output, rows, length);
}

std::function<void()> onednn_log_softmax(float* input, float* output, std::size_t rows, std::size_t length) {
  return peer<dnnl::logsoftmax_forward>(input, output, rows, length);
}

}  // namespace attncert::bench
