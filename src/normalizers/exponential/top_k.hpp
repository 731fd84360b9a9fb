// What choosing the k largest logits of a row needs to know, and the room it takes.
#pragma once

#include <cstddef>

namespace attncert {

template <class T>
struct KthLargest {
  T value;   // -inf when fewer than k are present
  bool nan;  // some logit is NaN: the value means nothing
};

// Elements that the list of candidates may have beyond the length of a row: two vectors of the widest instruction set.
inline constexpr std::size_t kCandidateRoom = 64;

}  // namespace attncert
