// No peer has sparsemax: memcpy is the only measure here.
#include "bench/normalizer_bench.hpp"

int main(int argc, char** argv) { return attncert::bench::run_normalizer(argc, argv, "sparsemax", {}); }
