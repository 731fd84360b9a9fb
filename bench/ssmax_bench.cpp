// No peer has ssmax: softmax beside it is the measure.
#include "bench/normalizer_bench.hpp"

int main(int argc, char** argv) { return attncert::bench::run_normalizer(argc, argv, "ssmax", {}); }
