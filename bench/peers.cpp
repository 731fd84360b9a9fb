#include "bench/peers.hpp"

#ifdef ATTNCERT_ONEDNN
#include "bench/onednn_peer.hpp"
#endif
#ifdef ATTNCERT_LIBTORCH
#include "bench/libtorch_peer.hpp"
#endif

namespace attncert::bench {

namespace {

enum class Output : bool { weights, logarithms };

std::vector<Peer> installed([[maybe_unused]] Output output) {
  std::vector<Peer> peers;
#ifdef ATTNCERT_ONEDNN
  peers.push_back({"oneDNN", "", output == Output::weights ? onednn_softmax : onednn_log_softmax});
#endif
#ifdef ATTNCERT_LIBTORCH
  peers.push_back({"libtorch", libtorch_note(), output == Output::weights ? libtorch_softmax : libtorch_log_softmax});
#endif
  return peers;
}

}  // namespace

std::vector<Peer> softmax_peers() { return installed(Output::weights); }
std::vector<Peer> log_softmax_peers() { return installed(Output::logarithms); }

}  // namespace attncert::bench
