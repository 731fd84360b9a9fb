// Where the buffers of a run lie: which end of each touches a guard page, and how far its rows are apart.
#pragma once

#include <array>

#include "properties/conformance/external/host/guarded_buffer.hpp"

namespace attncert::foreign {

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
inline std::uint64_t next(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

class Layout {
 public:
  explicit Layout(std::uint64_t seed) {
    for (std::size_t& padding : paddings_) padding = next(seed) % 2 == 0 ? 0 : next(seed) % paddings;
    for (Side& side : sides_) side = next(seed) % 2 == 0 ? Side::front : Side::back;
  }
  // Each buffer at its other end, and so, unless its size is a multiple of 64 bytes, at another alignment.
  Layout opposite() const {
    Layout other = *this;
    for (Side& side : other.sides_) side = side == Side::front ? Side::back : Side::front;
    for (std::size_t& padding : other.paddings_) padding = (padding + 7) % paddings;
    return other;
  }
  Layout dense() const {
    Layout other = *this;
    other.paddings_.fill(0);
    return other;
  }
  std::size_t padding(Buffer buffer) const { return paddings_[static_cast<std::size_t>(buffer)]; }
  Side side(Buffer buffer) const { return sides_[static_cast<std::size_t>(buffer)]; }

 private:
  static constexpr std::size_t paddings = 20;  // elements: rows of f32 at every alignment below 64 bytes
  static constexpr std::size_t buffers = 6;
  std::array<std::size_t, buffers> paddings_{};
  std::array<Side, buffers> sides_{};
};

}  // namespace attncert::foreign
