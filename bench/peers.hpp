// What other libraries, or textbooks, do for the same f32 rows without gaps at T = 1, in a single thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attncert::bench {

// One call on `rows` rows. upstream: of a derivative, else null.
struct PeerCall {
  const float *input, *upstream;
  float* output;
  std::size_t rows, length;
};

struct Peer {
  std::string_view name;        // "oneDNN"
  std::string_view normalizer;  // "softmax-vjp"
  // One pass over the rows, or empty where this machine has no such peer.
  std::function<void()> (*pass)(const PeerCall& call);
};

// Of every library that this build has (bench/CMakeLists.txt), and sorting and bisection for sparse normalizers.
std::vector<Peer> peers();

// What each library adds.
void add_onednn(std::vector<Peer>& list);
void add_libtorch(std::vector<Peer>& list);
void add_xnnpack(std::vector<Peer>& list);
void add_textbook(std::vector<Peer>& list);

}  // namespace attncert::bench
