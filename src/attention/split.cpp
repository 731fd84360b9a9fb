#include "src/attention/split.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "src/attention/attention.hpp"
#include "src/attention/every_head.hpp"
#include "src/attention/kv_head.hpp"
#include "src/attention/objection.hpp"
#include "src/core/position.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

template <class Number>
Number* moved(Number* data, std::size_t count) {
  return data == nullptr ? nullptr : data + count;
}

attncert_tensor moved(attncert_tensor tensor, std::size_t elements, std::size_t bytes) {
  tensor.data = moved(static_cast<char*>(tensor.data), elements * bytes);
  return tensor;
}

// One batch of the call, with as many keys as it has, which may be none.
attncert_attention_arguments of_batch(const attncert_attention_arguments& a, std::size_t bytes, std::size_t b) {
  attncert_attention_arguments one = a;
  one.batches = 1;
  one.keys = a.lengths == nullptr ? a.keys : a.lengths[b];
  one.lengths = nullptr;
  for (attncert_tensor* const tensor : {&one.q, &one.k, &one.v, &one.o})
    *tensor = moved(*tensor, b * tensor->batch_stride, bytes);
  one.bias = moved(a.bias, b * a.bias.batch_stride, sizeof(float));
  one.mask = moved(a.mask, b * a.mask.batch_stride, 1);
  one.lse = moved(a.lse, b * a.heads * a.queries);
  return one;
}

// Some of a batch's keys, attended by themselves: outputs are kept in f32.
class Part {
 public:
  Part(Part&&) = default;
  Part(const Part&) = delete;  // the call writes to its own numbers
  Part(const attncert_attention_arguments& batch, attncert_dtype dtype, std::size_t first, std::size_t count)
      : a_(batch),
        dtype_(dtype),
        o_(numbers(numbers(batch.heads, batch.queries), batch.value_size)),
        lse_(o_.size() / batch.value_size) {
    const std::size_t bytes = format(dtype).bytes;
    a_.keys = count;
    a_.causal_offset = lowered(a_.causal_offset, first);
    a_.k = moved(a_.k, first * a_.k.row_stride, bytes);
    a_.v = moved(a_.v, first * a_.v.row_stride, bytes);
    a_.bias = moved(a_.bias, first, sizeof(float));
    a_.mask = moved(a_.mask, first, 1);
    a_.sinks = nullptr;  // they join where parts are merged
    a_.o = {o_.data(), 0, batch.queries * batch.value_size, batch.value_size};
    a_.lse = lse_.data();
  }

  void attend() { status_ = attention(a_, {dtype_, dtype_, ATTNCERT_F32}); }
  attncert_attention_status status() const { return status_; }
  float lse(std::size_t row) const { return lse_[row]; }
  const float* output(std::size_t row) const { return o_.data() + row * a_.value_size; }

 private:
  attncert_attention_arguments a_;
  attncert_dtype dtype_;
  std::vector<float> o_, lse_;
  attncert_attention_status status_ = ATTNCERT_ATTENTION_OK;
};

// Outputs and LSEs of the parts become those of their batch.
class Merge {
 public:
  Merge(const attncert_attention_arguments& batch, attncert_dtype dtype, std::span<const Part> parts,
        std::span<double> output)
      : a_(batch), dtype_(dtype), parts_(parts), output_(output) {}

  void all() {
    for (std::size_t h = 0; h < a_.heads; ++h)
      for (std::size_t i = 0; i < a_.queries; ++i) merge(h, i);
  }

 private:
  // In double, part by part: lse = M + ln sum e^(lse_s - M), o = sum e^(lse_s - lse) o_s.
  void merge(std::size_t h, std::size_t i) {
    const std::size_t row = h * a_.queries + i;
    double largest = a_.sinks == nullptr ? -infinity : static_cast<double>(a_.sinks[h]);
    bool number = true;
    for (const Part& part : parts_) {
      largest = std::max(largest, static_cast<double>(part.lse(row)));
      number = number && !std::isnan(part.lse(row));
    }
    const double pivot = largest == -infinity ? 0 : number ? largest : std::numeric_limits<double>::quiet_NaN();
    double sum = a_.sinks == nullptr ? 0 : std::exp(static_cast<double>(a_.sinks[h]) - pivot);
    std::fill(output_.begin(), output_.end(), 0.0);
    for (const Part& part : parts_) {
      const double weight = std::exp(static_cast<double>(part.lse(row)) - pivot);
      if (weight == 0) continue;  // the row keeps none of its keys
      sum += weight;
      for (std::size_t c = 0; c < a_.value_size; ++c) output_[c] += weight * static_cast<double>(part.output(row)[c]);
    }
    const std::size_t at = offset_of(a_.o, 0, h, i);
    for (std::size_t c = 0; c < a_.value_size; ++c)
      store_element(dtype_, a_.o.data, at + c, sum == 0 ? 0 : output_[c] / sum);
    if (a_.lse != nullptr) a_.lse[row] = static_cast<float>(sum == 0 ? -infinity : pivot + std::log(sum));
  }

  const attncert_attention_arguments& a_;
  attncert_dtype dtype_;
  std::span<const Part> parts_;
  std::span<double> output_;
};

struct Batch {
  Batch(const attncert_attention_arguments& of, std::size_t from) : call(of), first(from) {}
  attncert_attention_arguments call;
  std::size_t first, end = 0;  // its parts among all
};

// Part n is the thread n modulo `threads`'s.
void attend(std::vector<Part>& parts, std::size_t threads) {
  const auto work = [&](std::size_t first) {
    for (std::size_t n = first; n < parts.size(); n += threads) parts[n].attend();
  };
  std::vector<std::jthread> others;
  for (std::size_t n = 1; n < std::min(threads, parts.size()); ++n) others.emplace_back(work, n);
  work(0);
}

}  // namespace

attncert_attention_status split_attention(const attncert_attention_arguments& arguments, attncert_dtype dtype,
                                          std::size_t parts, std::size_t threads) try {
  if (!objection(arguments).empty() || parts == 0 || threads == 0) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  attncert_attention_status status = ATTNCERT_ATTENTION_OK;
  const attncert_attention_status memory = where_memory_is([&] {
    numbers(longest(arguments), 1);  // no part is made of keys that memory has no place for
    std::vector<Batch> batches;
    std::vector<Part> calls;
    for (std::size_t b = 0; b < arguments.batches; ++b) {
      const auto& one = batches.emplace_back(of_batch(arguments, format(dtype).bytes, b), calls.size()).call;
      const std::size_t each = one.keys / parts + (one.keys % parts == 0 ? 0 : 1);
      for (std::size_t first = 0; first < one.keys; first += std::min(each, one.keys - first))
        calls.emplace_back(one, dtype, first, std::min(each, one.keys - first));
      batches.back().end = calls.size();
    }
    std::vector<double> output(arguments.value_size);
    attend(calls, threads);
    for (const Part& call : calls)
      if (call.status() != ATTNCERT_ATTENTION_OK) status = call.status();
    if (status != ATTNCERT_ATTENTION_OK) return;
    for (const Batch& batch : batches)
      Merge(batch.call, dtype, std::span(calls).subspan(batch.first, batch.end - batch.first), output).all();
  });
  return memory == ATTNCERT_ATTENTION_OK ? status : memory;
} catch (const std::system_error&) {  // no thread is to be had
  return ATTNCERT_ATTENTION_NO_RESOURCES;
}

}  // namespace attncert
