// What libraries do for the same rows, where they are installed (bench/CMakeLists.txt). A peer may say how it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attncert::bench {

struct Peer {
  std::string name, note;
  std::function<void()> (*pass)(float* input, float* output, std::size_t rows, std::size_t length);
};

std::vector<Peer> softmax_peers();
std::vector<Peer> log_softmax_peers();

}  // namespace attncert::bench
