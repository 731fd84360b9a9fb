#include "bench/peers.hpp"

#ifdef ATTNCERT_ONEDNN
#include "bench/onednn_peer.hpp"
#endif
#ifdef ATTNCERT_LIBTORCH
#include "bench/libtorch_peer.hpp"
#endif

namespace attncert::bench {

std::vector<Peer> softmax_peers() {
  std::vector<Peer> peers;
#ifdef ATTNCERT_ONEDNN
  peers.push_back({"oneDNN", "", onednn_softmax});
#endif
#ifdef ATTNCERT_LIBTORCH
  peers.push_back({"libtorch", libtorch_note(), libtorch_softmax});
#endif
  return peers;
}

std::vector<Peer> log_softmax_peers() {
  std::vector<Peer> peers;
#ifdef ATTNCERT_ONEDNN
  peers.push_back({"oneDNN", "", onednn_log_softmax});
#endif
#ifdef ATTNCERT_LIBTORCH
  peers.push_back({"libtorch", libtorch_note(), libtorch_log_softmax});
#endif
  return peers;
}

}  // namespace attncert::bench
