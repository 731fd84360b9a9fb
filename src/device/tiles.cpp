#include "src/device/tiles.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace attncert::device {

std::uint32_t tile_bits(std::size_t longest) {
  return static_cast<std::uint32_t>(std::bit_width(tiles_of(std::max<std::size_t>(longest, 1)) - 1));
}

MemoryPointer TileWork::taken(Result<MemoryPointer> memory) {
  if (memory) return *std::move(memory);
  if (done_) done_ = memory.error();
  return nullptr;
}

void TileWork::launch(std::string_view text, const char* kernel, std::size_t groups, std::vector<Argument> arguments) {
  if (!done_) return;
  const std::string options = "-DTHREADS=" + std::to_string(shape_.threads) + " -DEACH=" + std::to_string(shape_.each);
  done_ = device_.launch({{std::string(text), options}, kernel, groups, shape_.threads, std::move(arguments)});
}

std::vector<double> TileWork::out(const MemoryPointer& from, std::size_t count) {
  std::vector<double> values(count);
  if (done_) done_ = device_.read(values.data(), *from, count * sizeof(double));
  return values;
}

}  // namespace attncert::device
