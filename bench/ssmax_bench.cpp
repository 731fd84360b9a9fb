// No peer has ssmax: softmax is the measure, and the target 1.15 of its time. Beside the rows of every normalizer
// (s = 0.9 / log n, which keeps their spread) stand rows at s = 1, the default, in cache. There the target is
// judged against softmax at the temperature T / (s log n): the same weights, of which as many vanish. Softmax of the
// same row at T is shown beside it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "bench/dense_call.hpp"
#include "bench/normalizer_bench.hpp"
#include "bench/rounds.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bench {
namespace {

constexpr std::size_t kRounds = 21, kElements = std::size_t{1} << 17;  // normalizer_bench.cpp: its rounds, its cache

// One call on `rows` rows; causal: row r sees its first r % length + 1 keys.
struct Rows {
  std::size_t rows, length;
  bool causal;
  Floats input{kElements, true}, output{kElements, false};
  std::vector<std::uint8_t> mask;

  Rows(double sigma, std::size_t some_rows, std::size_t some_length, bool is_causal)
      : rows(some_rows), length(some_length), causal(is_causal) {
    for (std::size_t i = 0; i < kElements; ++i) input.data()[i] *= static_cast<float>(sigma / 3);
    if (causal) mask.resize(rows * length);
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % length <= i / length % length ? 1 : 0;
  }

  std::function<void()> pass(const char* normalizer, double temperature) {
    attncert_arguments arguments = dense_call(input.data(), output.data(), rows, length, temperature);
    if (causal) {
      arguments.mask = mask.data();
      arguments.mask_stride = length;
    }
    const attncert_kernel& kernel = *find_kernel(normalizer, ATTNCERT_F32);
    return [&kernel, arguments] { run_or_abort(kernel, arguments); };
  }
};

void measure(benchmark::State& state, Rows& rows) {
  const std::size_t elements = rows.rows * rows.length;
  const double same_weights = 1 / std::log(static_cast<double>(rows.length));
  float *const in = rows.input.data(), *const out = rows.output.data();
  for (auto _ : state) {
    const std::vector<Measured> measured =
        interleave({{"kernel", rows.pass("ssmax", 1)},
                    {"memcpy", [=] { std::memcpy(out, in, elements * sizeof(float)); }},
                    {"softmax_same_weights", rows.pass("softmax", same_weights)},
                    {"softmax_same_row", rows.pass("softmax", 1)}},
                   elements, kRounds, 2e-3);
    const double nanoseconds = median(measured[0].nanoseconds);
    state.SetIterationTime(1e-9 * nanoseconds * static_cast<double>(elements));
    state.counters["ns/element"] = nanoseconds;
    for (std::size_t i = 1; i < measured.size(); ++i) {
      state.counters["x_" + measured[i].name] = median_ratio(measured[0], measured[i]);
    }
  }
}

void add(const std::string& name, double sigma, std::size_t rows, std::size_t length, bool causal) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 Rows some(sigma, rows, length, causal);
                                 measure(state, some);
                               })
      ->UseManualTime()
      ->Iterations(1);
}

void add_all() {
  for (const double sigma : {0.3, 3.0, 30.0}) {
    for (const std::size_t length : {std::size_t{64}, std::size_t{1024}, std::size_t{4096}, std::size_t{65536}}) {
      std::string spread = std::to_string(sigma);
      spread.resize(spread.find('.') + 2);
      add("ssmax/s=1/sigma=" + spread + "/" + std::to_string(length), sigma, kElements / length, length, false);
    }
  }
  for (const std::size_t length : {std::size_t{64}, std::size_t{256}}) {
    add("ssmax/s=1/causal/" + std::to_string(length), 3, kElements / length, length, true);
    add("ssmax/s=1/causal-one-head/" + std::to_string(length), 3, length, length, true);
  }
  for (const std::size_t length : {std::size_t{16}, std::size_t{64}}) {
    add("ssmax/s=1/one-row/" + std::to_string(length), 3, 1, length, false);
  }
}

}  // namespace
}  // namespace attncert::bench

int main(int argc, char** argv) {
  attncert::bench::add_all();
  return attncert::bench::run_normalizer(argc, argv, "ssmax", {});
}
