// SPDX-License-Identifier: MIT
// oneDNN 3's attention as kernels of attncert's ABI: scaled dot-product attention as its graph API writes it (scores
// = q k^T, times scale, plus a mask, softmax, times v), compiled for the CPU as one partition. It takes a head of keys
// for each of queries and one tensor that is added to the scores, into which all masks and biases are made here.
#include <attncert/attention.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_graph.hpp>
#include <stdexcept>
#include <vector>

#include "examples/without_exceptions.hpp"

namespace {

namespace graph = dnnl::graph;
using Arguments = attncert_attention_arguments;
using Logical = graph::logical_tensor;
using Type = Logical::data_type;

constexpr std::int64_t whole(std::size_t n) { return static_cast<std::int64_t>(n); }

bool has_added(const Arguments& a) {
  return (a.flags & ATTNCERT_CAUSAL) != 0 || a.window != 0 || a.window_after != 0 || a.lengths != nullptr ||
         a.mask.data != nullptr || a.bias.data != nullptr;
}

float added(const Arguments& a, std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
  const auto at = [&](const attncert_tensor& t) {
    return b * t.batch_stride + h * t.head_stride + i * t.row_stride + j;
  };
  const std::int64_t diagonal = whole(i) + a.causal_offset, key = whole(j);
  const bool kept = (a.lengths == nullptr || j < a.lengths[b]) &&
                    ((a.flags & ATTNCERT_CAUSAL) == 0 || key <= diagonal) &&
                    (a.window == 0 || key > diagonal - whole(a.window)) &&
                    (a.window_after == 0 || key < diagonal + whole(a.window_after)) &&
                    (a.mask.data == nullptr || static_cast<const unsigned char*>(a.mask.data)[at(a.mask)] != 0);
  if (!kept) return -std::numeric_limits<float>::infinity();
  return a.bias.data == nullptr ? 0 : static_cast<const float*>(a.bias.data)[at(a.bias)];
}

// To nearest, ties to even; of finite numbers and infinities.
std::uint16_t bf16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Numbers of the graph's type, dense: batch, head, row, entry.
struct Dense {
  std::vector<std::int64_t> shape;
  std::vector<char> bytes;
};

class Call {
 public:
  Call(const Arguments& a, Type type) : a_(a), type_(type), width_(type == Type::f32 ? sizeof(float) : 2) {}

  void run() {
    const auto size = [&](std::size_t rows, std::size_t entries) {
      return std::vector<std::int64_t>{whole(a_.batches), whole(a_.heads), whole(rows), whole(entries)};
    };
    Dense q = gathered(a_.q, a_.heads, a_.queries, a_.head_size),
          k = gathered(a_.k, a_.kv_heads, a_.keys, a_.head_size),
          v = gathered(a_.v, a_.kv_heads, a_.keys, a_.value_size);
    Dense scale{{1}, std::vector<char>(width_)};
    store(a_.scale, scale.bytes.data());
    Dense mask;
    std::vector<Dense*> inputs{&q, &k, &scale};
    if (has_added(a_)) {
      mask = masks();
      inputs.push_back(&mask);
    }
    inputs.push_back(&v);
    Dense o{size(a_.queries, a_.value_size),
            std::vector<char>(a_.batches * a_.heads * a_.queries * a_.value_size * width_)};
    execute(inputs, size(a_.queries, a_.keys), o);
    scatter(o);
  }

 private:
  void store(float value, char* to) const {
    const std::uint16_t narrow = bf16(value);
    std::memcpy(to, type_ == Type::f32 ? static_cast<const void*>(&value) : &narrow, width_);
  }

  // One head of keys for each of queries.
  Dense gathered(const attncert_tensor& from, std::size_t heads, std::size_t rows, std::size_t entries) const {
    Dense to{{whole(a_.batches), whole(a_.heads), whole(rows), whole(entries)}, {}};
    for (std::size_t b = 0; b < a_.batches; ++b)
      for (std::size_t h = 0; h < a_.heads; ++h)
        for (std::size_t r = 0; r < rows; ++r) {
          const std::size_t at =
              b * from.batch_stride + h / (a_.heads / heads) * from.head_stride + r * from.row_stride;
          const char* const row = static_cast<const char*>(from.data) + at * width_;
          to.bytes.insert(to.bytes.end(), row, row + entries * width_);
        }
    return to;
  }

  Dense masks() const {
    Dense to{{whole(a_.batches), whole(a_.heads), whole(a_.queries), whole(a_.keys)},
             std::vector<char>(a_.batches * a_.heads * a_.queries * a_.keys * width_)};
    char* place = to.bytes.data();
    for (std::size_t b = 0; b < a_.batches; ++b)
      for (std::size_t h = 0; h < a_.heads; ++h)
        for (std::size_t i = 0; i < a_.queries; ++i)
          for (std::size_t j = 0; j < a_.keys; ++j, place += width_) store(added(a_, b, h, i, j), place);
    return to;
  }

  void execute(const std::vector<Dense*>& inputs, const std::vector<std::int64_t>& scores, Dense& o) const {
    std::size_t id = 0;
    const auto tensor = [&](const std::vector<std::int64_t>& shape) {
      return Logical(id++, type_, shape, Logical::layout_type::strided);
    };
    std::vector<Logical> given;
    for (const Dense* const input : inputs) given.push_back(tensor(input->shape));
    graph::graph whole_graph(dnnl::engine::kind::cpu);
    Logical last = tensor(scores);
    graph::op product(0, graph::op::kind::MatMul, {given[0], given[1]}, {last}, "scores");
    product.set_attr<bool>(graph::op::attr::transpose_b, true);
    whole_graph.add_op(product);
    const auto add = [&](graph::op::kind kind, const Logical& with) {
      const Logical next = tensor(scores);
      whole_graph.add_op(graph::op(id, kind, {last, with}, {next}, "on scores"));
      last = next;
    };
    add(graph::op::kind::Multiply, given[2]);
    if (given.size() == 5) add(graph::op::kind::Add, given[3]);
    const Logical weights = tensor(scores), output = tensor(o.shape);
    graph::op softmax(100, graph::op::kind::SoftMax, {last}, {weights}, "weights");
    softmax.set_attr<std::int64_t>(graph::op::attr::axis, -1);
    whole_graph.add_op(softmax);
    whole_graph.add_op(graph::op(101, graph::op::kind::MatMul, {weights, given.back()}, {output}, "output"));
    whole_graph.finalize();
    const auto partitions = whole_graph.get_partitions();
    if (partitions.size() != 1 || !partitions[0].is_supported()) throw std::runtime_error("no fused attention");
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    const auto ports = partitions[0].get_input_ports();
    const auto compiled = partitions[0].compile(ports, {output}, engine);
    std::vector<graph::tensor> read;
    for (const Logical& port : ports) read.emplace_back(port, engine, inputs.at(port.get_id())->bytes.data());
    compiled.execute(stream, read, {graph::tensor(output, engine, o.bytes.data())});
    stream.wait();
  }

  void scatter(const Dense& o) const {
    const char* from = o.bytes.data();
    const std::size_t row = a_.value_size * width_;
    for (std::size_t b = 0; b < a_.batches; ++b)
      for (std::size_t h = 0; h < a_.heads; ++h)
        for (std::size_t i = 0; i < a_.queries; ++i, from += row)
          std::memcpy(static_cast<char*>(a_.o.data) +
                          (b * a_.o.batch_stride + h * a_.o.head_stride + i * a_.o.row_stride) * width_,
                      from, row);
  }

  const Arguments& a_;
  Type type_;
  std::size_t width_;
};

template <Type kType>
attncert_attention_status run(const Arguments* a) {
  if (a->softcap > 0 || a->sinks != nullptr || a->slopes != nullptr) return ATTNCERT_ATTENTION_DECLINED;
  try {
    Call(*a, kType).run();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) return ATTNCERT_ATTENTION_NO_RESOURCES;
    throw;
  }
  return ATTNCERT_ATTENTION_OK;
}

constexpr attncert_attention_kernel kernel(const char* name, const char* rounding, attncert_dtype dtype,
                                           decltype(attncert_attention_kernel::run) function) {
  return {ATTNCERT_ATTENTION_ABI,
          sizeof(attncert_attention_kernel),
          name,
          rounding,
          "causal,window,window-after,mask,bias,lengths,heads,batches,value-size",
          dtype,
          dtype,
          64,
          ATTNCERT_ATTENTION_NO_LSE,
          function,
          nullptr,
          dtype};
}

constexpr attncert_attention_kernel f32 = kernel("onednn-attention.f32", "f32-three-pass", ATTNCERT_F32,
                                                 without_exceptions<run<Type::f32>>),
                                    bf16_kernel = kernel("onednn-attention.bf16", "sbf16-unfused", ATTNCERT_BF16,
                                                         without_exceptions<run<Type::bf16>>);

}  // namespace

extern "C" const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  // Every call compiles a graph of its own: what caches keep of a thousand of them would be taken for a leak.
  graph::set_compiled_partition_cache_capacity(0);
  dnnl::set_primitive_cache_capacity(0);
  static const attncert_attention_kernel* const all[] = {&f32, &bf16_kernel};
  *count = sizeof all / sizeof all[0];
  return all;
}
