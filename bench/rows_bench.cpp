// Every built-in kernel on rows without gaps, one thread, beside memcpy, the peers that this build has, and what else
// bounds its time: halves beside f32, derivatives beside the forward pass, masked rows beside whole ones.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/ledger.hpp"
#include "bench/peers.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bench {
namespace {

// Sizes of a common machine: input and output of f32 together take 32 KiB of L1, half of L2, a quarter of L3.
struct Cell {
  const char* memory;
  std::size_t elements, length, rounds;  // a median over fewer than 21 rounds moves from run to run
};
constexpr std::size_t kL1 = 4096, kL2 = 65536, kL3 = std::size_t{1} << 20, kMemory = std::size_t{1} << 24;
constexpr Cell kCells[] = {{"L1", kL1, 8, 21},
                           {"L1", kL1, 16, 21},
                           {"L1", kL1, 64, 21},
                           {"L1", kL1, 256, 21},
                           {"L1", kL1, 1024, 21},
                           {"L2", kL2, 4096, 21},
                           {"L2", kL2, 65536, 21},
                           {"L3", kL3, kL3, 21},
                           {"memory", kMemory, 64, 11},
                           {"memory", kMemory, 1024, 11},
                           {"memory", kMemory, 4096, 11},
                           {"memory", kMemory, 65536, 11},
                           {"memory", kMemory, kL3, 11}};
constexpr std::size_t kLongestMasked = 256;  // beyond it a mask's time is no question of short rows

// One kind of rows, in every format at once: N(0, 3^2) times a factor.
class Rows {
 public:
  Rows(double factor, bool random) : single_(kMemory, random), other_(kMemory, false) {
    for (std::size_t i = 0; i < kMemory; ++i) single_.data()[i] *= static_cast<float>(factor);
  }
  const float* single() { return single_.data(); }
  // The first `elements` of them in another format, whose buffer is one for all.
  const void* as(attncert_dtype dtype, std::size_t elements) {
    if (dtype == ATTNCERT_F32) return single_.data();
    if (dtype != held_ || elements > count_) {
      for (std::size_t i = 0; i < elements; ++i) store_element(dtype, other_.data(), i, single_.data()[i]);
      held_ = dtype;
      count_ = elements;
    }
    return other_.data();
  }

 private:
  Floats single_, other_;
  attncert_dtype held_ = ATTNCERT_F32;
  std::size_t count_ = 0;
};

struct Data {
  Rows plain{1, true}, wide{20.0 / 3, true}, dense{1.0 / 300, true}, upstream{1, true};
  Floats output{kMemory, false}, scratch{kMemory, false};
  std::vector<std::uint8_t> mask = std::vector<std::uint8_t>(kL1);

  Data() {  // seven of eight keys stay
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<std::uint32_t>(i) * 2654435761u >> 29 != 0;
  }
};

struct Way {
  const char* suffix;  // behind the kernel's name
  Rows Data::*rows;
  double temperature;
  bool masked;
};
constexpr Way kPlain{"", &Data::plain, 1, false};

attncert_parameters parameters_of(std::size_t length) {
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
  parameters.alpha_numerator = 5, parameters.alpha_denominator = 4;  // 3 / 2 is entmax-1.5
  // 0.9 / log n keeps the spread of the row, which s = 1 would multiply, and T away from 1.
  parameters.scale = 0.9 / std::log(static_cast<double>(length));
  return parameters;
}

bool is_derivative(const attncert_kernel& kernel) { return std::string_view(kernel.normalizer).ends_with("-vjp"); }

Subject pass(std::string name, const attncert_kernel& kernel, const Way& way, Data& data, const Cell& cell) {
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = cell.elements / cell.length;
  arguments.length = arguments.input_stride = arguments.output_stride = arguments.upstream_stride = cell.length;
  arguments.mask_stride = cell.length;
  arguments.input = (data.*way.rows).as(kernel.dtype_in, cell.elements);
  arguments.output = data.output.data();
  arguments.temperature = way.temperature;
  if (way.masked) arguments.mask = data.mask.data();
  if (is_derivative(kernel)) arguments.upstream = data.upstream.as(kernel.dtype_in, cell.elements);
  arguments.scratch = data.scratch.data();
  arguments.scratch_bytes = kMemory * sizeof(float);
  return {std::move(name), [&kernel, arguments, parameters = parameters_of(cell.length)]() mutable {
            arguments.parameters = &parameters;
            if (kernel.run(&arguments) != ATTNCERT_OK) std::abort();
          }};
}

// What bounds the time of a kernel within the suite, where it is bounded.
void add_relatives(std::vector<Subject>& subjects, const attncert_kernel& kernel, Data& data, const Cell& cell) {
  const auto add = [&](const char* name, std::string_view normalizer, attncert_dtype dtype) {
    if (const attncert_kernel* other = find_kernel(normalizer, dtype))
      subjects.push_back(pass(name, *other, kPlain, data, cell));
  };
  const std::string_view normalizer = kernel.normalizer;
  if (kernel.dtype_in == ATTNCERT_F16 || kernel.dtype_in == ATTNCERT_BF16) return add("f32", normalizer, ATTNCERT_F32);
  if (is_derivative(kernel)) return add("forward", normalizer.substr(0, normalizer.size() - 4), kernel.dtype_in);
  if (std::string_view(kernel.name).starts_with("softmax-half-ulp")) return add("softmax", "softmax", ATTNCERT_F32);
  for (const std::string_view bounded : {"log-softmax", "ssmax", "softmax1", "sparsemax", "entmax-1.5"})
    if (normalizer == bounded) add("softmax", "softmax", kernel.dtype_in);
}

void measure(Ledger& ledger, const attncert_kernel& kernel, const Way& way, Data& data, const Cell& cell) {
  const std::size_t bytes = cell.elements * format(kernel.dtype_in).bytes;
  if (bytes > kMemory * sizeof(float)) return;
  std::vector<Subject> subjects = {pass("", kernel, way, data, cell)};
  const void* const in = (data.*way.rows).as(kernel.dtype_in, cell.elements);
  void* const out = data.output.data();
  subjects.push_back({"memcpy", [=] { std::memcpy(out, in, bytes); }});
  if (std::string_view(way.suffix) != kPlain.suffix) {
    subjects.push_back(pass(way.masked ? "unmasked" : "plain", kernel, kPlain, data, cell));
  } else {
    add_relatives(subjects, kernel, data, cell);
    if (kernel.dtype_in == ATTNCERT_F32) {
      for (const Peer& peer : peers()) {
        if (peer.normalizer != kernel.normalizer) continue;
        auto run = peer.pass({data.plain.single(), is_derivative(kernel) ? data.upstream.single() : nullptr,
                              data.output.data(), cell.elements / cell.length, cell.length});
        if (run) subjects.push_back({std::string(peer.name), std::move(run)});
      }
    }
  }
  ledger.compare({std::string(kernel.name) + way.suffix, cell.length, cell.memory}, subjects, cell.elements,
                 cell.rounds);
}

std::vector<Way> ways_of(const attncert_kernel& kernel) {
  std::vector<Way> ways = {kPlain};
  if (kernel.dtype_in != ATTNCERT_F32) return ways;
  const std::string_view normalizer = kernel.normalizer;
  if (normalizer == "softmax") {
    ways.push_back({"/T=0.7", &Data::plain, 0.7, false});
    ways.push_back({"/sigma=20", &Data::wide, 1, false});  // many weights are subnormal there
  }
  for (const std::string_view sparse : {"sparsemax", "entmax-1.5", "entmax"})
    if (normalizer == sparse) ways.push_back({"/sigma=0.01", &Data::dense, 1, false});  // most weights are not 0
  ways.push_back({"/masked", &Data::plain, 1, true});
  return ways;
}

void measure_all(Ledger& ledger, const Options& options) {
  Data data;
  for (const attncert_kernel* kernel : built_in_kernels()) {
    for (const Way& way : ways_of(*kernel)) {
      for (const Cell& cell : kCells) {
        const std::string name =
            std::string(kernel->name) + way.suffix + "/" + cell.memory + "/" + std::to_string(cell.length);
        if (way.masked && (cell.length > kLongestMasked || cell.elements > kL1)) continue;
        if (name.find(options.only) != std::string::npos) measure(ledger, *kernel, way, data, cell);
      }
    }
  }
}

}  // namespace
}  // namespace attncert::bench

int main(int argc, char** argv) {
  return attncert::bench::run_program(argc, argv, "Times every built-in kernel on rows, as ratios.",
                                      attncert::bench::measure_all);
}
