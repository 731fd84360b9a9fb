// No peer has softmax1: softmax beside it is the measure.
#include "bench/normalizer_bench.hpp"

int main(int argc, char** argv) { return attncert::bench::run_normalizer(argc, argv, "softmax1", {}); }
