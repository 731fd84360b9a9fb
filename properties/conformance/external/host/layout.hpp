// The layout of a run: which end of each buffer touches a guard page, and how many elements lie between rows.
#pragma once

#include <array>
#include <utility>

#include "properties/conformance/external/host/guarded_buffer.hpp"
#include "src/core/mixer.hpp"

namespace attncert::external {

// SplitMix64's stream, whose states are that constant apart.
inline std::uint64_t next(std::uint64_t& state) { return mixed(std::exchange(state, state + 0x9E3779B97F4A7C15u)); }

class Layout {
 public:
  explicit Layout(std::uint64_t seed) {
    for (std::size_t& padding : paddings_) padding = next(seed) % 2 == 0 ? 0 : next(seed) % paddings;
    for (Side& side : sides_) side = next(seed) % 2 == 0 ? Side::front : Side::back;
  }
  // The other end of each buffer touches its guard page. Unless the size is a multiple of 64 bytes, the alignment
  // differs too.
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
  static constexpr std::size_t paddings = 20;  // elements: this gives rows of f32 every alignment below 64 bytes
  static constexpr std::size_t buffers = 6;
  std::array<std::size_t, buffers> paddings_{};
  std::array<Side, buffers> sides_{};
};

}  // namespace attncert::external
