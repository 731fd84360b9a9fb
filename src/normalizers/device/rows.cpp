#include "src/normalizers/device/rows.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "src/device/shapes.hpp"

namespace attncert {
namespace {

using device::Device;
using device::MemoryPointer;

constexpr std::size_t most_bytes = std::size_t{1}
                                   << 28;  // of one buffer, so that copies of a large batch come in parts

// Rows begin at multiples of 16 bytes, so that four elements are loaded at once.
constexpr std::size_t stride_of(std::size_t length) { return (length + 3) / 4 * 4; }

// `rows` rows from row `first` on, with the stride of the device.
template <class T>
std::vector<T> packed(const T* from, std::size_t stride, std::size_t first, std::size_t rows, std::size_t length) {
  std::vector<T> dense(rows * stride_of(length));
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(dense.data() + r * stride_of(length), from + (first + r) * stride, length * sizeof(T));
  return dense;
}

// Rows `first` to `first` + `rows` of the batch, into `results`, of the stride of the device.
Result<Done> run_part(const Device& device, const Batch<float>& batch, const RowKernels& kernels,
                      const device::Argument& constants, std::size_t first, std::size_t rows,
                      std::vector<float>& results) {
  const std::size_t length = batch.length;
  const std::uint64_t stride = stride_of(length);
  const std::vector<float> dense = packed(batch.input, batch.input_stride, first, rows, length);
  const Result<MemoryPointer> input = device.copied(dense.data(), dense.size() * sizeof(float));
  if (!input) return input.error();
  const Result<MemoryPointer> output = device.allocate(dense.size() * sizeof(float));
  if (!output) return output.error();
  Result<MemoryPointer> mask = MemoryPointer();
  if (batch.mask != nullptr) {
    const std::vector<std::uint8_t> keep = packed(batch.mask, batch.mask_stride, first, rows, length);
    mask = device.copied(keep.data(), keep.size());
    if (!mask) return mask.error();
  }
  const device::Shape shape = device::shape_for(length);
  const bool held = length <= device::longest_held;
  const Result<Done> launched =
      device.launch({{std::string(kernels.text), shape.options() + " " + kernels.options},
                     held ? kernels.held : kernels.longer,
                     rows,
                     shape.group,
                     {*input, *output, *mask, std::uint64_t{length}, stride, stride, stride, constants}});
  if (!launched) return launched.error();
  results.resize(dense.size());
  return device.read(results.data(), **output, results.size() * sizeof(float));
}

}  // namespace

attncert_status run_on_device(const Batch<float>& batch, const RowKernels& kernels,
                              const device::Argument& constants) try {
  const auto& found = device::device();
  if (!found) return ATTNCERT_NO_RESOURCES;
  const std::size_t stride = stride_of(batch.length), most = std::min((*found)->most_allocated(), most_bytes);
  const std::size_t at_once = std::clamp<std::size_t>(most / (stride * sizeof(float)), 1, batch.rows);
  std::vector<std::vector<float>> results;  // all of them before any is written
  for (std::size_t first = 0; first < batch.rows; first += at_once)
    if (!run_part(**found, batch, kernels, constants, first, std::min(at_once, batch.rows - first),
                  results.emplace_back()))
      return ATTNCERT_NO_RESOURCES;
  for (std::size_t r = 0; r < batch.rows; ++r)
    std::memcpy(batch.output + r * batch.output_stride, results[r / at_once].data() + r % at_once * stride,
                batch.length * sizeof(float));
  return ATTNCERT_OK;
} catch (const std::bad_alloc&) {
  return ATTNCERT_NO_RESOURCES;
}

}  // namespace attncert
