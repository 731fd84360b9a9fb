#include "bench/normalizer_bench.hpp"
#include "bench/peers.hpp"

int main(int argc, char** argv) {
  return attncert::bench::run_normalizer(argc, argv, "softmax", attncert::bench::softmax_peers());
}
