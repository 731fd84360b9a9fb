#include "properties/dumps/host/called_case.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "properties/conformance/external/host/guarded_buffer.hpp"
#include "properties/dumps/host/case_arguments.hpp"
#include "properties/dumps/host/loaded_kernels.hpp"
#include "src/files/safetensors.hpp"
#include "src/files/safetensors_text.hpp"
#include "src/files/stored_numbers.hpp"

namespace attncert::attention_host {
namespace {

using external::Buffer;
using external::GuardedBuffer;
using external::Side;

constexpr std::size_t gap = 3;             // elements between rows that are apart: no vector is aligned there
constexpr unsigned char unwritten = 0xff;  // NaN in every format
constexpr unsigned char ordinary = 0x3f;   // a number of ordinary size in every format: 0.75 in f32 and bf16

// What keys and values hold that no row keeps.
enum class Removed { as_it_is, other };

class PlacedCase {
 public:
  PlacedCase(const attncert_attention_kernel& kernel, const Safetensors& file,
             const std::map<std::string, std::string>& settings, bool apart, Removed removed)
      : kernel_(kernel),
        file_(file),
        settings_(settings),
        removed_(removed),
        side_(apart ? Side::front : Side::back),
        gap_(apart ? gap : 0) {}

  Result<Done> place() {
    for (const char* name : {"q", "k", "v"}) {
      const Tensor* tensor = file_.find(name);
      if (tensor == nullptr || tensor->shape.size() != 4 || tensor->dtype != stored_as(kernel_.dtype))
        return Error{file_.where() + ": lacks " + name + " of four axes and type " +
                     std::string(stored_as(kernel_.dtype)) + "; attncert cases writes what a kernel is given"};
    }
    read_case(
        {[&](const std::string& name) { return file_.find(name); }, settings_}, gap_,
        [&](const std::string& name, const Tensor& tensor) { return stored(name, tensor); }, a_, lengths_);
    return Done{};
  }

  bool has_removed_keys() const { return has_removed_keys_; }

  // Outputs are made anew for each call.
  attncert_attention_status call() {
    const std::size_t row = a_.value_size + gap_, rows = a_.batches * a_.heads * a_.queries;
    o_ = std::make_unique<GuardedBuffer>(Buffer::none, rows * row * each_out(), 64, side_);
    lse_ = std::make_unique<GuardedBuffer>(Buffer::none, rows * sizeof(float), alignof(float), side_);
    for (GuardedBuffer* buffer : {o_.get(), lse_.get()}) std::memset(buffer->data(), unwritten, buffer->bytes().size());
    a_.o = {o_->data(), a_.heads * a_.queries * row, a_.queries * row, row};
    a_.lse = reinterpret_cast<float*>(lse_->data());
    return kernel_.run(&a_);
  }

  std::string misconduct() const {
    if (o_->changed_margin() != 0) return "wrote outside o";
    if (lse_->changed_margin() != 0) return "wrote outside lse";
    const auto bytes = o_->bytes();
    const std::size_t row = (a_.value_size + gap_) * each_out(), used = a_.value_size * each_out();
    for (std::size_t n = 0; n < bytes.size(); ++n)
      if ((n / row >= a_.batches * a_.heads * a_.queries || n % row >= used) && bytes[n] != std::byte{unwritten})
        return "wrote between or behind the rows of o";
    return "";
  }

  // o and lse as they were written, rows together.
  std::pair<std::string, std::string> written() const {
    std::string o, lse(reinterpret_cast<const char*>(lse_->bytes().data()), lse_->bytes().size());
    const std::size_t row = (a_.value_size + gap_) * each_out(), used = a_.value_size * each_out();
    for (std::size_t r = 0; r < a_.batches * a_.heads * a_.queries; ++r)
      o.append(reinterpret_cast<const char*>(o_->bytes().data()) + r * row, used);
    return {o, lse};
  }

  std::string file_of(const std::pair<std::string, std::string>& outputs) const {
    const std::string dtype(stored_as(kernel_.dtype_out));
    return safetensors_text(
        {{"o", {{a_.batches, a_.heads, a_.queries, a_.value_size}, numbers(outputs.first, dtype), dtype}},
         {"lse", {{a_.batches, a_.heads, a_.queries}, numbers(outputs.second, "F32"), "F32"}}},
        {});
  }

  // The same numbers, any NaN the same as any other and -0 the same as 0: a weight of 0 times a removed value is a
  // zero with the value's sign, which a sum of zeros may keep. Rows that no verdict speaks of may hold anything.
  bool same_where_judged(const std::pair<std::string, std::string>& first,
                         const std::pair<std::string, std::string>& second) const {
    const std::string dtype(stored_as(kernel_.dtype_out));
    const std::vector<double> o = numbers(first.first, dtype), other_o = numbers(second.first, dtype);
    const std::vector<double> lse = numbers(first.second, "F32"), other_lse = numbers(second.second, "F32");
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    for (std::size_t r = 0; r < lse.size(); ++r) {
      if (is_empty(r)) continue;
      if (!same(lse[r], other_lse[r])) return false;
      for (std::size_t n = r * a_.value_size; n < (r + 1) * a_.value_size; ++n)
        if (!same(o[n], other_o[n])) return false;
    }
    return true;
  }

 private:
  std::size_t each_out() const { return kernel_.dtype_out == ATTNCERT_F32 ? 4 : 2; }

  static std::vector<double> numbers(const std::string& bytes, const std::string& type) {
    const std::size_t count = bytes.size() / (type == "F32" ? 4 : 2);
    const Tensor tensor{type, {count}, bytes};
    const auto stored = StoredNumbers::of(tensor, "", "");
    std::vector<double> result(count);
    for (std::size_t n = 0; n < count; ++n) result[n] = (*stored)[n];
    return result;
  }

  // As attention.h says.
  bool keeps(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    const std::int64_t diagonal = static_cast<std::int64_t>(i) + a_.causal_offset, key = static_cast<std::int64_t>(j);
    if (a_.lengths != nullptr && j >= a_.lengths[b]) return false;
    if ((a_.flags & ATTNCERT_CAUSAL) != 0 && key > diagonal) return false;
    if (a_.window != 0 && key <= diagonal - static_cast<std::int64_t>(a_.window)) return false;
    const attncert_tensor& m = a_.mask;
    return m.data == nullptr || static_cast<const unsigned char*>(
                                    m.data)[b * m.batch_stride + h * m.head_stride + i * m.row_stride + j] != 0;
  }

  bool no_row_keeps(std::size_t b, std::size_t kv_head, std::size_t j) const {
    const std::size_t group = a_.heads / a_.kv_heads;
    for (std::size_t h = kv_head * group; h < (kv_head + 1) * group; ++h)
      for (std::size_t i = 0; i < a_.queries; ++i)
        if (keeps(b, h, i, j)) return false;
    return true;
  }

  // Neither a key nor a sink: what such a row holds is a matter of contract, and judged by nobody.
  bool is_empty(std::size_t r) const {
    const std::size_t b = r / (a_.heads * a_.queries), h = r / a_.queries % a_.heads, i = r % a_.queries;
    if (a_.sinks != nullptr && a_.sinks[h] != -std::numeric_limits<float>::infinity()) return false;
    const attncert_tensor& bias = a_.bias;
    const float* const added = bias.data == nullptr ? nullptr
                                                    : static_cast<const float*>(bias.data) + b * bias.batch_stride +
                                                          h * bias.head_stride + i * bias.row_stride;
    for (std::size_t j = 0; j < a_.keys; ++j)
      if (keeps(b, h, i, j) && (added == nullptr || added[j] != -std::numeric_limits<float>::infinity())) return false;
    return true;
  }

  // Read-only.
  void* stored(const std::string& name, const Tensor& tensor) {
    const auto& shape = tensor.shape;
    const bool in_rows = shape.size() == 4;
    const std::size_t rows = in_rows ? shape[0] * shape[1] * shape[2] : 1, row = in_rows ? shape[3] : shape[0];
    const std::size_t each = tensor.bytes.size() / (rows * row), apart = in_rows ? row + gap_ : row;
    inputs_.push_back(
        std::make_unique<GuardedBuffer>(Buffer::none, rows * apart * each, in_rows ? 64 : alignof(float), side_));
    std::memset(inputs_.back()->data(), unwritten, rows * apart * each);
    for (std::size_t r = 0; r < rows; ++r) {
      std::byte* const to = inputs_.back()->data() + r * apart * each;
      const bool removed = (name == "k" || name == "v") &&
                           no_row_keeps(r / (a_.kv_heads * a_.keys), r / a_.keys % a_.kv_heads, r % a_.keys);
      has_removed_keys_ = has_removed_keys_ || removed;
      if (removed && removed_ == Removed::other) std::memset(to, ordinary, row * each);
      else std::memcpy(to, tensor.bytes.data() + r * row * each, row * each);
    }
    inputs_.back()->make_read_only();
    return inputs_.back()->data();
  }

  const attncert_attention_kernel& kernel_;
  const Safetensors& file_;
  const std::map<std::string, std::string>& settings_;
  Removed removed_;
  bool has_removed_keys_ = false;
  Side side_;
  std::size_t gap_;
  attncert_attention_arguments a_{};
  std::vector<std::unique_ptr<GuardedBuffer>> inputs_;
  std::vector<std::size_t> lengths_;
  std::unique_ptr<GuardedBuffer> o_, lse_;
};

// What a further call with other numbers in removed keys shows: misconduct, or a status or outputs that depend on them.
void call_again(PlacedCase& changed, const std::pair<std::string, std::string>& first, Called& result) {
  if (!changed.has_removed_keys()) return;
  const attncert_attention_status status = changed.call();
  result.misconduct = changed.misconduct();
  if (!result.misconduct.empty()) result.misconduct += ", with other numbers in keys that no row keeps";
  else if (status != ATTNCERT_ATTENTION_OK)
    result.removed = "other numbers in keys that no row keeps change the status to " + std::to_string(status);
  else if (!changed.same_where_judged(first, changed.written()))
    result.removed = "other numbers in keys that no row keeps change the outputs";
}

}  // namespace

Result<Called> called(const attncert_attention_kernel& kernel, const std::filesystem::path& path, bool apart) {
  const auto file = Safetensors::open(path);
  if (!file) return file.error();
  const auto settings = metadata_of(file->text(), file->where());
  if (!settings) return settings.error();
  PlacedCase placed(kernel, *file, *settings, apart, Removed::as_it_is),
      changed(kernel, *file, *settings, apart, Removed::other);
  for (PlacedCase* each : {&placed, &changed})
    if (const auto done = each->place(); !done) return done.error();
  Called result{placed.call(), placed.misconduct(), "", ""};
  const auto first = placed.written();
  if (result.status != ATTNCERT_ATTENTION_OK) {
    const bool touched =
        (first.first + first.second).find_first_not_of(static_cast<char>(unwritten)) != std::string::npos;
    if (touched) result.misconduct = "wrote into o or lse, and did not return ATTNCERT_ATTENTION_OK";
    return result;
  }
  result.outputs = placed.file_of(first);
  if (!result.misconduct.empty() || (kernel.flags & ATTNCERT_ATTENTION_VARIES) != 0) return result;
  if (placed.call() != ATTNCERT_ATTENTION_OK || placed.written() != first)
    result.misconduct = "two calls with the same arguments differ; ATTNCERT_ATTENTION_VARIES declares that";
  else call_again(changed, first, result);
  return result;
}

}  // namespace attncert::attention_host
