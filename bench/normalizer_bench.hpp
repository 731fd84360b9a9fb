// The one benchmark of a built-in f32 normalizer: ns per element and GB/s beside memcpy and, where they are there, its
// peers, for rows of 64 to 2^20 in cache (input and output in L2) and in memory (256 MiB together).
#pragma once

#include <vector>

#include "bench/peers.hpp"

namespace attncert::bench {

// Registers with Google Benchmark, runs, and prints the ratios. Returns the exit status of the program.
int run_normalizer(int argc, char** argv, const char* normalizer, const std::vector<Peer>& peers);

}  // namespace attncert::bench
