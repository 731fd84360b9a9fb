#include "src/normalizers/device/rows.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "src/device/shapes.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

using device::Device;
using device::MemoryPointer;

constexpr std::size_t most_bytes = std::size_t{1}
                                   << 28;  // of one buffer, so that copies of a large batch come in parts

// Rows begin at multiples of four elements, which are loaded at once.
constexpr std::size_t stride_of(std::size_t length) { return (length + 3) / 4 * 4; }

// Rows of `bytes` bytes, `stride` apart, one behind the other with the stride of the device.
std::vector<char> packed(const void* from, std::size_t stride, std::size_t bytes, std::size_t rows, std::size_t apart) {
  std::vector<char> dense(rows * apart);
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(dense.data() + r * apart, static_cast<const char*>(from) + r * stride, bytes);
  return dense;
}

class Part {
 public:
  Part(const Device& device, const Batch<float>& batch, attncert_dtype storage, const DeviceProgram& program)
      : device_(device), batch_(batch), storage_(storage), bytes_(format(storage).bytes), program_(program) {}

  // Rows `first` to `first` + `rows` of the batch, into `results`, with the stride of the device.
  Result<Done> run(std::size_t first, std::size_t rows, std::vector<char>& results) const {
    const std::size_t length = batch_.length;
    const std::uint64_t stride = stride_of(length);
    const Result<MemoryPointer> input = copied(batch_.input, batch_.input_stride, first, rows);
    if (!input) return input.error();
    Result<MemoryPointer> upstream = MemoryPointer();
    if (batch_.upstream != nullptr) upstream = copied(batch_.upstream, batch_.upstream_stride, first, rows);
    if (!upstream) return upstream.error();
    const std::size_t bytes = rows * stride * bytes_;
    const Result<MemoryPointer> output = device_.allocate(bytes);
    if (!output) return output.error();
    Result<MemoryPointer> mask = MemoryPointer();
    if (batch_.mask != nullptr) {
      const std::vector<char> keep =
          packed(batch_.mask + first * batch_.mask_stride, batch_.mask_stride, length, rows, stride);
      mask = device_.copied(keep.data(), keep.size());
      if (!mask) return mask.error();
    }
    const DeviceBuffers buffers{*input, *output, *mask, length, stride, stride, stride, *upstream, stride};
    const Result<Done> launched =
        device_.launch(launch_of(program_, device::shape_for(length), storage_, rows, buffers));
    if (!launched) return launched.error();
    results.resize(bytes);
    return device_.read(results.data(), **output, results.size());
  }

  void write(std::size_t row, const char* result) const {
    std::memcpy(const_cast<char*>(row_of(batch_.output, row, batch_.output_stride)), result, batch_.length * bytes_);
  }

 private:
  Result<MemoryPointer> copied(const void* buffer, std::size_t stride, std::size_t first, std::size_t rows) const {
    const std::vector<char> dense = packed(row_of(buffer, first, stride), stride * bytes_, batch_.length * bytes_, rows,
                                           stride_of(batch_.length) * bytes_);
    return device_.copied(dense.data(), dense.size());
  }
  const char* row_of(const void* buffer, std::size_t row, std::size_t stride) const {
    return static_cast<const char*>(buffer) + row * stride * bytes_;
  }

  const Device& device_;
  const Batch<float>& batch_;
  attncert_dtype storage_;
  std::size_t bytes_;
  const DeviceProgram& program_;
};

}  // namespace

device::Launch launch_of(const DeviceProgram& program, const device::Shape& shape, attncert_dtype storage,
                         std::size_t rows, const DeviceBuffers& b) {
  const std::string options = shape.options() + " -DSTORAGE=" + std::to_string(storage) + " " + program.options;
  std::vector<device::Argument> arguments{b.input,        b.output,        b.mask,       b.length,
                                          b.input_stride, b.output_stride, b.mask_stride};
  if (b.upstream) arguments.insert(arguments.end(), {b.upstream, b.upstream_stride});
  arguments.push_back(program.constants);
  return {{std::string(program.text), options}, program.kernel, rows, shape.group, std::move(arguments)};
}

attncert_status run_on_device(const Batch<float>& batch, attncert_dtype storage, const DeviceProgram& program) try {
  const auto& found = device::device();
  if (!found) return ATTNCERT_NO_RESOURCES;
  // The kernels count elements of a row in 32 bits, and go beyond its end by less than half of them.
  if (batch.length >= std::size_t{1} << 31) return ATTNCERT_NO_RESOURCES;
  const Part part(**found, batch, storage, program);
  const std::size_t row_bytes = stride_of(batch.length) * format(storage).bytes;
  const std::size_t most = std::min((*found)->most_allocated(), most_bytes);
  const std::size_t at_once = std::clamp<std::size_t>(most / row_bytes, 1, batch.rows);
  std::vector<std::vector<char>> results;  // all of them before any is written
  for (std::size_t first = 0; first < batch.rows; first += at_once)
    if (!part.run(first, std::min(at_once, batch.rows - first), results.emplace_back())) return ATTNCERT_NO_RESOURCES;
  for (std::size_t r = 0; r < batch.rows; ++r) part.write(r, results[r / at_once].data() + r % at_once * row_bytes);
  return ATTNCERT_OK;
} catch (const std::bad_alloc&) {
  return ATTNCERT_NO_RESOURCES;
}

}  // namespace attncert
