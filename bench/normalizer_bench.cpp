// Google Benchmark drives: one benchmark per (place, length); each measures all subjects in interleaved rounds and
// reports medians as counters. The time of the benchmark itself is the kernel's median, set by hand.
#include "bench/normalizer_bench.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bench/dense_call.hpp"
#include "bench/rounds.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bench {
namespace {

constexpr std::size_t kRounds = 21;  // a median over fewer moves from run to run

struct Place {
  const char* name;
  std::size_t elements;  // of the input; the output has as many
};
constexpr Place kCache{"cache", std::size_t{1} << 17};    // 0.5 + 0.5 MiB: L2
constexpr Place kMemory{"memory", std::size_t{1} << 25};  // 128 + 128 MiB

struct Buffers {
  Floats input{kMemory.elements, true}, output{kMemory.elements, false};
  Floats spread{kMemory.elements, false};  // the input with sigma 20: many weights are subnormal there
  Floats scratch{kMemory.elements / 8, false};

  Buffers() {
    for (std::size_t i = 0; i < kMemory.elements; ++i) spread.data()[i] = input.data()[i] * (20.0f / 3);
  }
};

std::function<void()> kernel_pass(const attncert_kernel& kernel, Buffers& buffers, std::size_t rows, std::size_t length,
                                  double temperature = 1, const float* input = nullptr) {
  attncert_arguments arguments =
      dense_call(input == nullptr ? buffers.input.data() : input, buffers.output.data(), rows, length, temperature);
  arguments.scratch = buffers.scratch.data();
  arguments.scratch_bytes = kMemory.elements / 8 * sizeof(float);
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
  // 0.9 / log n keeps the spread of the row, which s = 1 would multiply, and T away from 1.
  if (std::string_view(kernel.normalizer) == "ssmax") parameters.scale = 0.9 / std::log(static_cast<double>(length));
  return [&kernel, arguments, parameters]() mutable {
    arguments.parameters = &parameters;
    run_or_abort(kernel, arguments);
  };
}

// What a kernel's time is held against within the family of softmax: softmax itself, or for softmax its other modes.
std::vector<Subject> relatives(const attncert_kernel& kernel, Buffers& buffers, std::size_t rows, std::size_t length) {
  const std::string_view normalizer = kernel.normalizer;
  std::vector<Subject> subjects;
  if (normalizer == "softmax") {
    subjects.push_back({"T=0.7", kernel_pass(kernel, buffers, rows, length, 0.7)});
    subjects.push_back({"sigma20", kernel_pass(kernel, buffers, rows, length, 1, buffers.spread.data())});
    for (const attncert_kernel* other : built_in_kernels()) {
      if (std::string_view(other->name) != "softmax-half-ulp.f32") continue;
      subjects.push_back({"half_ulp", kernel_pass(*other, buffers, rows, length)});
    }
  } else if (normalizer == "log-softmax" || normalizer == "ssmax" || normalizer == "softmax1") {
    subjects.push_back({"softmax", kernel_pass(*find_kernel("softmax", ATTNCERT_F32), buffers, rows, length)});
  }
  return subjects;
}

void measure(benchmark::State& state, const attncert_kernel& kernel, const std::vector<Peer>& peers, const Place& place,
             std::size_t length, Buffers& buffers) {
  const std::size_t rows = std::max<std::size_t>(1, place.elements / length), elements = rows * length;
  float *const in = buffers.input.data(), *const out = buffers.output.data();
  std::vector<Subject> subjects = {{"kernel", kernel_pass(kernel, buffers, rows, length)},
                                   {"memcpy", [=] { std::memcpy(out, in, elements * sizeof(float)); }}};
  for (Subject& relative : relatives(kernel, buffers, rows, length)) subjects.push_back(std::move(relative));
  for (const Peer& peer : peers) subjects.push_back({peer.name, peer.pass(in, out, rows, length)});
  for (auto _ : state) {
    const std::vector<Measured> measured = interleave(subjects, elements, kRounds, 2e-3);
    const double nanoseconds = median(measured[0].nanoseconds);
    state.SetIterationTime(1e-9 * nanoseconds * static_cast<double>(elements));
    state.counters["ns/element"] = nanoseconds;
    state.counters["GB/s"] = 2 * sizeof(float) / nanoseconds;
    state.counters["memcpy_ns"] = median(measured[1].nanoseconds);
    state.counters["x_memcpy"] = median_ratio(measured[0], measured[1]);
    for (std::size_t i = 2; i < measured.size(); ++i) {
      state.counters[measured[i].name + "_ns"] = median(measured[i].nanoseconds);
      state.counters["x_" + measured[i].name] = median_ratio(measured[0], measured[i]);
    }
  }
}

}  // namespace

int run_normalizer(int argc, char** argv, const char* normalizer, const std::vector<Peer>& peers) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const attncert_kernel& kernel = *find_kernel(normalizer, ATTNCERT_F32);
  std::printf("%s on %s; median of %zu interleaved rounds, thread CPU time; x_: ratio of times, below 1 is faster\n",
              kernel.name, current_instruction_set().c_str(), kRounds);
  for (const Peer& peer : peers)
    if (!peer.note.empty()) std::printf("%s: %s\n", peer.name.c_str(), peer.note.c_str());
  Buffers buffers;
  for (const Place& place : {kCache, kMemory}) {
    for (const std::size_t length :
         {std::size_t{64}, std::size_t{1024}, std::size_t{4096}, std::size_t{65536}, std::size_t{1} << 20}) {
      const std::string name = std::string(normalizer) + "/" + place.name + "/" + std::to_string(length);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=, &kernel, &peers, &buffers](benchmark::State& state) {
                                     measure(state, kernel, peers, place, length, buffers);
                                   })
          ->UseManualTime()
          ->Iterations(1);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace attncert::bench
