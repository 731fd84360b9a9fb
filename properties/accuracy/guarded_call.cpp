#include "properties/accuracy/guarded_call.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "src/core/assert.hpp"

namespace attncert {
namespace {

constexpr std::size_t guard = 64;                    // entries: four 512-bit vectors of f32
constexpr std::align_val_t scratch_alignment{64};    // what the descriptor promises

// Rows with `padding` entries of `fill` behind each, `before` of them in front and a guard at the end.
template <class T>
std::vector<T> laid_out(std::span<const T> dense, std::size_t rows, std::size_t length, std::size_t padding,
                        std::size_t before, T fill) {
  std::vector<T> buffer(before + rows * (length + padding) + guard, fill);
  for (std::size_t r = 0; r < rows && !dense.empty(); ++r)
    std::copy_n(dense.begin() + static_cast<std::ptrdiff_t>(r * length), length,
                buffer.begin() + static_cast<std::ptrdiff_t>(before + r * (length + padding)));
  return buffer;
}

attncert_status run_with_scratch(const attncert_kernel& kernel, attncert_arguments& arguments) {
  arguments.scratch_bytes = kernel.scratch_needed == nullptr ? 0 : kernel.scratch_needed(&arguments);
  if (arguments.scratch_bytes != 0) arguments.scratch = ::operator new(arguments.scratch_bytes, scratch_alignment);
  const attncert_status status = kernel.run(&arguments);
  if (arguments.scratch != nullptr) ::operator delete(arguments.scratch, scratch_alignment);
  return status;
}

// Copies the rows out and looks whether anything beside them changed.
template <class T>
void collect(GuardedOutcome<T>& outcome, const std::vector<T>& buffer, std::size_t rows, std::size_t length,
             std::size_t stride, std::size_t before) {
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    const bool in_rows = i >= before && i < before + rows * stride;
    if (in_rows && (i - before) % stride < length) outcome.output.push_back(buffer[i]);
    else outcome.wrote_outside = outcome.wrote_outside || buffer[i] != untouched<T>;
  }
}

}  // namespace

template <class T>
GuardedOutcome<T> guarded_call(const attncert_kernel& kernel, std::span<const T> input, std::size_t rows,
                               double temperature, std::span<const std::uint8_t> mask, const Layout& layout) {
  ATTNCERT_ASSERT(rows >= 1 && input.size() % rows == 0 && (mask.empty() || mask.size() == input.size()));
  const std::size_t length = input.size() / rows, before = guard + layout.offset;
  // NaN behind the input rows and "keep" behind the mask rows: a kernel that reads them shows it.
  const auto in = laid_out<T>(input, rows, length, layout.input_padding, before, std::numeric_limits<T>::quiet_NaN());
  auto out = laid_out<T>({}, rows, length, layout.output_padding, before, untouched<T>);
  const auto keep = laid_out<std::uint8_t>(mask, rows, length, layout.mask_padding, before, 1);
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = length;
  arguments.input_stride = length + layout.input_padding;
  arguments.output_stride = length + layout.output_padding;
  arguments.mask_stride = length + layout.mask_padding;
  arguments.input = in.data() + before;
  arguments.output = out.data() + before;
  arguments.mask = mask.empty() ? nullptr : keep.data() + before;
  arguments.temperature = temperature;
  GuardedOutcome<T> outcome;
  outcome.output.reserve(input.size());
  outcome.status = run_with_scratch(kernel, arguments);
  collect(outcome, out, rows, length, arguments.output_stride, before);
  return outcome;
}
template GuardedOutcome<float> guarded_call<float>(const attncert_kernel&, std::span<const float>, std::size_t, double,
                                                   std::span<const std::uint8_t>, const Layout&);
template GuardedOutcome<double> guarded_call<double>(const attncert_kernel&, std::span<const double>, std::size_t, double,
                                                     std::span<const std::uint8_t>, const Layout&);

}  // namespace attncert
