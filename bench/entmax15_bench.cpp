#include "bench/normalizer_bench.hpp"

int main(int argc, char** argv) { return attncert::bench::run_normalizer(argc, argv, "entmax-1.5", nullptr); }
