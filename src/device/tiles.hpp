// What kernels of f64 share with the host (src/device/kernels/tile.cl, fold.cl): rows cut into tiles, and their
// launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/device/device.hpp"

namespace attncert::device {

inline constexpr std::size_t tile_places = 256;

// threads * each = tile_places; no shape changes a bit.
struct TileShape {
  std::uint32_t threads = 256, each = 1;
};

inline std::size_t tiles_of(std::size_t length) { return (length + tile_places - 1) / tile_places; }
// A group's number has its row above so many bits, its tile in them.
std::uint32_t tile_bits(std::size_t longest);

// Buffers and launches one after the other. The first that fails is kept, and nothing is done behind it: what is read
// then is 0.
class TileWork {
 public:
  TileWork(const Device& device, TileShape shape) : device_(device), shape_(shape) {}

  template <class T>
  MemoryPointer in(const std::vector<T>& values) {
    return taken(done_ ? device_.copied(values.data(), values.size() * sizeof(T)) : done_.error());
  }
  template <class T>
  MemoryPointer room(std::size_t count) {
    return taken(done_ ? device_.allocate(count * sizeof(T)) : done_.error());
  }
  void launch(std::string_view text, const char* kernel, std::size_t groups, std::vector<Argument> arguments);
  std::vector<double> out(const MemoryPointer& from, std::size_t count);

  const Result<Done>& done() const { return done_; }

 private:
  MemoryPointer taken(Result<MemoryPointer> memory);

  const Device& device_;
  TileShape shape_;
  Result<Done> done_ = Done{};
};

}  // namespace attncert::device
