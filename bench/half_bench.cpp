// f16 and bf16 rows beside f32 on the same number of elements, in cache and in memory, on AVX3 and AVX2. Targets: at
// most 1.2 times f32's time in cache and 0.8 times in memory; where f32 takes as long in cache, half the bytes have
// nothing to save. Arguments: normalizer (softmax), cache or memory (both), length (64 to 65536).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bench/dense_call.hpp"
#include "bench/rounds.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "src/normalizers/half/half_convert.hpp"

namespace attncert::bench {
namespace {

constexpr std::size_t kRounds = 21;
constexpr std::size_t kCache = std::size_t{1} << 17, kMemory = std::size_t{1} << 25;

std::function<void()> pass(const char* normalizer, attncert_dtype dtype, const void* input, void* output,
                           std::size_t elements, std::size_t length, Floats& scratch) {
  const attncert_kernel& kernel = *find_kernel(normalizer, dtype);
  attncert_arguments arguments = dense_call(input, output, elements / length, length);
  arguments.scratch = scratch.data();
  arguments.scratch_bytes = 2 * kCache * sizeof(float);
  return [&kernel, arguments] { run_or_abort(kernel, arguments); };
}

void measure(const char* normalizer, std::size_t elements, std::size_t length, Floats& single, Floats& half,
             Floats& out, Floats& scratch) {
  const char* place = elements == kCache ? "cache" : "memory";
  for (const attncert::Format& format : attncert::formats) {
    if (format.bytes != 2) continue;
    const attncert_dtype dtype = format.dtype;
    narrow(dtype, single.data(), reinterpret_cast<std::uint16_t*>(half.data()), elements);
    const std::vector<Measured> measured =
        interleave({{"half", pass(normalizer, dtype, half.data(), out.data(), elements, length, scratch)},
                    {"f32", pass(normalizer, ATTNCERT_F32, single.data(), out.data(), elements, length, scratch)}},
                   elements, kRounds, 2e-3);
    std::printf("%-5s %-6s L %5zu %-4s %6.3f ns  f32 %6.3f ns  ratio %.3f (target %.1f)\n",
                current_instruction_set().c_str(), place, length, format.name.data(), median(measured[0].nanoseconds),
                median(measured[1].nanoseconds), median_ratio(measured[0], measured[1]),
                elements == kCache ? 1.2 : 0.8);
  }
}

}  // namespace
}  // namespace attncert::bench

int main(int argc, char** argv) {
  using namespace attncert::bench;
  const char* normalizer = argc > 1 ? argv[1] : "softmax";
  const std::string_view place = argc > 2 ? argv[2] : "";
  std::vector<std::size_t> lengths = {64, 1024, 4096, 65536};
  if (argc > 3) lengths = {std::min<std::size_t>(std::strtoul(argv[3], nullptr, 10), kCache / 2)};
  if (attncert::find_kernel(normalizer, ATTNCERT_F16) == nullptr) {
    std::fprintf(stderr, "half_bench: no normalizer is called \"%s\"; name one of `attncert list`\n", normalizer);
    return 2;
  }
  Floats single(kMemory, true), half(kMemory / 2, false), out(kMemory, false), scratch(2 * kCache, false);
  for (const char* set : {"AVX3", "AVX2"}) {
    const std::vector<std::string> all = attncert::instruction_sets();
    if (std::find(all.begin(), all.end(), set) == all.end()) continue;
    const attncert::ForcedInstructionSet forced(set);
    for (const std::size_t elements : {kCache, kMemory}) {
      if (place == (elements == kCache ? "memory" : "cache")) continue;
      for (const std::size_t length : lengths) {
        measure(normalizer, elements, length, single, half, out, scratch);
      }
    }
  }
}
