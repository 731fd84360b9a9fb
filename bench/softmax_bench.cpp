#include "bench/normalizer_bench.hpp"
#ifdef ATTNCERT_ONEDNN
#include "bench/onednn_peer.hpp"
#endif

int main(int argc, char** argv) {
#ifdef ATTNCERT_ONEDNN
  return attncert::bench::run_normalizer(argc, argv, "softmax", attncert::bench::onednn_softmax);
#else
  return attncert::bench::run_normalizer(argc, argv, "softmax", nullptr);
#endif
}
