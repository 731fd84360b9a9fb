// A kernel on a device, softmax unless named, beside a copy of the same memory there, a line a length and type: what
// share of the copy's speed it has. Rows of 2^29 elements in all, or as many of f32 as a buffer holds, 2^20 on a
// processor; times are those of a launch that was waited for, medians of interleaved rounds.
//   attncert_bench_device [NORMALIZER] [THREADSxHELD ...]     these shapes too, where they hold a row, but not four
//   attncert_bench_device judge                               what the judge of rows judges in a second instead
//   attncert_bench_device window                              the bounds of a window of GPT-2's size instead
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/rounds.hpp"
#include "properties/conformance/double_double/device/device_judge.hpp"
#include "src/bounds/device/curves.hpp"
#include "src/device/device.hpp"
#include "src/device/forwarded.hpp"
#include "src/device/shapes.hpp"
#include "src/kernel/dtype.hpp"
#include "src/normalizers/device/program.hpp"

namespace attncert::bench {
namespace {

using device::Device;
using device::MemoryPointer;

constexpr std::size_t rounds = 9;
constexpr std::size_t block = std::size_t{1} << 22;  // elements that are drawn; the rest repeats them

// 16 bytes a thread, as the kernels load them.
constexpr std::string_view copy_text = R"cl(
#if defined(__OPENCL_VERSION__)
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void copy(global const uint4* from, global uint4* to) {
  const size_t i = get_global_id(0);
#else
extern "C" __global__ void __launch_bounds__(256) copy(const uint4* from, uint4* to) {
  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
#endif
  to[i] = from[i];
}
)cl";

struct Arena {
  MemoryPointer input, output;
  std::size_t bytes;
};

Result<Arena> filled(const Device& device, attncert_dtype dtype, std::size_t elements) {
  const std::size_t size = format(dtype).bytes;
  std::vector<char> drawn(block * size);
  std::mt19937_64 generator(1);
  std::normal_distribution<float> normal(0, 3);
  for (std::size_t i = 0; i < block; ++i) store_element(dtype, drawn.data(), i, normal(generator));
  std::vector<char> all;
  all.reserve(elements * size);
  while (all.size() < elements * size) all.insert(all.end(), drawn.begin(), drawn.end());
  const Result<MemoryPointer> input = device.copied(all.data(), elements * size);
  if (!input) return input.error();
  const Result<MemoryPointer> output = device.allocate(elements * size);
  if (!output) return output.error();
  return Arena{*input, *output, elements * size};
}

// A kernel at T = 1 on rows of `length`.
device::Launch launch_at(const DeviceKernel& kernel, const Arena& arena, attncert_dtype dtype, std::size_t elements,
                         std::size_t length, const device::Shape& shape) {
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
  parameters.alpha_numerator = 5, parameters.alpha_denominator = 4;  // entmax of 3/2 is entmax-1.5
  return launch_of(kernel.program(1, parameters), shape, dtype, elements / length,
                   {arena.input, arena.output, MemoryPointer(), length, length, length, length});
}

double seconds_of(const Device& device, const device::Launch& launch) {
  const double start = wall_seconds();
  const Result<Done> done = device.launch(launch);
  if (!done) throw std::runtime_error(done.error().message);
  return wall_seconds() - start;
}

// A line for `length` in `shape`.
void compare(const Device& device, const DeviceKernel& kernel, const Arena& arena, attncert_dtype dtype,
             std::size_t elements, std::size_t length, const device::Shape& shape) {
  const device::Launch copy{
      {std::string(copy_text), ""}, "copy", arena.bytes / 16 / 256, 256, {arena.input, arena.output}};
  const device::Launch rows = launch_at(kernel, arena, dtype, elements, length, shape);
  std::vector<double> copies, ratios;
  for (std::size_t round = 0; round <= rounds; ++round) {
    const double of_copy = seconds_of(device, copy), of_rows = seconds_of(device, rows);
    if (round > 0) copies.push_back(of_copy), ratios.push_back(of_copy / of_rows);  // the first builds
  }
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  fmt::print(
      "{} {:<5} L={:<8} {:>4} x {:<3} {:5.1f}% of the copy ({:.1f} to {:.1f}); copy {:.0f} GB/s, read and written\n",
      kernel.normalizer, format(dtype).name, length, shape.group, shape.hold, 100 * median(ratios), 100 * *low,
      100 * *high, 2e-9 * static_cast<double>(arena.bytes) / median(copies));
}

void measure(const Device& device, const DeviceKernel& kernel, attncert_dtype dtype, std::size_t elements,
             std::span<const device::Shape> others) {
  const Result<Arena> arena = filled(device, dtype, elements);
  if (!arena) throw std::runtime_error(arena.error().message);
  for (std::size_t length = 64; length <= std::size_t{1} << 20; length *= 2) {
    compare(device, kernel, *arena, dtype, elements, length, device::shape_for(length));
    for (const device::Shape& shape : others)
      if (shape.capacity() >= length && shape.capacity() < 4 * length)
        compare(device, kernel, *arena, dtype, elements, length, shape);
  }
}

// A device that adds up how long its launches take.
class TimedDevice final : public device::ForwardedDevice {
 public:
  using ForwardedDevice::ForwardedDevice;
  mutable double seconds = 0;

  Result<Done> launch(const device::Launch& launch) const override {
    seconds += seconds_of(to_, launch);
    return Done{};
  }
};

// Rows of `length` logits N(0, 3^2) of f32, one answer each: elements from logits to verdict, and on the device alone;
// so many, or as many as fit into a gibibyte and a buffer of the device.
void measure_judge(const Device& device, std::size_t most, std::size_t length) {
  const std::size_t room = std::min(std::size_t{1} << 30, device.most_allocated());
  double_double::DeviceJudge judge;
  std::mt19937_64 generator(1);
  std::normal_distribution<float> normal(0, 3);
  std::vector<double> logits(length), weights(length, 1.0 / static_cast<double>(length));
  std::size_t elements = 0;
  for (; elements < most && judge.bytes() < room; elements += length) {
    for (double& logit : logits) logit = normal(generator);
    judge.add_row(logits, {}, {});
    judge.add_answer(weights, double_double::f32, {4, 0});
  }
  std::vector<double> whole, launches;
  for (std::size_t round = 0; round <= rounds; ++round) {
    const TimedDevice timed(device);
    const double start = wall_seconds();
    if (const auto judged = judge.verdicts(timed); !judged) throw std::runtime_error(judged.error().message);
    if (round > 0) whole.push_back(wall_seconds() - start), launches.push_back(timed.seconds);  // the first builds
  }
  const auto a_second = [&](std::vector<double> seconds) {
    return 1e-6 * static_cast<double>(elements) / median(seconds);
  };
  fmt::print("judge f32 L={:<8} {:8.0f} million elements a second, of the launches alone {:8.0f}\n", length,
             a_second(whole), a_second(launches));
}

int measure_judges(const Device& device) {
  const std::size_t elements = device.processor() ? std::size_t{1} << 20 : std::size_t{1} << 26;
  for (const std::size_t length : {64, 1024, 16384, 262144}) measure_judge(device, elements, length);
  return 0;
}

// d-tilde, r, N_s and what goes with them at every N of the last row of 12 heads over the same 1024 tokens N(0, 1) of
// 768 channels: a layer of GPT-2, whose 12 of a window follow one another. One layer on a processor.
int measure_window(const Device& device) {
  constexpr std::size_t length = 1024, channels = 768, heads = 12;
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal(0, 1);
  std::vector<double> tokens(length * channels), weights(heads * length);
  for (double& x : tokens) x = normal(generator);
  for (double& w : weights) w = std::exp(3 * normal(generator));
  std::vector<bounds::AskedRow> rows;
  for (std::size_t head = 0; head < heads; ++head)
    rows.push_back({std::span(weights).subspan(head * length, length), {}});
  const std::size_t layers = device.processor() ? 1 : 12, times = device.processor() ? 1 : rounds;
  std::vector<double> whole, launches;
  for (std::size_t round = 0; round <= times; ++round) {
    const TimedDevice timed(device);
    const double start = wall_seconds();
    for (std::size_t layer = 0; layer < layers; ++layer) {
      const auto placed = bounds::DeviceTokens::on(timed, {tokens.data(), length, channels, channels});
      if (!placed) throw std::runtime_error(placed.error().message);
      const auto done = placed->curves(rows, [](std::size_t, const auto&, const auto&) {});
      if (!done) throw std::runtime_error(done.error().message);
    }
    if (round > 0) whole.push_back(wall_seconds() - start), launches.push_back(timed.seconds);  // the first builds
  }
  fmt::print("window of {} tokens, {} layers of {} heads, every N: {:.1f} ms, of the launches alone {:.1f}\n", length,
             layers, heads, 1e3 * median(whole), 1e3 * median(launches));
  return 0;
}

int run_f64(int (*measured)(const Device&)) {
  const auto& found = device::f64_device();
  fmt::print("device: {}\n", found ? device::device_line() : found.error().message);
  if (found) return measured(**found);
  return device::device() ? 0 : 2;  // one without f64 has nothing to measure
}

// "64x8": 64 threads that hold 8 elements each.
device::Shape shape_named(const std::string& name) {
  device::Shape shape{0, 0, 4};
  char rest = 0;
  const bool read = std::sscanf(name.c_str(), "%ux%u%c", &shape.group, &shape.hold, &rest) == 2;
  if (!read || shape.group < 16 || shape.group > 1024 || shape.hold == 0 || shape.hold > 64 || shape.hold % 4 != 0)
    throw std::runtime_error(
        name + " is no normalizer of a device and no shape; write THREADSxHELD, as 64x8, held a multiple of 4");
  return shape;
}

const DeviceKernel* kernel_named(std::string_view name) {
  for (const DeviceKernel& kernel : device_programs())
    if (kernel.normalizer == name) return &kernel;
  return nullptr;
}

int run(std::span<char*> names) {
  if (names.size() == 1 && std::string_view(names[0]) == "judge") return run_f64(measure_judges);
  if (names.size() == 1 && std::string_view(names[0]) == "window") return run_f64(measure_window);
  const DeviceKernel* kernel = kernel_named("softmax");
  std::vector<device::Shape> others;
  for (const char* name : names) {
    if (const DeviceKernel* named = kernel_named(name); named != nullptr) kernel = named;
    else others.push_back(shape_named(name));
  }
  const auto& found = device::device();
  fmt::print("device: {}\n", device::device_line());
  if (!found) return 2;
  std::size_t most = (*found)->processor() ? std::size_t{1} << 20 : std::size_t{1} << 29;
  while (most * sizeof(float) > (*found)->most_allocated()) most /= 2;
  for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F16, ATTNCERT_BF16})
    measure(**found, *kernel, dtype, most, others);
  return 0;
}

}  // namespace
}  // namespace attncert::bench

int main(int count, char** arguments) {
  try {
    return attncert::bench::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "attncert_bench_device: {}\n", error.what());
    return 2;
  }
}
