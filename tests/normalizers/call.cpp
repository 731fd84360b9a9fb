#include "tests/normalizers/call.hpp"

#include <algorithm>

namespace attncert {

template <class T>
CallOutcome<T> call(const std::string& normalizer, std::span<const T> logits, const CallLayout& layout,
                    double temperature, std::span<const std::uint8_t> mask) {
  const attncert_kernel& kernel = *find_kernel(normalizer, kDtype<T>);
  const std::size_t rows = layout.rows, length = layout.length;
  const std::size_t in = std::max(layout.input_stride, length), out = std::max(layout.output_stride, length);
  const T guard = static_cast<T>(kGuard);
  std::vector<T> input(rows * in + layout.offset, guard), output(rows * out + layout.offset + 64, guard);
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(logits.begin() + static_cast<std::ptrdiff_t>(r * length), length,
                input.begin() + static_cast<std::ptrdiff_t>(layout.offset + r * in));
  }
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = length;
  arguments.input_stride = in;
  arguments.output_stride = out;
  arguments.mask_stride = length;
  arguments.input = input.data() + layout.offset;
  arguments.output = output.data() + layout.offset;
  arguments.mask = mask.empty() ? nullptr : mask.data();
  arguments.temperature = temperature;
  arguments.scratch_bytes = kernel.scratch_needed != nullptr ? kernel.scratch_needed(&arguments) : 0;
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> scratch(arguments.scratch_bytes / sizeof(Line) + 1);
  arguments.scratch = scratch.data();

  CallOutcome<T> outcome;
  outcome.status = kernel.run(&arguments);
  for (std::size_t i = 0; i < output.size(); ++i) {
    const std::size_t from = i - layout.offset;
    const bool inside = i >= layout.offset && from < rows * out && from % out < length;
    if (inside) {
      outcome.rows.push_back(output[i]);
    } else {
      outcome.outside_kept &= output[i] == guard;
    }
  }
  return outcome;
}

template CallOutcome<float> call<float>(const std::string&, std::span<const float>, const CallLayout&, double,
                                        std::span<const std::uint8_t>);
template CallOutcome<double> call<double>(const std::string&, std::span<const double>, const CallLayout&, double,
                                          std::span<const std::uint8_t>);

}  // namespace attncert
