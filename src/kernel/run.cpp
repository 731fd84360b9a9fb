// Calls a kernel on dense rows. Scratch comes from here, aligned as the descriptor promises.
#include <new>

#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::align_val_t kAlignment{scratch_alignment};

class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : data_(bytes > 0 ? ::operator new(bytes, kAlignment) : nullptr) {}
  ~Scratch() {
    if (data_ != nullptr) ::operator delete(data_, kAlignment);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* get() const { return data_; }

 private:
  void* data_;
};

}  // namespace

template <class T>
attncert_status run(const attncert_kernel& kernel, std::span<const T> input, std::span<T> output, std::size_t rows,
                    std::size_t length, double temperature, std::span<const std::uint8_t> mask) {
  const std::size_t elements = rows * length;
  ATTNCERT_ASSERT(input.size() == elements && output.size() == elements);
  ATTNCERT_ASSERT(mask.empty() || mask.size() == elements);
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = length;
  arguments.input_stride = arguments.output_stride = arguments.mask_stride = length;
  arguments.input = input.data();
  arguments.output = output.data();
  arguments.mask = mask.empty() ? nullptr : mask.data();
  arguments.temperature = temperature;
  arguments.scratch_bytes = kernel.scratch_needed != nullptr ? kernel.scratch_needed(&arguments) : 0;
  const Scratch scratch(arguments.scratch_bytes);
  arguments.scratch = scratch.get();
  return kernel.run(&arguments);
}

template attncert_status run<float>(const attncert_kernel&, std::span<const float>, std::span<float>, std::size_t,
                                    std::size_t, double, std::span<const std::uint8_t>);
template attncert_status run<double>(const attncert_kernel&, std::span<const double>, std::span<double>, std::size_t,
                                     std::size_t, double, std::span<const std::uint8_t>);

}  // namespace attncert
