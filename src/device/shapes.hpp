// The one table of shapes: how many threads a row has and how many of its elements each holds. A shape changes no bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
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
// 16 bytes of f32 a load. The fewest threads that hold a row are the fastest, as barriers cost what a group has of
// them, down to 32 and up to 16 elements each; 32 only where 1024 threads would be needed otherwise, and no more,
// beyond which compilers spill: measured on an H100, docs/device.md.
inline constexpr Shape held_shapes[] = {{32, 4, 4},   {32, 8, 4},   {32, 16, 4},  {64, 16, 4},
                                        {128, 16, 4}, {256, 16, 4}, {512, 16, 4}, {512, 32, 4}};
inline constexpr Shape long_shape{512, 0, 4};
inline constexpr std::size_t longest_held = 16384;
static_assert(std::end(held_shapes)[-1].capacity() == longest_held);

constexpr Shape shape_for(std::size_t length) {
  for (const Shape& shape : held_shapes)
    if (length <= shape.capacity()) return shape;
  return long_shape;
}

}  // namespace attncert::device
