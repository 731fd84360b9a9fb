#include "properties/accuracy/guarded_call.hpp"

#include <cstring>
#include <limits>
#include <new>

#include "src/core/assert.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr std::size_t guard = 64;                  // entries: four 512-bit vectors of f32
constexpr std::align_val_t scratch_alignment{64};  // what the descriptor promises

using Bytes = std::vector<unsigned char>;

// The pattern of an element that nobody wrote: a quiet NaN with the sign and an odd payload.
const unsigned char* untouched(attncert_dtype dtype) {
  static const std::uint32_t f32 = 0xFFC5A5A5u;
  static const std::uint64_t f64 = 0xFFF85A5A5A5A5A5Au;
  static const std::uint16_t f16 = 0xFE5Au, bf16 = 0xFFDAu;
  const void* patterns[] = {&f32, &f64, &f16, &bf16};
  return static_cast<const unsigned char*>(patterns[dtype - ATTNCERT_F32]);
}

// Rows of a batch with `padding` entries behind each, `before` of them in front and a guard at the end.
struct Laid {
  std::size_t rows, length, padding, before;
  std::size_t stride() const { return length + padding; }
  std::size_t size() const { return before + rows * stride() + guard; }
  std::size_t at(std::size_t r, std::size_t i) const { return before + r * stride() + i; }
};

// `count` elements that all have the bits at `pattern`.
Bytes repeated(const unsigned char* pattern, std::size_t width, std::size_t count) {
  Bytes bytes(count * width);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(bytes.data() + i * width, pattern, width);
  return bytes;
}

Bytes elements(attncert_dtype dtype, const Laid& laid, const std::vector<double>& dense) {
  unsigned char nan[sizeof(double)];  // beside the rows: a kernel that reads it shows it
  store_element(dtype, nan, 0, std::numeric_limits<double>::quiet_NaN());
  Bytes bytes = repeated(nan, format(dtype).bytes, laid.size());
  for (std::size_t r = 0; r < laid.rows; ++r)
    store_elements(dtype, bytes.data(), laid.at(r, 0), std::span(dense).subspan(r * laid.length, laid.length));
  return bytes;
}

Bytes poisoned(attncert_dtype dtype, const Laid& laid) {
  return repeated(untouched(dtype), format(dtype).bytes, laid.size());
}

Bytes keeps(const Laid& laid, const std::vector<std::uint8_t>& dense) {
  Bytes bytes(laid.size(), 1);
  for (std::size_t r = 0; r < laid.rows && !dense.empty(); ++r)
    std::memcpy(bytes.data() + laid.at(r, 0), dense.data() + r * laid.length, laid.length);
  return bytes;
}

attncert_status run_with_scratch(const attncert_kernel& kernel, attncert_arguments& arguments) {
  arguments.scratch_bytes = kernel.scratch_needed == nullptr ? 0 : kernel.scratch_needed(&arguments);
  if (arguments.scratch_bytes != 0) arguments.scratch = ::operator new(arguments.scratch_bytes, scratch_alignment);
  const attncert_status status = kernel.run(&arguments);
  if (arguments.scratch != nullptr) ::operator delete(arguments.scratch, scratch_alignment);
  return status;
}

// How many of `count` elements from `first` on are as they were before.
std::size_t count_untouched(attncert_dtype dtype, const Bytes& bytes, std::size_t first, std::size_t count) {
  const std::size_t width = format(dtype).bytes;
  std::size_t same = 0;
  for (std::size_t i = first; i < first + count; ++i)
    same += std::memcmp(bytes.data() + i * width, untouched(dtype), width) == 0;
  return same;
}

// Copies the rows out and looks whether anything beside them changed.
void collect(GuardedOutcome& outcome, attncert_dtype dtype, const Laid& laid, const Bytes& bytes) {
  outcome.output.resize(laid.rows * laid.length);
  std::size_t beside = count_untouched(dtype, bytes, 0, laid.before);
  for (std::size_t r = 0; r < laid.rows; ++r) {
    load_elements(dtype, bytes.data(), laid.at(r, 0), std::span(outcome.output).subspan(r * laid.length, laid.length));
    outcome.unwritten += count_untouched(dtype, bytes, laid.at(r, 0), laid.length);
    beside += count_untouched(dtype, bytes, laid.at(r, laid.length), laid.padding);
  }
  beside += count_untouched(dtype, bytes, laid.at(laid.rows, 0), guard);
  outcome.wrote_outside = beside != laid.size() - laid.rows * laid.length;
}

}  // namespace

attncert_parameters parameters_of(const RowParameters& p) {
  return {sizeof(attncert_parameters), p.order, p.alpha_numerator, p.alpha_denominator, p.k, p.scale, p.bias};
}

GuardedOutcome guarded_call(const attncert_kernel& kernel, const LogitRow& batch, std::size_t rows,
                            const Layout& layout) {
  const std::size_t size = batch.logits.size();
  ATTNCERT_ASSERT(rows >= 1 && size % rows == 0 && (batch.mask.empty() || batch.mask.size() == size));
  ATTNCERT_ASSERT(batch.upstream.empty() || batch.upstream.size() == size);
  const std::size_t length = size / rows, before = guard + layout.offset;
  const Laid in{rows, length, layout.input_padding, before}, out{rows, length, layout.output_padding, before},
      mask{rows, length, layout.mask_padding, before};
  const Bytes input = elements(kernel.dtype_in, in, batch.logits);
  const Bytes upstream = batch.upstream.empty() ? Bytes() : elements(kernel.dtype_in, in, batch.upstream);
  const Bytes keep = keeps(mask, batch.mask);
  Bytes output = poisoned(kernel.dtype_out, out);
  const std::size_t wide_in = format(kernel.dtype_in).bytes, wide_out = format(kernel.dtype_out).bytes;
  const attncert_parameters parameters = parameters_of(batch.parameters);
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = length;
  arguments.input_stride = arguments.upstream_stride = in.stride();
  arguments.output_stride = out.stride();
  arguments.mask_stride = mask.stride();
  arguments.input = input.data() + before * wide_in;
  arguments.output = output.data() + before * wide_out;
  arguments.mask = batch.mask.empty() ? nullptr : keep.data() + before;
  arguments.temperature = batch.temperature;
  arguments.parameters = &parameters;
  arguments.upstream = upstream.empty() ? nullptr : upstream.data() + before * wide_in;
  GuardedOutcome outcome;
  outcome.status = run_with_scratch(kernel, arguments);
  collect(outcome, kernel.dtype_out, out, output);
  return outcome;
}

}  // namespace attncert
