// The one benchmark of a built-in f32 normalizer: ns per element and GB/s beside memcpy and, where it is there, oneDNN,
// for rows of 64 to 2^20 in cache (input and output in L2) and in memory (256 MiB together).
#pragma once

#include <cstddef>
#include <functional>

namespace attncert::bench {

using Peer = std::function<void()> (*)(float* input, float* output, std::size_t rows, std::size_t length);

// Registers with Google Benchmark, runs, and prints the ratios. Returns the exit status of the program.
int run_normalizer(int argc, char** argv, const char* normalizer, Peer onednn);

}  // namespace attncert::bench
