// The one table of shapes: how many threads a row has and how many of its elements each holds. A shape changes no bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace attncert::device {

struct Shape {
  std::uint32_t group, hold, vec;  // hold = 0: the row is read as often as it is needed
  constexpr std::size_t capacity() const { return std::size_t{group} * hold; }
  std::string options() const {
    return "-DGROUP=" + std::to_string(group) + " -DHOLD=" + std::to_string(hold) + " -DVEC=" + std::to_string(vec);
  }
};

// Rows to the capacity of the largest are held in registers, of longer ones the sums have a word more (exponential.cl).
// 16 bytes a load; groups of at least two wavefronts of 64 where the row has work for them; no more than 32 elements a
// thread, beyond which compilers spill.
inline constexpr Shape held_shapes[] = {{64, 4, 4}, {256, 4, 4}, {256, 16, 4}, {256, 32, 4}, {512, 32, 4}};
inline constexpr Shape long_shape{512, 0, 1};
inline constexpr std::size_t longest_held = 16384;
static_assert(held_shapes[4].capacity() == longest_held);

constexpr Shape shape_for(std::size_t length) {
  for (const Shape& shape : held_shapes)
    if (length <= shape.capacity()) return shape;
  return long_shape;
}

}  // namespace attncert::device
