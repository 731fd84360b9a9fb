// Choosing the k largest logits of a row, for top-k-softmax and its derivative.
#pragma once

#include <cstddef>

namespace attncert {

// The k largest present logits of x, -inf in the place of the others; of equal ones the lowest indices; all where k or
// fewer are present. 1 <= k <= length; `chosen` is not x; `kept` has room for candidates(length). False where some
// logit is NaN: then `chosen` means nothing.
template <class T>  // float or double
bool choose_largest(const T* x, std::size_t length, std::size_t k, T* kept, T* chosen);

// Behind a row's length, room for two vectors of the widest instruction set.
constexpr std::size_t candidates(std::size_t length) { return length + 64; }

}  // namespace attncert
