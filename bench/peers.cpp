#include "bench/peers.hpp"

namespace attncert::bench {

std::vector<Peer> peers() {
  std::vector<Peer> list;
#ifdef ATTNCERT_XNNPACK
  add_xnnpack(list);
#endif
#ifdef ATTNCERT_ONEDNN
  add_onednn(list);
#endif
#ifdef ATTNCERT_LIBTORCH
  add_libtorch(list);
#endif
  add_textbook(list);
  return list;
}

}  // namespace attncert::bench
