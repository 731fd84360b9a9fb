#include "src/attention/split.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#include "src/attention/attention.hpp"
#include "src/attention/every_head.hpp"
#include "src/attention/kv_head.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// The call of some of the keys, whose outputs are kept in f32.
class Part {
 public:
  Part(Part&&) = default;
  Part(const Part&) = delete;  // the call writes to its own numbers
  Part(const attncert_attention_arguments& whole, attncert_dtype dtype, std::size_t first, std::size_t count)
      : a_(whole),
        dtype_(dtype),
        o_(numbers(numbers(numbers(whole.batches, whole.heads), whole.queries), whole.value_size)),
        lse_(o_.size() / whole.value_size) {
    a_.keys = count;
    a_.causal_offset = std::clamp(a_.causal_offset, -farthest, farthest) - static_cast<std::int64_t>(first);
    const auto move = [&](attncert_tensor& tensor, std::size_t bytes) {
      if (tensor.data != nullptr) tensor.data = static_cast<char*>(tensor.data) + bytes;
    };
    move(a_.k, first * a_.k.row_stride * format(dtype).bytes);
    move(a_.v, first * a_.v.row_stride * format(dtype).bytes);
    move(a_.bias, first * sizeof(float));
    move(a_.mask, first);
    if (whole.lengths != nullptr) {
      for (std::size_t b = 0; b < whole.batches; ++b)
        lengths_.push_back(whole.lengths[b] - std::min(whole.lengths[b], first));
      for (std::size_t& length : lengths_) length = std::min(length, count);
      a_.lengths = lengths_.data();
    }
    a_.sinks = nullptr;  // they join where parts are merged
    a_.o = {o_.data(), whole.heads * whole.queries * whole.value_size, whole.queries * whole.value_size,
            whole.value_size};
    a_.lse = lse_.data();
  }

  void attend() { status_ = attention(a_, dtype_, ATTNCERT_F32); }
  attncert_attention_status status() const { return status_; }
  float lse(std::size_t row) const { return lse_[row]; }
  const float* output(std::size_t row) const { return o_.data() + row * a_.value_size; }

 private:
  attncert_attention_arguments a_;
  attncert_dtype dtype_;
  std::vector<float> o_, lse_;
  std::vector<std::size_t> lengths_;
  attncert_attention_status status_ = ATTNCERT_ATTENTION_OK;
};

// Outputs and LSEs of the parts become those of the call.
class Merge {
 public:
  Merge(const attncert_attention_arguments& arguments, attncert_dtype dtype, const std::vector<Part>& parts)
      : a_(arguments), dtype_(dtype), parts_(parts), output_(a_.value_size) {}

  void all() {
    for (std::size_t b = 0; b < a_.batches; ++b)
      for (std::size_t h = 0; h < a_.heads; ++h)
        for (std::size_t i = 0; i < a_.queries; ++i) merge(b, h, i);
  }

 private:
  // In double, part by part: lse = M + ln sum e^(lse_s - M), o = sum e^(lse_s - lse) o_s.
  void merge(std::size_t b, std::size_t h, std::size_t i) {
    const std::size_t row = (b * a_.heads + h) * a_.queries + i;
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
      if (weight == 0) continue;  // a part without a key
      sum += weight;
      for (std::size_t c = 0; c < a_.value_size; ++c) output_[c] += weight * static_cast<double>(part.output(row)[c]);
    }
    const std::size_t at = offset_of(a_.o, b, h, i);
    for (std::size_t c = 0; c < a_.value_size; ++c)
      store_element(dtype_, a_.o.data, at + c, sum == 0 ? 0 : output_[c] / sum);
    if (a_.lse != nullptr) a_.lse[row] = static_cast<float>(sum == 0 ? -infinity : pivot + std::log(sum));
  }

  const attncert_attention_arguments& a_;
  attncert_dtype dtype_;
  const std::vector<Part>& parts_;
  std::vector<double> output_;
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
  if (!is_valid(arguments) || parts == 0 || threads == 0) return ATTNCERT_ATTENTION_BAD_ARGUMENT;
  attncert_attention_status status = ATTNCERT_ATTENTION_OK;
  const attncert_attention_status memory = where_memory_is([&] {
    const std::size_t each = (arguments.keys - 1) / parts + 1, end = std::max<std::size_t>(1, longest(arguments));
    std::vector<Part> calls;
    for (std::size_t first = 0; first < end; first += std::min(each, end - first))
      calls.emplace_back(arguments, dtype, first, std::min(each, end - first));
    attend(calls, threads);
    for (const Part& call : calls)
      if (call.status() != ATTNCERT_ATTENTION_OK) status = call.status();
    if (status == ATTNCERT_ATTENTION_OK) Merge(arguments, dtype, calls).all();
  });
  return memory == ATTNCERT_ATTENTION_OK ? status : memory;
} catch (const std::system_error&) {  // no thread is to be had
  return ATTNCERT_ATTENTION_NO_RESOURCES;
}

}  // namespace attncert
