#include "properties/dumps/host/placed_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "properties/dumps/host/case_arguments.hpp"
#include "properties/dumps/host/loaded_kernels.hpp"
#include "src/core/assert.hpp"
#include "src/files/safetensors_text.hpp"
#include "src/files/stored_numbers.hpp"

namespace attncert::attention_host {
namespace {

using external::Buffer;
using external::GuardedBuffer;
using external::Side;

std::vector<double> numbers(const std::string& bytes, attncert_dtype dtype) {
  const std::size_t count = bytes.size() / bytes_of(dtype);
  const Tensor tensor{std::string(stored_as(dtype)), {count}, bytes};
  const auto stored = StoredNumbers::of(tensor, "", "");
  std::vector<double> result(count);
  for (std::size_t n = 0; n < count; ++n) result[n] = (*stored)[n];
  return result;
}

}  // namespace

PlacedCase::PlacedCase(const attncert_attention_kernel& kernel, const Safetensors& file,
                       const std::map<std::string, std::string>& settings, const Placement& placement,
                       Contents contents)
    : kernel_(kernel),
      file_(file),
      settings_(settings),
      contents_(contents),
      side_(placement.gap > 0 ? Side::front : Side::back),
      placement_(placement) {}

Result<Done> PlacedCase::place() {
  for (const auto& [name, dtype] :
       {std::pair{"q", kernel_.dtype}, {"k", dtype_kv(kernel_)}, {"v", dtype_kv(kernel_)}}) {
    const Tensor* tensor = file_.find(name);
    if (tensor == nullptr || tensor->shape.size() != 4 || tensor->dtype != stored_as(dtype))
      return Error{file_.where() + ": lacks " + name + " of four axes and type " + std::string(stored_as(dtype)) +
                   "; attncert cases writes what a kernel is given"};
  }
  read_case(
      {[&](const std::string& name) { return file_.find(name); }, settings_}, placement_,
      [&](const std::string& name, const Tensor& tensor) { return stored(name, tensor); }, a_, g_, lengths_);
  return Done{};
}

PlacedCase::Output& PlacedCase::add_output(const std::string& name, std::vector<std::size_t> shape,
                                           attncert_dtype dtype) {
  const TensorLayout layout = TensorLayout::of(shape, placement_);
  Output made{name, std::move(shape), dtype, nullptr, false, layout};
  const std::size_t bytes = layout.elements() * bytes_of(dtype);
  made.buffer =
      std::make_unique<GuardedBuffer>(Buffer::none, bytes, made.shape.size() == 4 ? 64 : alignof(float), side_);
  std::memset(made.buffer->data(), poison_, bytes);
  outputs_.push_back(std::move(made));
  return outputs_.back();
}

attncert_tensor PlacedCase::tensor_output(const std::string& name, std::vector<std::size_t> shape,
                                          attncert_dtype dtype) {
  const Output& made = add_output(name, std::move(shape), dtype);
  return {made.buffer->data(), made.layout.batch_stride(), made.layout.head_stride(), made.layout.row_stride()};
}

attncert_attention_status PlacedCase::forward() {
  const attncert_attention_status status = kernel_.run(&a_);
  for (Output& output : outputs_) output.done = status == ATTNCERT_ATTENTION_OK;
  return status;
}

attncert_attention_status PlacedCase::call_without_lse() {
  outputs_.clear();
  a_.o = tensor_output("o", {a_.batches, a_.heads, a_.queries, a_.value_size}, kernel_.dtype_out);
  a_.lse = nullptr;
  return forward();
}

attncert_attention_status PlacedCase::call(unsigned char poison) {
  poison_ = poison;
  outputs_.clear();
  a_.o = tensor_output("o", {a_.batches, a_.heads, a_.queries, a_.value_size}, kernel_.dtype_out);
  if ((kernel_.flags & ATTNCERT_ATTENTION_NO_LSE) == 0) {
    Output& lse = add_output("lse", {a_.batches, a_.heads, a_.queries}, ATTNCERT_F32);
    a_.lse = reinterpret_cast<float*>(lse.buffer->data());
  }
  const attncert_attention_status status = forward();
  if (status != ATTNCERT_ATTENTION_OK || g_.d_o.data == nullptr || kernel_.run_backward == nullptr) return status;
  for (Output& output : outputs_) output.buffer->make_read_only();
  g_.dq = tensor_output("dq", {a_.batches, a_.heads, a_.queries, a_.head_size}, kernel_.dtype);
  g_.dk = tensor_output("dk", {a_.batches, a_.kv_heads, a_.keys, a_.head_size}, dtype_kv(kernel_));
  g_.dv = tensor_output("dv", {a_.batches, a_.kv_heads, a_.keys, a_.value_size}, dtype_kv(kernel_));
  g_.dsinks = nullptr;
  if (a_.sinks != nullptr)
    g_.dsinks = reinterpret_cast<float*>(add_output("dsinks", {a_.heads}, ATTNCERT_F32).buffer->data());
  const attncert_attention_status backward = kernel_.run_backward(&a_, &g_);
  for (Output& output : outputs_) output.done = output.done || backward == ATTNCERT_ATTENTION_OK;
  return backward;
}

std::string PlacedCase::misconduct() const {
  for (const Output& output : outputs_)
    if (output.buffer->changed_margin() != 0) return "wrote outside " + output.name;
  for (const Output& output : outputs_) {
    const auto bytes = output.buffer->bytes();
    const std::size_t width = bytes_of(output.dtype);
    std::size_t begin = 0;  // of what lies before the next row
    const auto touched = [&](std::size_t end) {
      return std::ranges::any_of(bytes.subspan(begin, end - begin),
                                 [&](std::byte byte) { return byte != std::byte{poison_}; });
    };
    for (std::size_t r = 0; r <= output.layout.row_count(); ++r) {
      const std::size_t at = r < output.layout.row_count() ? output.layout.of_nth(r) * width : bytes.size();
      if (touched(at)) return "wrote between or behind the rows of " + output.name;
      begin = at + output.layout.size * width;
    }
  }
  return "";
}

bool PlacedCase::touched() const {
  return std::ranges::any_of(outputs_, [&](const Output& output) {
    const auto written = [&](std::byte byte) { return byte != std::byte{poison_}; };
    return !output.done && std::ranges::any_of(output.buffer->bytes(), written);
  });
}

bool PlacedCase::has_forward() const { return !outputs_.empty() && outputs_[0].done; }

PlacedCase::Outputs PlacedCase::written() const {
  Outputs result;
  for (const Output& output : outputs_) {
    if (!output.done) continue;
    const auto* const bytes = reinterpret_cast<const char*>(output.buffer->bytes().data());
    const std::size_t width = bytes_of(output.dtype);
    for (std::size_t r = 0; r < output.layout.row_count(); ++r)
      result[output.name].append(bytes + output.layout.of_row(r) * width, output.layout.size * width);
  }
  return result;
}

std::string PlacedCase::left_unwritten(const Outputs& with_other, unsigned char other) const {
  for (const auto& [name, now] : written()) {
    const Output& made = output(name);
    const auto found = with_other.find(name);
    if (found == with_other.end()) continue;
    const std::string& before = found->second;
    const std::size_t width = bytes_of(made.dtype);
    const bool of_queries = name == "o" || name == "lse" || name == "dq";
    for (std::size_t at = 0; at < now.size(); at += width)
      if (now.compare(at, width, std::string(width, static_cast<char>(poison_))) == 0 &&
          before.compare(at, width, std::string(width, static_cast<char>(other))) == 0 &&
          !(of_queries && is_empty(at / width / made.row())))
        return name;
  }
  return "";
}

const PlacedCase::Output& PlacedCase::output(const std::string& name) const {
  const auto found = std::ranges::find(outputs_, name, &Output::name);
  ATTNCERT_ASSERT(found != outputs_.end());
  return *found;
}

std::string PlacedCase::file_of(const Outputs& outputs) const {
  std::map<std::string, TensorToWrite> tensors;
  for (const auto& [name, bytes] : outputs) {
    const Output& made = output(name);
    tensors[name] = {made.shape, numbers(bytes, made.dtype), std::string(stored_as(made.dtype))};
  }
  return safetensors_text(tensors, {});
}

bool PlacedCase::same_where_judged(const Outputs& first, const Outputs& second) const {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return std::ranges::all_of(first, [&](const auto& one) {
    const Output& made = output(one.first);
    const auto a = numbers(one.second, made.dtype), b = numbers(second.at(one.first), made.dtype);
    const bool of_queries = one.first == "o" || one.first == "lse" || one.first == "dq";
    for (std::size_t n = 0; n < a.size(); ++n)
      if (!same(a[n], b[n]) && !(of_queries && is_empty(n / made.row()))) return false;
    return true;
  });
}

bool PlacedCase::same_of(const PartOfCase& part, const Outputs& whole) {
  const attncert_attention_arguments arguments = a_;
  const attncert_attention_gradients gradients = g_;
  restrict_to(part, kernel_, a_, g_);
  bool same = true;
  if (call() == ATTNCERT_ATTENTION_OK) {
    Outputs got = written(), expected;
    got.erase("dsinks");  // a sum over batches
    for (const auto& [name, bytes] : got) {
      const bool of_keys = name == "dk" || name == "dv";
      const std::size_t heads = of_keys ? arguments.kv_heads : arguments.heads,
                        rows = of_keys ? arguments.keys : arguments.queries,
                        row = whole.at(name).size() / (arguments.batches * heads * rows);
      for (const std::size_t r : rows_of(part, arguments, heads, rows))
        expected[name] += whole.at(name).substr(r * row, row);
    }
    same = same_where_judged(expected, got);
  }
  a_ = arguments, g_ = gradients;
  return same;
}

// As attention.h says.
bool PlacedCase::keeps(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
  if (!in_reach(a_, b, i, j, a_.causal_offset, a_.window)) return false;
  const attncert_tensor& m = a_.mask;
  return m.data == nullptr ||
         static_cast<const unsigned char*>(m.data)[b * m.batch_stride + h * m.head_stride + i * m.row_stride + j] != 0;
}

bool PlacedCase::no_row_keeps(std::size_t b, std::size_t kv_head, std::size_t j) const {
  const std::size_t group = a_.heads / a_.kv_heads;
  for (std::size_t h = kv_head * group; h < (kv_head + 1) * group; ++h)
    for (std::size_t i = 0; i < a_.queries; ++i)
      if (keeps(b, h, i, j)) return false;
  return true;
}

// Neither a key nor a sink: what such a row holds is a matter of contract, which may be that it holds anything.
bool PlacedCase::is_empty(std::size_t r) const {
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

namespace {

// As Tensor's axes are: rows of so many elements of so many bytes; what has other than four axes is one row.
struct Rows {
  std::size_t count, size, bytes;
};

Rows rows_of(const Tensor& tensor) {
  const auto& shape = tensor.shape;
  const bool in_rows = shape.size() == 4;
  const std::size_t count = in_rows ? shape[0] * shape[1] * shape[2] : 1, size = in_rows ? shape[3] : shape[0];
  return {count, size, tensor.bytes.size() / (count * size)};
}

// Of every format: the last byte begins with the sign.
void turn_signs(std::byte* row, const Rows& rows, std::size_t step) {
  for (std::size_t e = 0; e < rows.size; e += step) row[(e + 1) * rows.bytes - 1] ^= std::byte{0x80};
}

// Of f32 numbers; infinity, which is no key or no sink, stays.
void turn_finite_signs(std::byte* row, std::size_t count) {
  std::span<float> numbers(reinterpret_cast<float*>(row), count);
  for (float& x : numbers) x = std::isfinite(x) ? -x : x;
}

// The first key that the row keeps, where it keeps another.
void remove_a_key(std::byte* row, std::size_t count) {
  std::byte* const end = row + count;
  std::byte* const first = std::find_if(row, end, [](std::byte kept) { return kept != std::byte{0}; });
  if (std::find_if(first == end ? end : first + 1, end, [](std::byte kept) { return kept != std::byte{0}; }) != end)
    *first = std::byte{0};
}

}  // namespace

void* PlacedCase::stored(const std::string& name, const Tensor& tensor) {
  const bool in_rows = tensor.shape.size() == 4;
  const auto [count, size, bytes] = rows_of(tensor);
  const std::size_t all = TensorLayout::of(tensor.shape, placement_).elements() * bytes;
  inputs_.push_back(
      {name, &tensor, std::make_unique<GuardedBuffer>(Buffer::none, all, in_rows ? 64 : alignof(float), side_)});
  fill(inputs_.back());
  return inputs_.back().buffer->data();
}

void PlacedCase::refill(Contents contents) {
  contents_ = contents;
  for (Input& input : inputs_) {
    input.buffer->make_writable();
    fill(input);
    if (input.name == "lengths") {  // of which the kernel is given a copy in its own type, at the same address
      const auto* const counts = reinterpret_cast<const float*>(input.buffer->data());
      std::copy(counts, counts + lengths_.size(), lengths_.begin());
    }
  }
}

void PlacedCase::turn(const std::string& name, const Tensor& tensor, std::byte* row) const {
  const Rows rows = rows_of(tensor);
  if (name == "q" || name == "v" || name == "do") turn_signs(row, rows, 1);
  if (name == "k") turn_signs(row, rows, 2);
  if (name == "bias" || name == "sinks" || name == "slopes") turn_finite_signs(row, rows.size);
  if (name == "mask") remove_a_key(row, rows.size);
  if (name == "k_scale" || name == "v_scale")
    for (float& scale : std::span(reinterpret_cast<float*>(row), rows.size)) scale /= 2;
  if (name == "lengths")
    for (float& length : std::span(reinterpret_cast<float*>(row), rows.size)) length = length > 1 ? length - 1 : length;
}

// NaN in every second case, where the kernel promises that it has no influence.
int PlacedCase::other_removed() const {
  const bool takes_nan = std::string_view(kernel_.features).find("nan-padding") != std::string_view::npos;
  return takes_nan && side_ == Side::front ? unwritten : ordinary;
}

void PlacedCase::fill(Input& input) {
  const Rows rows = rows_of(*input.tensor);
  const TensorLayout layout = TensorLayout::of(input.tensor->shape, placement_);
  const bool is_k = input.name == "k", is_v = input.name == "v";
  std::memset(input.buffer->data(), unwritten, layout.elements() * rows.bytes);
  for (std::size_t r = 0; r < rows.count; ++r) {
    std::byte* const to = input.buffer->data() + layout.of_row(r) * rows.bytes;
    const bool removed =
        (is_k || is_v) && no_row_keeps(r / (a_.kv_heads * a_.keys), r / a_.keys % a_.kv_heads, r % a_.keys);
    has_removed_keys_ = has_removed_keys_ || removed;
    if (removed && contents_ == Contents::other_removed) {
      std::memset(to, other_removed(), rows.size * rows.bytes);
      continue;
    }
    std::memcpy(to, input.tensor->bytes.data() + r * rows.size * rows.bytes, rows.size * rows.bytes);
    if (contents_ == Contents::turned) turn(input.name, *input.tensor, to);
  }
  input.buffer->make_read_only();
}

}  // namespace attncert::attention_host
