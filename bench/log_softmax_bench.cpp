#include "bench/normalizer_bench.hpp"
#include "bench/peers.hpp"

int main(int argc, char** argv) {
  return attncert::bench::run_normalizer(argc, argv, "log-softmax", attncert::bench::log_softmax_peers());
}
